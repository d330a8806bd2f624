// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "build/tokens.h"
#include "codesearch/outline.h"
#include "codesearch/words.h"

namespace kp::codesearch {
namespace {

using build::is_identifier;
using build::Token;
using build::Tokens;

// Words that parentheses follow and that name nothing of the file's own.
constexpr std::array<std::string_view, 20> kNotNames{
    "alignas",    "__align__", "__attribute__", "__launch_bounds__",
    "__declspec", "decltype",  "requires",      "noexcept",
    "explicit",   "sizeof",    "asm",           "static_assert",
    "if",         "for",       "while",         "switch",
    "return",     "defined",   "catch",         "CUTE_ALIGNAS"};
constexpr std::array<std::string_view, 4> kTypes{"struct", "class", "union", "enum"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The tokens between two of `;`, `{` and `}`.
class Statement {
 public:
  Statement(const Tokens& tokens, std::size_t begin, std::size_t end)
      : tokens_(tokens), begin_(begin), end_(end) {
    skip_labels_and_templates();
  }

  bool opens_namespace() const {
    for (std::size_t i = begin_; i < end_ && i < begin_ + 3; ++i) {
      if (text(i) == "namespace" || (text(i) == "extern" && i + 2 == end_)) return true;
    }
    return false;
  }

  /// The name after struct, class, union or enum: the last before bases, arguments or the end.
  const Token* type() const {
    std::size_t i = begin_;
    while (i < end_ && !is_one_of(kTypes, text(i))) {
      if (text(i) == "(" || text(i) == "=") return nullptr;
      ++i;
    }
    const Token* name = nullptr;
    for (; i < end_; ++i) {
      if (text(i) == ":" || text(i) == "<" || text(i) == "final" || text(i) == "=") break;
      if (text(i) == "(") {
        i = close_of(i, "(", ")");
      } else if (text(i) == "[") {
        i = close_of(i, "[", "]");
      } else if (is_identifier(text(i)) && !is_one_of(kTypes, text(i))) {
        name = &tokens_[i];
      }
    }
    return name;
  }

  /// The name before the first parentheses that hold parameters.
  const Token* function() const {
    for (std::size_t i = begin_; i + 1 < end_; ++i) {
      if (text(i) == "=" || text(i) == "operator") return nullptr;
      if (!is_identifier(text(i)) || text(i + 1) != "(") continue;
      if (is_one_of(kNotNames, text(i))) {
        i = close_of(i + 1, "(", ")");
      } else {
        return &tokens_[i];
      }
    }
    return nullptr;
  }

  const Token* alias() const {
    if (begin_ + 2 < end_ && text(begin_) == "using" && text(begin_ + 2) == "=")
      return &tokens_[begin_ + 1];
    const bool is_typedef = begin_ + 2 < end_ && text(begin_) == "typedef";
    return is_typedef && is_identifier(text(end_ - 1)) ? &tokens_[end_ - 1] : nullptr;
  }

  bool begins_with(const Token& token) const { return &tokens_[begin_] == &token; }

 private:
  std::string_view text(std::size_t i) const { return tokens_[i].text; }

  std::size_t close_of(std::size_t at, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (; at < end_; ++at) {
      if (text(at) == open) ++depth;
      if (text(at) == close && --depth == 0) return at;
    }
    return end_;
  }

  void skip_labels_and_templates() {
    for (;;) {
      if (begin_ + 1 < end_ && text(begin_ + 1) == ":" &&
          (text(begin_) == "public" || text(begin_) == "private" || text(begin_) == "protected")) {
        begin_ += 2;
      } else if (begin_ + 1 < end_ && text(begin_) == "template" && text(begin_ + 1) == "<") {
        begin_ = std::min(after_template(begin_ + 1), end_);
      } else {
        return;
      }
    }
  }

  /// Behind the `>` that closes; `<` and `>` inside parentheses are comparisons.
  std::size_t after_template(std::size_t at) const {
    int depth = 0;
    for (; at < end_; ++at) {
      if (text(at) == "(") at = close_of(at, "(", ")");
      if (at >= end_) return end_;
      if (text(at) == "<") ++depth;
      if (text(at) == ">" && --depth == 0) return at + 1;
    }
    return end_;
  }

  const Tokens& tokens_;
  std::size_t begin_, end_;
};

class Reader {
 public:
  explicit Reader(std::string_view source)
      : source_(source), stream_(build::tokenize(source)), tokens_(stream_.tokens) {}

  Outline read() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (begin_ == i) begin_statement(i);
      if (text == "{") {
        enter(open_scope(i));
        begin_ = i + 1;
      } else if (text == "}") {
        leave();
        begin_ = i + 1;
      } else if (text == ";") {
        if (declares()) close_declaration(i);
        begin_ = i + 1;
      }
    }
    add_macros();
    std::stable_sort(outline_.symbols.begin(), outline_.symbols.end(),
                     [](const Symbol& a, const Symbol& b) { return a.line < b.line; });
    return std::move(outline_);
  }

