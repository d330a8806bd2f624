// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "profile/ncu.h"
#include "profile/ncu_pages.h"

namespace kp::profile {
namespace {

using namespace ncu;  // NOLINT

// Files are read whole; this is what a machine can hold beside everything else.
constexpr std::uint64_t kLargestFile = 8ull << 30;  // bytes

/// Launches of one kernel with one grid and block.
struct LaunchGroup {
  std::vector<std::size_t> launches;
  double total = 0;  // ns, of the launches that have a duration
};

std::vector<LaunchGroup> group(const std::vector<Launch>& launches) {
  std::vector<LaunchGroup> groups;
  std::unordered_map<std::string, std::size_t> known;
  std::string key;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Launch& launch = launches[i];
    key.assign(launch.kernel)
        .append(1, '\n')
        .append(launch.grid)
        .append(1, '\n')
        .append(launch.block);
    const auto [at, fresh] = known.emplace(key, groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].launches.push_back(i);
    groups[at->second].total += launch.duration.value_or(0);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const LaunchGroup& a, const LaunchGroup& b) { return a.total > b.total; });
  return groups;
}

/// The launch of median duration; the middle one when no duration is known.
const Launch& median(const std::vector<Launch>& launches, LaunchGroup group) {
  const auto middle = group.launches.begin() + static_cast<long>((group.launches.size() - 1) / 2);
  std::nth_element(group.launches.begin(), middle, group.launches.end(),
                   [&](std::size_t a, std::size_t b) {
                     return std::pair(launches[a].duration.value_or(0), a) <
                            std::pair(launches[b].duration.value_or(0), b);
                   });
  return launches[*middle];
}

/// Kernels that were launched with several shapes get theirs into the name.
void tell_apart(std::vector<RecordedKernel>& kernels, const std::vector<std::string>& shapes) {
  std::map<std::string, int> uses;
  for (const RecordedKernel& kernel : kernels) ++uses[kernel.name];
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (uses[kernels[i].name] > 1) kernels[i].name += shapes[i];
  }
}

void add_kernels(std::string_view text, const Scan& scan, Recording& recording) {
  const std::vector<LaunchGroup> groups = group(scan.launches);
  double total = 0;
  for (const LaunchGroup& one : groups) total += one.total;
  std::vector<std::string> shapes;
  for (const LaunchGroup& one : groups) {
    const Launch& chosen = median(scan.launches, one);
    const Table& table = scan.tables[chosen.table];
    RecordedKernel kernel{
        unquoted(chosen.kernel), static_cast<std::int64_t>(one.launches.size()), one.total, {}};
    kernel.profile.kernel = short_name(kernel.name);
    kernel.profile.launch = static_cast<int>(one.launches.front());
    kernel.profile.metrics = metrics_of(text, table, chosen);
    if (total > 0) kernel.profile.share = one.total / total;
    std::vector<RuleMessage> rules = rules_of(text, table, chosen);
    std::move(rules.begin(), rules.end(), std::back_inserter(recording.rules));
    shapes.push_back(fmt::format(" grid {} block {}", chosen.grid, chosen.block));
    recording.kernels.push_back(std::move(kernel));
  }
  tell_apart(recording.kernels, shapes);
  if (total <= 0)
    recording.notes.push_back(
        fmt::format("{} was not recorded: shares of time are "
                    "unknown",
                    metric::kDuration.name));
}

std::string architecture_of(std::string_view capability) {
  std::string digits;
  for (const char c : capability) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits.size() < 2 ? "" : "sm_" + digits;
}

tl::unexpected<Error> nothing_recorded(const Scan& scan, const std::string& file) {
  Error error{ErrorCode::kInvalidInput,
              "this holds no table of Nsight Compute",
              "record with `ncu --set full --csv --page raw --log-file FILE.csv ./app`",
              {file, 0, 0},
              {}};
  if (auto failure = scan.messages.failure()) {
    error = *std::move(failure);
    error.spot = {file, 0, 0};
  } else if (!scan.tables.empty()) {
    error.message = "the table of Nsight Compute holds no launches";
  } else if (scan.messages.plain_text()) {
    error.message = "this is Nsight Compute's text for people, not its CSV";
    error.hint = "record again with --csv --page raw, or keep the report with -o and name it";
  }
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

std::string short_name(std::string_view demangled) {
  std::string_view name = demangled;
  int depth = 0;
  // The parameters: from the last bracket to the one that opens it.
  if (const std::size_t close = name.rfind(')'); close != std::string_view::npos) {
    for (std::size_t i = close + 1; i-- > 0;) {
      if (name[i] == ')') ++depth;
      if (name[i] == '(' && --depth == 0) {
        if (i > 0) name = name.substr(0, i);
        break;
      }
    }
  }
  // The return type: up to the last blank outside of brackets.
  depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  name = name.substr(begin);
  return std::string(name.empty() ? demangled : name);
}

Result<Recording> parse_ncu_csv(std::string_view text, const std::string& file) {
  KP_TRY(const Scan found, scan(text, file));
  if (found.launches.empty()) return nothing_recorded(found, file);
  Recording recording{.source = "ncu"};
  recording.architecture = architecture_of(found.capability);
  recording.device = !found.device.empty()       ? found.device
                     : !found.capability.empty() ? "CC " + found.capability
                                                 : "";
  recording.notes = found.notes;
  const auto& said = found.messages.notes();
  recording.notes.insert(recording.notes.end(), said.begin(), said.end());
  add_kernels(text, found, recording);
  return recording;
}

Result<Recording> read_ncu_csv(const Path& file) {
  KP_TRY(const std::string text, read_file(file, kLargestFile));
  return parse_ncu_csv(text, file.string());
}

}  // namespace kp::profile
