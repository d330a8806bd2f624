// SPDX-License-Identifier: Apache-2.0
#include "task/problem_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace kp::task {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefinitions = "definitions";
constexpr std::size_t kMostNamed = 3;       // definitions in a message
constexpr std::size_t kMostFiles = 20'000;  // of a data set that are looked at

bool is_file(const Path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

bool is_folder(const Path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

Result<void> require(const Path& path, std::string hint) {
  if (is_file(path)) return {};
  return fail(ErrorCode::kNotFound, fmt::format("{} does not exist", path.string()),
              std::move(hint));
}

/// All files below `folder` with that extension, sorted.
std::vector<Path> files_below(const Path& folder, std::string_view extension) {
  std::vector<Path> found;
  std::error_code code;
  std::size_t seen = 0;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    if (++seen > kMostFiles) break;
    if (at->path().extension() == extension && is_file(at->path())) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Problems may lie deep in a checkout whose data lie beside them.
std::vector<Path> upwards(const Path& folder) {
  std::vector<Path> roots;
  std::error_code code;
  Path at = fs::absolute(folder, code).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();
  for (; !at.empty(); at = at.parent_path()) {
    roots.push_back(at);
    if (at == at.root_path()) break;
  }
  return roots;
}

/// The root of the data set that `definition` belongs to.
std::optional<Path> dataset_of(const Path& definition) {
  std::error_code code;
  const Path absolute = fs::absolute(definition, code).lexically_normal();
  for (Path at = absolute.parent_path(); at != at.root_path() && !at.empty();
       at = at.parent_path()) {
    if (at.filename() == kDefinitions && is_folder(at.parent_path() / "workloads"))
      return at.parent_path();
  }
  return {};
}

void add_companions(ProblemFiles& files) {
  const Path stem = files.definition.parent_path() / files.definition.stem();
  files.reference = stem.string() + ".reference.cc";
  files.device_reference = stem.string() + ".reference.cu";
  files.baseline = stem.string() + ".baseline.cu";
}

/// workloads/OP/NAME.jsonl, as data sets have them; else the file of that name in another folder.
Result<Path> workloads_in(const Path& root, const Path& definition) {
  std::error_code code;
  const Path inside =
      fs::relative(fs::absolute(definition, code), root / kDefinitions, code).lexically_normal();
  Path usual = root / "workloads" / inside;
  usual.replace_extension(".jsonl");
  if (is_file(usual)) return usual;
  for (const Path& other : files_below(root / "workloads", ".jsonl"))
    if (other.stem() == definition.stem()) return other;
  return fail(ErrorCode::kNotFound, fmt::format("{} does not exist", usual.string()),
              "a data set has the workloads of definitions/OP/NAME.json there");
}

Result<ProblemFiles> only_definition(const Path& root) {
  const std::vector<Path> definitions = files_below(root / kDefinitions, ".json");
  if (definitions.size() == 1) return files_of(definitions.front());
  if (definitions.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("the data set {} has no definition", root.string()),
                "definitions/OP/NAME.json is where they belong");
  }
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(kMostNamed, definitions.size()); ++i)
    some.push_back(definitions[i].string());
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the data set {} has {} definitions", root.string(), definitions.size()),
              fmt::format("name one of them: {}{}", join(some, ", "),
                          definitions.size() > kMostNamed ? ", ..." : ""));
}

Result<ProblemFiles> plain_folder(const Path& folder) {
  ProblemFiles files{.path = folder,
                     .definition = folder / "definition.json",
                     .workloads = folder / "workload.jsonl",
                     .reference = folder / "reference.cc",
                     .device_reference = folder / "reference.cu",
                     .baseline = folder / "baseline.cu",
                     .roots = upwards(folder)};
  KP_TRY_VOID(require(files.definition,
                      "a task folder has definition.json and workload.jsonl; see docs/task.md"));
  KP_TRY_VOID(
      require(files.workloads,
              "each line gives the axes one value: {\"uuid\": \"a\", \"axes\": {\"n\": 67}}"));
  return files;
}

}  // namespace

Result<ProblemFiles> files_in(const Path& folder) {
  const bool dataset = !is_file(folder / "definition.json") && is_folder(folder / kDefinitions);
  return dataset ? only_definition(folder) : plain_folder(folder);
}

Result<ProblemFiles> files_of(const Path& definition) {
  const auto root = dataset_of(definition);
  if (!root && definition.filename() == "definition.json") {
    const Path folder = definition.parent_path();
    return plain_folder(folder.empty() ? Path(".") : folder);
  }
  ProblemFiles files{.path = definition, .definition = definition};
  files.single = true;
  add_companions(files);
  if (root) {
    files.roots = {*root};
    KP_TRY(files.workloads, workloads_in(*root, definition));
    return files;
  }
  files.roots = upwards(definition.parent_path());
  files.workloads = definition;
  files.workloads.replace_extension(".jsonl");
  KP_TRY_VOID(require(files.workloads,
                      "a definition stands in a data set, beside a file of workloads of its "
                      "name, or in a folder as definition.json"));
  return files;
}

}  // namespace kp::task
