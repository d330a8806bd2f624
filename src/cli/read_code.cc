// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/code_options.h"
#include "cli/command.h"

namespace kp::cli {
namespace {

constexpr long long kMostLines = 100'000'000;

struct ReadCodeOptions {
  std::string path, lines = "1:100";
  std::vector<std::string> roots;
  bool json = false;
};

struct Range {
  int first = 0, last = 0;
};

/// `A:B`, or `A` for one line.
Result<Range> read_range(const std::string& text) {
  const std::string_view all = text;
  const auto colon = all.find(':');
  const auto first = parse_integer(all.substr(0, colon));
  const auto last = colon == all.npos ? first : parse_integer(all.substr(colon + 1));
  if (first && last && *first >= 1 && *first <= *last && *last <= kMostLines)
    return Range{static_cast<int>(*first), static_cast<int>(*last)};
  return fail(ErrorCode::kInvalidInput, "--lines " + text + " is no range of lines",
              "write the first and the last, such as --lines 40:90");
}

Result<int> read(const ReadCodeOptions& options, Terminal& terminal) {
  KP_TRY(const Range range, read_range(options.lines));
  KP_TRY(auto index, open_index(options.roots));
  KP_TRY(const auto passage, index.read(options.path, range.first, range.last));
  if (options.json) {
    terminal.print_json(to_json(passage));
  } else {
    // The terminal ends the last line itself.
    terminal.print_verbatim(passage.text.substr(0, passage.text.size() - 1));
  }
  return kDone;
}

}  // namespace

void add_read_code(CLI::App& app, Run& run) {
  auto options = std::make_shared<ReadCodeOptions>();
  CLI::App* command = app.add_subcommand("read-code", "Lines of a file that search-code found");
  command->add_option("path", options->path, "as search-code prints it, relative to the root")
      ->required();
  add_code_roots(*command, options->roots);
  command->add_option("--lines", options->lines, "first and last, A:B; at most 400 lines")
      ->capture_default_str();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Example:\n"
      "  kernelpro read-code include/cute/arch/copy_sm90_tma.hpp --lines 40:90 --code-root "
      "~/cutlass");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return read(*options, terminal); };
  });
}

}  // namespace kp::cli
