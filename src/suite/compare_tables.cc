// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "suite/compare.h"

namespace kp::suite {
namespace {

std::string side_text(double speedup, bool failed) {
  return failed ? "failed, 1x" : fmt::format("{:.3f}x", speedup);
}

/// Whether the baseline differs from itself by as much.
bool within_noise(const Pair& pair) {
  if (!pair.noise || !pair.noise->low || !pair.noise->high) return false;
  const double ratio = pair.a / pair.b;
  return ratio >= *pair.noise->low && ratio <= *pair.noise->high;
}

std::string winner_text(const Pair& pair, const Compared& compared) {
  if (pair.tied()) return "neither";
  return (pair.a > pair.b ? compared.a : compared.b) +
         (within_noise(pair) ? ", within the noise" : "");
}

std::string noise_text(const Pair& pair) {
  if (!pair.noise) return "not recorded";
  if (!pair.noise->low || !pair.noise->high) return fmt::format("{:.4f}", pair.noise->ratio);
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", pair.noise->ratio, *pair.noise->low,
                     *pair.noise->high);
}

Table verdict_table(const Comparison& one, const Compared& compared) {
  Table table{fmt::format("{} against {} ({}, {})", compared.a, compared.b, one.product,
                          name_of(one.grade)),
              {},
              {"figure", "value"},
              {}};
  const auto row = [&](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  row("pairs of task and seed", fmt::format("{}", one.pairs.size()));
  row("ratio of geometric means, first over second (95 % over tasks)", estimate_text(one.ratio));
  row("first faster / second faster / equal",
      fmt::format("{} / {} / {}", one.sign.above, one.sign.below, one.sign.ties));
  row("Wilcoxon signed-rank test on ln speedup, two-sided",
      fmt::format("p = {:.4g} ({} pairs that differ)", one.wilcoxon.p_value, one.wilcoxon.pairs));
  row("sign test, two-sided", fmt::format("p = {:.4g}", one.sign.p_value));
  return table;
}

Table pair_table(const Comparison& one, const Compared& compared) {
  Table table{fmt::format("who won where ({}, {})", one.product, name_of(one.grade)),
              {},
              {"task", "seed", compared.a, compared.b, "ratio", "faster", "A/A noise"},
              {}};
  for (const Pair& pair : one.pairs) {
    table.rows.push_back({pair.task, fmt::format("{}", pair.seed), side_text(pair.a, pair.failed_a),
                          side_text(pair.b, pair.failed_b), fmt::format("{:.3f}", pair.a / pair.b),
                          winner_text(pair, compared), noise_text(pair)});
  }
  return table;
}

nlohmann::json pair_json(const Pair& pair) {
  nlohmann::json json{{"task", pair.task},
                      {"seed", pair.seed},
                      {"first", pair.a},
                      {"second", pair.b},
                      {"first_failed", pair.failed_a},
                      {"second_failed", pair.failed_b},
                      {"noise", nullptr}};
  if (pair.noise) json["noise"] = pair.noise->ratio;
  return json;
}

nlohmann::json comparison_json(const Comparison& one) {
  nlohmann::json json{{"evidence", name_of(one.grade)},
                      {"product", one.product},
                      {"ratio", one.ratio.value},
                      {"ratio_low", one.ratio.interval.low},
                      {"ratio_high", one.ratio.interval.high},
                      {"first_faster", one.sign.above},
                      {"second_faster", one.sign.below},
                      {"equal", one.sign.ties},
                      {"wilcoxon_p", one.wilcoxon.p_value},
                      {"sign_test_p", one.sign.p_value},
                      {"pairs", nlohmann::json::array()}};
  for (const Pair& pair : one.pairs) json["pairs"].push_back(pair_json(pair));
  return json;
}

}  // namespace

std::vector<Table> compare_tables(const Compared& compared) {
  std::vector<Table> tables;
  for (const Comparison& one : compared.comparisons) {
    tables.push_back(verdict_table(one, compared));
    tables.push_back(pair_table(one, compared));
  }
  if (compared.left_out.empty()) return tables;
  Table rest{"Not compared", {}, {"run and reason"}, {}};
  for (const std::string& line : compared.left_out) rest.rows.push_back({line});
  tables.push_back(std::move(rest));
  return tables;
}

nlohmann::json compare_json(const Compared& compared) {
  nlohmann::json json{{"first", compared.a},
                      {"second", compared.b},
                      {"comparisons", nlohmann::json::array()},
                      {"left_out", compared.left_out}};
  for (const Comparison& one : compared.comparisons) {
    json["comparisons"].push_back(comparison_json(one));
  }
  return json;
}

}  // namespace kp::suite
