// SPDX-License-Identifier: Apache-2.0
#include "llm/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "model/device_spec.h"
#include "model/toml_text.h"

namespace kp::llm {
namespace {

constexpr double kMillion = 1e6;
constexpr std::uint64_t kLargestFile = 1 << 20;  // bytes

/// Reads the members of one table; the first fault counts.
class PriceReader {
 public:
  PriceReader(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  std::optional<double> optional(const char* key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<double>();
    if (value && std::isfinite(*value) && *value >= 0) return *value;
    wrong(*node, fmt::format("`{}` is no price in dollars", key));
    return 0;
  }
  double required(const char* key) {
    if (table_.get(key) == nullptr) wrong(table_, fmt::format("the price lacks `{}`", key));
    return optional(key).value_or(0);
  }
  Rates rates() {
    Rates rates;
    rates.input = required("input");
    rates.output = required("output");
    rates.cache_read = optional("cache_read");
    rates.cache_write = optional("cache_write");
    return rates;
  }
  void wrong(const toml::node& node, std::string message) {
    if (fault_) return;
    const auto begin = node.source().begin;
    fault_ = Error{ErrorCode::kInvalidInput,
                   std::move(message),
                   "share/prices.toml says how a price is written",
                   {file_, static_cast<int>(begin.line), static_cast<int>(begin.column)},
                   {}};
  }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  const toml::table& table_;
  std::string file_;
  std::optional<Error> fault_;
};

Result<Price> price_from(const toml::table& table, const std::string& file) {
  PriceReader reader(table, file);
  Price price;
  price.rates = reader.rates();
  price.model = table["model"].value_or(std::string());
  if (price.model.empty()) reader.wrong(table, "the price lacks `model`");
  if (reader.fault()) return tl::unexpected(*reader.fault());
  const toml::table* longer = table["long"].as_table();
  if (longer == nullptr) return price;
  PriceReader long_reader(*longer, file);
  price.long_rates = long_reader.rates();
  price.long_above = (*longer)["above"].value_or(std::int64_t{0});
  if (price.long_above <= 0) long_reader.wrong(*longer, "`long` lacks `above`, in tokens");
  if (long_reader.fault()) return tl::unexpected(*long_reader.fault());
  return price;
}

bool digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// "-20260101" or "-2026-01-01" at the end is no part of the name.
std::string_view without_date(std::string_view model) {
  constexpr std::size_t kShort = 9, kLong = 11;
  if (model.size() > kShort && model[model.size() - kShort] == '-' &&
      digits(model.substr(model.size() - kShort + 1))) {
    return model.substr(0, model.size() - kShort);
  }
  if (model.size() <= kLong) return model;
  const std::string_view end = model.substr(model.size() - kLong);
  const bool date = end[0] == '-' && end[5] == '-' && end[8] == '-' && digits(end.substr(1, 4)) &&
                    digits(end.substr(6, 2)) && digits(end.substr(9, 2));
  return date ? model.substr(0, model.size() - kLong) : model;
}

bool fits(std::string_view pattern, std::string_view model) {
  if (!pattern.ends_with('*')) return pattern == model;
  return model.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

Result<Prices> Prices::read(const Path& file) {
  KP_TRY(const std::string text, read_text(file, kLargestFile));
  KP_TRY(const toml::table root, parse_toml(text, file.string()));
  std::vector<Price> list;
  const toml::array* entries = root["price"].as_array();
  for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    const toml::table* table = entries->get(i)->as_table();
    if (table == nullptr) continue;
    KP_TRY(Price price, price_from(*table, file.string()));
    list.push_back(std::move(price));
  }
  if (!list.empty()) return Prices(std::move(list));
  return fail(ErrorCode::kInvalidInput, fmt::format("{} lists no prices", file.string()),
              "write [[price]] tables as in share/prices.toml");
}

Result<Prices> Prices::read_shipped() {
  KP_TRY(const Path home, installation_folder());
  return read(home / "share/prices.toml");
}

const Price* Prices::find(std::string_view model) const {
  const Price* best = nullptr;
  for (const std::string_view name : {model, without_date(model)}) {
    for (const Price& price : list_) {
      const bool longer = best == nullptr || price.model.size() > best->model.size();
      if (longer && fits(price.model, name)) best = &price;
    }
  }
  return best;
}

std::optional<double> cost_of(const Usage& usage, const Price& price) {
  const std::int64_t prompt = usage.input + usage.cache_read + usage.cache_written;
  const bool is_long = price.long_above > 0 && prompt > price.long_above;
  const Rates& rates = is_long ? price.long_rates : price.rates;
  double dollars = 0;
  bool known = usage.counted;
  const auto add = [&](std::int64_t tokens, std::optional<double> rate) {
    known = known && (tokens == 0 || rate.has_value());
    dollars += static_cast<double>(tokens) / kMillion * rate.value_or(0);
  };
  add(usage.input, rates.input);
  add(usage.cache_read, rates.cache_read);
  add(usage.cache_written, rates.cache_write);
  add(usage.output, rates.output);
  if (!known) return std::nullopt;
  return dollars;
}

}  // namespace kp::llm
