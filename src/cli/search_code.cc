// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/code_options.h"
#include "cli/command.h"

namespace kp::cli {
namespace {

constexpr std::size_t kShownSymbols = 6;

struct SearchCodeOptions {
  std::string query;
  std::vector<std::string> roots;
  int limit = 10;
  bool json = false;
};

std::string text_of(const codesearch::Hit& hit, const Terminal& terminal) {
  std::vector<std::string> symbols = hit.symbols;
  if (symbols.size() > kShownSymbols) {
    symbols.resize(kShownSymbols);
    symbols.emplace_back("...");
  }
  std::string text = fmt::format("{}:{}-{}  {}\n", terminal.bold(hit.path), hit.first_line,
                                 hit.last_line, terminal.dim(join(symbols, ", ")));
  int number = hit.excerpt_line;
  for (const std::string_view line : split_lines(hit.excerpt))
    text += fmt::format("{:6} {}\n", number++, line);
  return text;
}

Result<int> search(const SearchCodeOptions& options, Terminal& terminal) {
  KP_TRY(auto index, open_index(options.roots));
  KP_TRY(const auto hits, index.search(options.query, options.limit));
  if (options.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const codesearch::Hit& hit : hits) all.push_back(to_json(hit));
    terminal.print_json({{"query", options.query}, {"hits", std::move(all)}});
    return kDone;
  }
  for (const codesearch::Hit& hit : hits) terminal.print_verbatim(text_of(hit, terminal));
  if (hits.empty()) terminal.note("nothing has any of these words; try fewer or other words");
  return kDone;
}

}  // namespace

void add_search_code(CLI::App& app, Run& run) {
  auto options = std::make_shared<SearchCodeOptions>();
  CLI::App* command =
      app.add_subcommand("search-code", "Search a source tree, such as CUTLASS, in plain words");
  command->add_option("query", options->query, "words or names, in quotes")->required();
  add_code_roots(*command, options->roots);
  command->add_option("--limit", options->limit, "hits, the best first")
      ->check(CLI::Range(1, codesearch::kMostHits))
      ->capture_default_str();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro search-code 'tma load multicast' --code-root ~/cutlass\n"
      "  kernelpro search-code make_tma_copy --code-root ~/cutlass --limit 3 --json");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return search(*options, terminal); };
  });
}

}  // namespace kp::cli
