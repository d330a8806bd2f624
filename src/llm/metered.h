// SPDX-License-Identifier: Apache-2.0
// A chat that counts what it spends and ends at a budget.
#pragma once
#include <memory>
#include <mutex>
#include <optional>

#include "llm/chat.h"
#include "llm/prices.h"

namespace kp::llm {

struct Budget {
  std::optional<std::int64_t> tokens;  // of prompts and replies, cached ones among them
  std::optional<double> dollars;
};

struct Spending {
  std::int64_t calls = 0, tokens = 0;
  std::optional<double> dollars = 0.0;  // absent: something was used that has no known price
  bool estimated = false;               // a server did not say how many tokens it used
};

/// "12,300 tokens, $0.41 in 7 calls"
std::string to_text(const Spending& spending);

/// Calls that run at the same time know nothing of one another's cost: each may pass the budget.
class Metered final : public Chat {
 public:
  /// `before` is what earlier processes of the run have spent. kInvalidInput when there is a budget
  /// in dollars and the model has no price.
  static Result<std::unique_ptr<Metered>> make(std::unique_ptr<Chat> chat, const Budget& budget,
                                               Prices prices, const Spending& before = {});

  std::string_view name() const override { return chat_->name(); }
  /// kLimit, before anything is sent, when the budget is spent or this prompt cannot fit into what
  /// is left. A reply that passes the budget is still given out: it is paid for.
  Result<Reply> complete(const Prompt& prompt, const StopFlag& stop) override;

  Spending spent() const;

 private:
  Metered(std::unique_ptr<Chat> chat, const Budget& budget, Prices prices, const Spending& before);
  Result<void> require_room(const Prompt& prompt) const;
  void count(const Prompt& prompt, const Reply& reply);
  const Price* price_of(std::string_view served) const;

  std::unique_ptr<Chat> chat_;
  Budget budget_;
  Prices prices_;
  mutable std::mutex mutex_;
  Spending spent_;
};

}  // namespace kp::llm
