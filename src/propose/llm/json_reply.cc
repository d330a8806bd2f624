// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/json_reply.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "model/json.h"
#include "propose/llm/fences.h"

namespace kp::propose {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 4;
constexpr std::array kCodeKeys{"source",  "code",         "kernel", "cuda",
                               "content", "file_content", "diff",   "patch"};
constexpr std::array kListKeys{"candidates", "proposals", "kernels", "versions", "files", "answer"};
constexpr std::array kIdeaKeys{"idea", "description", "explanation", "reasoning", "rationale"};
constexpr std::array kActionKeys{"follows", "action"};
constexpr std::array kNameKeys{"name", "file", "path", "filename"};

std::string first_text(const Json& object, const auto& keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_string()) return found->get<std::string>();
  }
  return "";
}

/// Strings may hold a fence again.
Piece code_piece(const std::string& code, const std::string& name) {
  const Fences fences = read_fences(code);
  const std::string& text = fences.blocks.empty() ? code : fences.blocks.front().text;
  Piece piece{.kind = kind_of(text, "", name), .name = name, .text = text};
  if (!piece.text.ends_with('\n')) piece.text += '\n';
  if (piece.kind == PieceKind::kPlan) piece.text = plan_comment(text);
  return piece;
}

Bindings tune_of(const Json& object) {
  Bindings tune;
  const auto found = object.find("tune");
  if (found == object.end() || !found->is_object()) return tune;
  for (const auto& [name, value] : found->items()) {
    if (value.is_number_integer()) tune[name] = value.get<std::int64_t>();
  }
  return tune;
}

class Collector {
 public:
  void collect(const Json& json, int depth) {
    if (depth > kDeepest) return;
    if (json.is_array()) {
      for (const Json& entry : json) collect(entry, depth + 1);
    } else if (json.is_object()) {
      collect_object(json, depth);
    }
  }
  std::vector<Piece> take() { return std::move(pieces_); }

 private:
  void collect_object(const Json& object, int depth) {
    const std::string code = first_text(object, kCodeKeys);
    const std::string plan = first_text(object, std::array{"plan"});
    if (!code.empty()) add(object, code);
    if (!plan.empty()) pieces_.push_back({.kind = PieceKind::kPlan, .text = plan_comment(plan)});
    for (const char* key : kListKeys) {
      const auto list = object.find(key);
      if (list == object.end()) continue;
      add_named_files(*list);
      collect(*list, depth + 1);
    }
  }

  void add(const Json& object, const std::string& code) {
    Piece piece = code_piece(code, file_name_in(first_text(object, kNameKeys)));
    piece.idea = first_text(object, kIdeaKeys);
    piece.follows = first_text(object, kActionKeys);
    piece.tune = tune_of(object);
    pieces_.push_back(std::move(piece));
  }

  /// {"kernel.cu": "..."}
  void add_named_files(const Json& files) {
    if (!files.is_object()) return;
    for (const auto& [name, code] : files.items()) {
      const std::string file = file_name_in(name);
      if (code.is_string() && !file.empty()) {
        pieces_.push_back(code_piece(code.get<std::string>(), file));
      }
    }
  }

  std::vector<Piece> pieces_;
};

/// Line ends and tabs inside of strings escaped, which many models forget.
std::string mended(std::string_view text) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && c == '\\' && i + 1 < text.size()) {
      (out += c) += text[++i];
    } else if (inside && (c == '\n' || c == '\t')) {
      out += c == '\n' ? "\\n" : "\\t";
    } else {
      if (c == '"') inside = !inside;
      out += c;
    }
  }
  return out;
}

std::optional<Json> parsed(std::string_view text) {
  if (auto json = parse_json(text)) return *std::move(json);
  if (auto json = parse_json(mended(text))) return *std::move(json);
  return std::nullopt;
}

bool has_code(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    if (piece.kind == PieceKind::kKernels || piece.kind == PieceKind::kDiff) return true;
  }
  return false;
}

}  // namespace

std::vector<Piece> read_json_reply(std::string_view text) {
  const std::string_view body = trim(text);
  if (body.empty() || (body[0] != '{' && body[0] != '[')) return {};
  const auto json = parsed(body);
  if (!json) return {};
  Collector collector;
  collector.collect(*json, 0);
  auto pieces = collector.take();
  return has_code(pieces) ? pieces : std::vector<Piece>{};
}

}  // namespace kp::propose
