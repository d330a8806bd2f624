// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "propose/llm/model_tools.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr int kMostHits = 8;
constexpr std::size_t kMostExcerpt = 700;  // bytes of one hit
constexpr int kMostLines = 300;            // of one reading
constexpr std::size_t kMostText = 24'000;  // bytes of one reading

class SearchCode final : public ModelTool {
 public:
  explicit SearchCode(CodeSource& source) : source_(source) {}
  llm::Tool about() const override {
    return {"search_code",
            "Searches the source trees at hand (headers, examples) by words and symbols.",
            {{"type", "object"},
             {"properties", {{"query", {{"type", "string"}}}}},
             {"required", {"query"}}}};
  }
  Result<std::string> call(const nlohmann::json& arguments) override {
    KP_TRY(const std::string query, text_argument(arguments, "query"));
    KP_TRY(const auto hits, source_.search(query, kMostHits));
    std::string text;
    for (const CodeHit& hit : hits) {
      text += fmt::format("{}:{}\n{}\n", hit.path, hit.line, quoted(hit.excerpt, kMostExcerpt));
    }
    return text.empty() ? "nothing found" : text;
  }

 private:
  CodeSource& source_;
};

class ReadCode final : public ModelTool {
 public:
  ReadCode(CodeSource& source, std::vector<std::string>& sources)
      : source_(source), sources_(sources) {}
  llm::Tool about() const override {
    return {"read_code",
            fmt::format("Reads at most {} lines of a file that search_code named.", kMostLines),
            {{"type", "object"},
             {"properties",
              {{"path", {{"type", "string"}}},
               {"first", {{"type", "integer"}, {"description", "line, from 1"}}},
               {"last", {{"type", "integer"}}}}},
             {"required", {"path"}}}};
  }
  Result<std::string> call(const nlohmann::json& arguments) override {
    KP_TRY(const std::string path, text_argument(arguments, "path"));
    const int first = line(arguments, "first", 1);
    const int last = line(arguments, "last", first + kMostLines - 1);
    KP_TRY(const std::string text,
           source_.read(path, first, std::min(last, first + kMostLines - 1)));
    if (std::find(sources_.begin(), sources_.end(), path) == sources_.end()) {
      sources_.push_back(path);
    }
    return fmt::format("{} from line {}\n{}", path, first, quoted(text, kMostText));
  }

 private:
  static int line(const nlohmann::json& arguments, const char* name, int otherwise) {
    const auto found = arguments.find(name);
    if (found == arguments.end() || !found->is_number_integer()) return otherwise;
    return static_cast<int>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 1, 100'000'000));
  }
  CodeSource& source_;
  std::vector<std::string>& sources_;
};

}  // namespace

ModelTools make_code_tools(CodeSource& source, std::vector<std::string>& sources) {
  ModelTools tools;
  tools.push_back(std::make_unique<SearchCode>(source));
  tools.push_back(std::make_unique<ReadCode>(source, sources));
  return tools;
}

}  // namespace kp::propose
