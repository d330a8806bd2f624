// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "profile/ncu_pages.h"

namespace kp::profile::ncu {
namespace {

// Records after which the numbers of a details page have shown how the locale writes them.
constexpr int kRecordsForStyle = 400;
// Longer durations are no durations; ns.
constexpr double kLongest = 1e18;

/// Where the names of columns begin in a line that may start with output of the program.
std::optional<std::size_t> header_in(std::string_view line) {
  if (line.find("Kernel Name") == std::string_view::npos) return std::nullopt;
  const std::size_t quoted = line.find("\"ID\",");
  if (quoted != std::string_view::npos) return quoted;
  if (line.starts_with("ID,")) return 0;
  // A summary has no ID; table_of says what it is.
  const std::size_t process = line.find("\"Process ID\",");
  return process == std::string_view::npos ? std::nullopt : std::optional(process);
}

int line_number(std::string_view text, std::size_t offset) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n'));
}

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file), in_(text) {}

  Result<Scan> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) in_.move_to(3);  // byte order mark
    while (!in_.at_end()) {
      const std::string_view line = in_.line();
      if (const auto header = header_in(line)) {
        KP_TRY_VOID(take_header(in_.offset() + *header));
      } else if (scan_.tables.empty() || !may_be_record(line) || !take_record()) {
        scan_.messages.take(line);
        in_.skip_line();
      }
    }
    if (left_out_ > 0) {
      scan_.notes.push_back(fmt::format(
          "{} line{} that are no whole record {} left out, the first is line {}: was the file cut?",
          left_out_, left_out_ == 1 ? "" : "s", left_out_ == 1 ? "was" : "were", first_left_out_));
    }
    return std::move(scan_);
  }

 private:
  Table& table() { return scan_.tables.back(); }

  Result<void> take_header(std::size_t begin) {
    in_.move_to(begin);
    auto table =
        in_.read(row_)
            ? table_of(row_)
            : Result<Table>(fail(ErrorCode::kInvalidInput, "the names of columns are cut off",
                                 "export the table again"));
    if (!table) {
      Error error = std::move(table).error();
      error.spot = {file_, line_number(text_, begin), 0};
      return tl::unexpected<Error>(std::move(error));
    }
    scan_.tables.push_back(*std::move(table));
    fresh_ = true;
    records_ = 0;
    return {};
  }

  /// False when what stands here is no record; then nothing was read.
  bool take_record() {
    const std::size_t begin = in_.offset();
    if (in_.read(row_) && fits()) {
      if (is_units()) {
        take_units(table(), row_);
      } else {
        take_launch(begin);
      }
      fresh_ = false;
      return true;
    }
    if (left_out_++ == 0) first_left_out_ = line_number(text_, begin);
    in_.move_to(begin);
    return false;
  }

  bool is_units() const {
    return fresh_ && scan_.tables.back().page == Page::kRaw &&
           row_[*scan_.tables.back().id].empty();
  }

  /// Whether the record has as many fields as the table's columns; those of metrics end early on
  /// the details page.
  bool fits() const {
    const Table& table = scan_.tables.back();
    const bool whole = table.page == Page::kRaw
                           ? row_.size() == table.columns
                           : row_.size() <= table.columns && row_.size() > *table.value;
    if (!whole) return false;
    const std::string_view id = row_[*table.id];
    return is_units() || (!id.empty() && std::all_of(id.begin(), id.end(), is_digit));
  }

  void take_launch(std::size_t begin) {
    const std::string_view id = field(row_, table().id), process = field(row_, table().process);
    const std::string_view kernel = field(row_, table().kernel);
    const bool same = !fresh_ && table().page == Page::kDetails && id == id_ &&
                      process == process_ && kernel == scan_.launches.back().kernel;
    if (!same) {
      scan_.launches.push_back({.table = scan_.tables.size() - 1,
                                .begin = begin,
                                .kernel = kernel,
                                .block = field(row_, table().block),
                                .grid = field(row_, table().grid)});
      id_ = id;
      process_ = process;
      take_device();
    }
    learn_style();
    take_duration(scan_.launches.back());
    scan_.launches.back().end = in_.offset();
  }

  void take_device() {
    if (scan_.device.empty()) scan_.device = unquoted(field(row_, table().device));
    const std::string_view capability = field(row_, table().capability);
    if (scan_.capability.empty()) scan_.capability = std::string(capability);
    if (capability != scan_.capability && !several_) {
      several_ = true;
      scan_.notes.push_back(fmt::format(
          "launches ran on GPUs of compute capability {} and {}; all are judged by the first",
          scan_.capability, capability));
    }
  }

  void learn_style() {
    const bool raw = table().page == Page::kRaw;
    if (styled_ == scan_.tables.size() || (raw ? records_ > 0 : records_ > kRecordsForStyle))
      return;
    ++records_;
    const auto look = [&](std::string_view value) {
      const std::optional<Style> style = style_of(value);
      if (!style || styled_ == scan_.tables.size()) return;
      styled_ = scan_.tables.size();
      table().style = *style;
    };
    if (!raw) return look(field(row_, table().value));
    for (const Table::Column& column : table().kept) look(row_[column.at]);
  }

  void take_duration(Launch& launch) {
    const Table& now = table();
    std::string_view value;
    double factor = 1;
    if (now.page == Page::kRaw) {
      if (!now.duration) return;
      value = row_[now.kept[*now.duration].at];
      factor = now.kept[*now.duration].factor;
    } else {
      const std::string_view name = field(row_, now.metric);
      if (name != "Duration" && name != metric::kDuration.name) return;
      value = field(row_, now.value);
      factor = factor_to_base(field(row_, now.unit));
    }
    const std::optional<double> number = value_of(value, now.style);
    if (number && *number >= 0 && *number * factor < kLongest) launch.duration = *number * factor;
  }

  std::string_view text_;
  const std::string& file_;
  RowReader in_;
  Row row_;
  Scan scan_;
  bool fresh_ = false;      // no record of the table was read yet
  bool several_ = false;    // GPUs
  int records_ = 0;         // looked at for the style
  std::size_t styled_ = 0;  // number of tables when a number last told the style
  std::string_view id_, process_;
  int left_out_ = 0, first_left_out_ = 0;
};

}  // namespace

Result<Scan> scan(std::string_view text, const std::string& file) {
  return Scanner(text, file).run();
}

}  // namespace kp::profile::ncu
