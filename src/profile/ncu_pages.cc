// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_pages.h"

#include <cmath>

namespace kp::profile::ncu {
namespace {

/// Calls `visit` with each record of a launch.
template <class Visit>
void each_record(std::string_view text, const Table& table, const Launch& launch, Visit visit) {
  RowReader in(text.substr(0, launch.end), launch.begin);
  Row row;
  while (!in.at_end()) {
    // Output of the program may stand between the records of a launch.
    const std::size_t begin = in.offset();
    if (may_be_record(in.line()) && in.read(row) && row.size() <= table.columns) {
      visit(row);
      continue;
    }
    in.move_to(begin);
    in.skip_line();
  }
}

void set(MetricSet& metrics, std::string_view name, std::optional<double> value, double factor) {
  if (!value || !std::isfinite(*value * factor)) return;
  metrics.set(std::string(name), Metric{*value * factor, grade_of(name)});
}

void add_line(MetricSet& metrics, const Table& table, const Row& row) {
  const std::string_view name = field(row, table.metric);
  if (name.empty()) return;
  const std::string_view unit = field(row, table.unit);
  std::optional<Meaning> meaning = meaning_of(name);
  if (!meaning) meaning = meaning_of_label(name, unit);
  if (!meaning) return;
  set(metrics, meaning->name, value_of(field(row, table.value), table.style),
      meaning->factor * factor_to_base(unit));
}

}  // namespace

MetricSet metrics_of(std::string_view text, const Table& table, const Launch& launch) {
  MetricSet metrics;
  each_record(text, table, launch, [&](const Row& row) {
    if (table.page == Page::kDetails) return add_line(metrics, table, row);
    for (const Table::Column& column : table.kept) {
      set(metrics, column.name, value_of(field(row, column.at), table.style), column.factor);
    }
  });
  add_derived(metrics);
  return metrics;
}

std::vector<RuleMessage> rules_of(std::string_view text, const Table& table, const Launch& launch) {
  std::vector<RuleMessage> rules;
  if (table.page == Page::kRaw) return rules;
  each_record(text, table, launch, [&](const Row& row) {
    if (field(row, table.rule).empty()) return;
    rules.push_back({unquoted(launch.kernel), unquoted(field(row, table.rule)),
                     std::string(field(row, table.type)), unquoted(field(row, table.text)),
                     std::string(field(row, table.speedup_type)),
                     value_of(field(row, table.speedup), table.style)});
  });
  return rules;
}

}  // namespace kp::profile::ncu
