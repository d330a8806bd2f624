// SPDX-License-Identifier: Apache-2.0
// What tokens cost: share/prices.toml, which says how it is written, or a file of the user's own.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "llm/chat.h"

namespace kp::llm {

/// US dollars for a million tokens; absent where no price is known.
struct Rates {
  double input = 0, output = 0;
  std::optional<double> cache_read, cache_write;
};

struct Price {
  std::string model;  // a trailing * stands for any rest
  Rates rates;
  std::int64_t long_above = 0;  // tokens of the prompt; 0: no other rates for long ones
  Rates long_rates;
};

class Prices {
 public:
  explicit Prices(std::vector<Price> list) : list_(std::move(list)) {}

  /// kInvalidInput names the line of what is missing or no price.
  static Result<Prices> read(const Path& file);
  /// share/prices.toml of this installation.
  static Result<Prices> read_shipped();

  /// The entry for a model, whose name may end with a date ("-20260101", "-2026-01-01").
  const Price* find(std::string_view model) const;

 private:
  std::vector<Price> list_;
};

/// US dollars; absent when tokens were used for which there is no price, or that nobody counted.
std::optional<double> cost_of(const Usage& usage, const Price& price);

}  // namespace kp::llm
