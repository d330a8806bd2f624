// SPDX-License-Identifier: Apache-2.0
#include "llm/metered.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "llm/chat_json.h"
#include "llm/endpoint.h"

namespace kp::llm {
namespace {

// Source code takes three to four bytes a token. The low end estimates what nobody counted; the
// high end decides whether a prompt can fit at all.
constexpr std::int64_t kFewestBytes = 3;
constexpr std::int64_t kMostBytes = 6;

std::int64_t bytes_of(const Prompt& prompt) {
  return static_cast<std::int64_t>(one_line(to_json(prompt)).size());
}

std::int64_t tokens_of(const Usage& usage) {
  return usage.input + usage.cache_read + usage.cache_written + usage.output;
}

Usage estimate(const Prompt& prompt, const Reply& reply) {
  const auto bytes = static_cast<std::int64_t>(one_line(to_json(reply)).size());
  return {.input = bytes_of(prompt) / kFewestBytes, .output = bytes / kFewestBytes};
}

bool names_a_model(std::string_view chat) {
  return !chat.starts_with("scripted:") && !chat.starts_with("replay:");
}

/// Of a prompt that a cache may hold and a reply of one token.
double least_cost(std::int64_t prompt, Rates rates) {
  rates.input = std::min(rates.input, rates.cache_read.value_or(rates.input));
  return *cost_of({.input = prompt, .output = 1}, Price{.rates = rates});
}

tl::unexpected<Error> over(const char* what, std::string budget, const Spending& spent) {
  return fail(ErrorCode::kLimit,
              fmt::format("the budget of {} is spent: {} so far", budget, to_text(spent)),
              fmt::format("raise {} to go on", what));
}

}  // namespace

std::string to_text(const Spending& spending) {
  const std::string cost =
      spending.dollars ? fmt::format("${:.2f}", *spending.dollars) : "cost unknown";
  return fmt::format("{}{} tokens, {} in {} call{}", spending.estimated ? "about " : "",
                     format_count(static_cast<double>(spending.tokens)), cost, spending.calls,
                     spending.calls == 1 ? "" : "s");
}

Metered::Metered(std::unique_ptr<Chat> chat, const Budget& budget, Prices prices,
                 const Spending& before)
    : chat_(std::move(chat)), budget_(budget), prices_(std::move(prices)), spent_(before) {}

Result<std::unique_ptr<Metered>> Metered::make(std::unique_ptr<Chat> chat, const Budget& budget,
                                               Prices prices, const Spending& before) {
  const std::string_view model = model_of(chat->name());
  if (budget.dollars && names_a_model(chat->name()) && prices.find(model) == nullptr) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("--max-cost: there is no price of the model `{}`", model),
                "add a [[price]] to share/prices.toml, give a file with --prices FILE, or bound "
                "the run with --max-tokens");
  }
  return std::unique_ptr<Metered>(new Metered(std::move(chat), budget, std::move(prices), before));
}

/// By the name that the server gives, which recordings keep, else by the one that was asked for.
const Price* Metered::price_of(std::string_view served) const {
  const Price* price = prices_.find(served);
  return price != nullptr ? price : prices_.find(model_of(chat_->name()));
}

Result<void> Metered::require_room(const Prompt& prompt) const {
  const std::lock_guard lock(mutex_);
  const std::int64_t least = bytes_of(prompt) / kMostBytes + 1;
  if (budget_.tokens && spent_.tokens + least > *budget_.tokens) {
    return over("--max-tokens", format_count(static_cast<double>(*budget_.tokens)) + " tokens",
                spent_);
  }
  if (!budget_.dollars) return {};
  if (!spent_.dollars) {
    return fail(ErrorCode::kLimit,
                fmt::format("--max-cost cannot be kept: the cost of what was used so far is "
                            "unknown ({})",
                            to_text(spent_)),
                "add a [[price]] for the model to the file of prices, or use --max-tokens");
  }
  const Price* price = price_of("");
  const double dollars = price == nullptr ? 0 : least_cost(least, price->rates);
  if (*spent_.dollars + dollars <= *budget_.dollars) return {};
  return over("--max-cost", fmt::format("${:.2f}", *budget_.dollars), spent_);
}

void Metered::count(const Prompt& prompt, const Reply& reply) {
  const Usage usage = reply.usage.counted ? reply.usage : estimate(prompt, reply);
  const Price* price = price_of(reply.model);
  const auto cost = price == nullptr ? std::nullopt : cost_of(usage, *price);
  const std::lock_guard lock(mutex_);
  ++spent_.calls;
  spent_.tokens += tokens_of(usage);
  spent_.estimated = spent_.estimated || !reply.usage.counted;
  spent_.dollars = spent_.dollars && cost ? std::optional(*spent_.dollars + *cost) : std::nullopt;
}

Result<Reply> Metered::complete(const Prompt& prompt, const StopFlag& stop) {
  KP_TRY_VOID(require_room(prompt));
  KP_TRY(Reply reply, chat_->complete(prompt, stop));
  count(prompt, reply);
  return reply;
}

Spending Metered::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

}  // namespace kp::llm