 private:
  enum class Scope { kNamespace, kType, kCode };

  bool declares() const { return scopes_.empty() || scopes_.back() != Scope::kCode; }

  void begin_statement(std::size_t i) {
    const std::size_t offset = tokens_[i].offset;
    const bool at_margin = offset == 0 || source_[offset - 1] == '\n';
    // Branches of #if may each open a brace that one place closes: nothing of a function's body
    // begins at the margin.
    const bool astray = !scopes_.empty() && scopes_.back() == Scope::kCode;
    if (at_margin && astray && is_identifier(tokens_[i].text)) scopes_.clear(), inner_ = 0;
    if (inner_ == 0 && is_identifier(tokens_[i].text)) outline_.starts.push_back(line_of(offset));
  }

  void enter(Scope scope) {
    scopes_.push_back(scope);
    inner_ += scope == Scope::kNamespace ? 0 : 1;
  }

  void leave() {
    if (scopes_.empty()) return;
    inner_ -= scopes_.back() == Scope::kNamespace ? 0 : 1;
    scopes_.pop_back();
  }

  Scope open_scope(std::size_t at) {
    if (!declares()) return Scope::kCode;
    const Statement statement(tokens_, begin_, at);
    if (statement.opens_namespace()) return Scope::kNamespace;
    if (const Token* type = statement.type()) {
      add(*type);
      return Scope::kType;
    }
    if (const Token* function = statement.function()) add(*function);
    return Scope::kCode;
  }

  void close_declaration(std::size_t at) {
    const Statement statement(tokens_, begin_, at);
    if (const Token* alias = statement.alias()) return add(*alias);
    const Token* function = statement.function();
    // Without a type in front it is the use of a macro.
    if (function != nullptr && statement.type() == nullptr && !statement.begins_with(*function))
      add(*function);
  }

  void add(const Token& token) {
    outline_.symbols.push_back({line_of(token.offset), std::string(token.text)});
  }

  void add_macros() {
    int number = 0;
    for (const std::string_view line : split_lines(source_)) {
      ++number;
      std::string_view code = trim(line);
      if (!code.starts_with('#')) continue;
      code = trim(code.substr(1));
      if (!starts_with_word(code, "define")) continue;
      const auto names = identifiers_of(code.substr(6));
      if (!names.empty()) outline_.symbols.push_back({number, std::string(names.front())});
    }
  }

  /// Offsets come almost in order: counted from the last one.
  int line_of(std::size_t offset) {
    if (offset < counted_) counted_ = 0, line_ = 1;
    const std::string_view between = source_.substr(counted_, offset - counted_);
    line_ += static_cast<int>(std::count(between.begin(), between.end(), '\n'));
    counted_ = offset;
    return line_;
  }

  std::string_view source_;
  build::TokenStream stream_;
  const Tokens& tokens_;
  std::size_t begin_ = 0;  // of the statement
  std::vector<Scope> scopes_;
  std::size_t inner_ = 0;  // scopes that are no namespaces
  std::size_t counted_ = 0;
  int line_ = 1;
  Outline outline_;
};

}  // namespace

Outline outline_of_cuda(std::string_view text) { return Reader(text).read(); }

}  // namespace kp::codesearch
