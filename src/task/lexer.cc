// SPDX-License-Identifier: Apache-2.0
#include "task/lexer.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <optional>

#include "base/text.h"

namespace kp::task {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::string_view, 31> kSymbols{
    "<<<", ">>>", "<=", ">=", "==", "!=", "&&", "||", "**", "//", "<", ">", "=", "!", "+", "-",
    "*",   "/",   "%",  "(",  ")",  "[",  "]",  ",",  ":",  "~",  "{", "}", ";", ".", "&"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

constexpr std::size_t kLongestName = 128;

class Lexer {
 public:
  explicit Lexer(const LexInput& input)
      : input_(input), at_(input.span.begin), starred_(has_stars()) {}

  Result<std::vector<Token>> run() {
    if (starred_) skip_star();
    while (true) {
      skip_blanks();
      if (at_ >= input_.span.end) break;
      if (here() == '\n') {
        newline();
      } else {
        KP_TRY_VOID(token());
      }
    }
    tokens_.push_back({Kind::kEnd, {}, 0, 0, input_.span.end});
    return std::move(tokens_);
  }

 private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < input_.span.end ? input_.source[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return input_.source.substr(at_, input_.span.end - at_); }

  /// Whether every line after the first starts with `*`, as in decorated comments.
  bool has_stars() const {
    if (input_.dialect != Dialect::kPlan) return false;
    const std::vector<std::string_view> lines = split_lines(rest());
    bool any = false;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::string_view line = trim(lines[i]);
      if (line.empty()) continue;
      if (!line.starts_with('*')) return false;
      any = true;
    }
    return any;
  }

  void skip_star() {
    std::size_t ahead = 0;
    while (here(ahead) == ' ' || here(ahead) == '\t') ++ahead;
    if (here(ahead) == '*') at_ += ahead + 1;
  }

  void skip_blanks() {
    while (at_ < input_.span.end) {
      const char c = here();
      if (input_.dialect == Dialect::kPlan && c == '/' && here(1) == '/') {
        while (at_ < input_.span.end && here() != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' ||
                 (c == '\n' && input_.dialect == Dialect::kPython)) {
        ++at_;
      } else {
        return;
      }
    }
  }

  void newline() {
    const bool inside = depth_ > 0 || (!tokens_.empty() && tokens_.back().is(","));
    if (!inside && !tokens_.empty() && tokens_.back().kind != Kind::kNewline) {
      tokens_.push_back({Kind::kNewline, "end of line", 0, 0, at_});
    }
    ++at_;
    if (starred_) skip_star();
  }

  Result<void> token() {
    if (is_letter(here())) {
      std::size_t size = 1;
      while (is_word(here(size))) ++size;
      if (size > kLongestName) {
        return fail_at(input_.map.spot(at_), fmt::format("a name has {} characters", size),
                       fmt::format("use at most {}", kLongestName));
      }
      push(Kind::kName, size);
      return {};
    }
    if (is_digit(here()) || (here() == '.' && is_digit(here(1)))) return number();
    for (const std::string_view symbol : kSymbols) {
      if (!rest().starts_with(symbol)) continue;
      push(Kind::kSymbol, symbol.size());
      track(symbol);
      return {};
    }
    return fail_at(input_.map.spot(at_), fmt::format("unexpected character {}", printable(here())),
                   "a plan is plain ASCII; docs/candidate.md has its grammar");
  }

  static std::string printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isprint(byte) ? fmt::format("`{}`", c) : fmt::format("with code 0x{:02x}", byte);
  }

  void push(Kind kind, std::size_t size) {
    tokens_.push_back({kind, input_.source.substr(at_, size), 0, 0, at_});
    at_ += size;
  }

  /// Brackets that are open let a statement go on over the end of a line.
  void track(std::string_view symbol) {
    if (symbol == "(" || symbol == "[" || symbol == "<<<") ++depth_;
    if ((symbol == ")" || symbol == "]" || symbol == ">>>") && depth_ > 0) --depth_;
  }

  std::size_t number_size() const {
    std::size_t size = 0;
    const bool hex = here() == '0' && (here(1) == 'x' || here(1) == 'X');
    while (is_word(here(size)) || here(size) == '.') {
      const char c = here(size);
      ++size;
      const bool exponent = !hex && (c == 'e' || c == 'E');
      if (exponent && (here(size) == '-' || here(size) == '+') && is_digit(here(size + 1))) ++size;
    }
    return size;
  }

  Result<void> number() {
    push(Kind::kWord, number_size());
    Token& token = tokens_.back();
    if (token.text.find_first_not_of("0123456789") == std::string_view::npos) {
      return integer(token, token.text, 10);
    }
    if (token.text.starts_with("0x") || token.text.starts_with("0X")) {
      return integer(token, token.text.substr(2), 16);
    }
    std::string_view digits = token.text;
    const bool looks_real = digits.find_first_of(".eE") != std::string_view::npos;
    if (looks_real && (digits.ends_with('f') || digits.ends_with('F'))) digits.remove_suffix(1);
    const std::optional<double> value = looks_real ? parse_real(digits) : std::nullopt;
    if (value) {
      token.kind = Kind::kReal;
      token.real = *value;
    }
    return {};
  }

  Result<void> integer(Token& token, std::string_view digits, int radix) {
    std::int64_t value = 0;
    for (const char c : digits) {
      if (!std::isxdigit(static_cast<unsigned char>(c))) return {};  // stays a kWord
      const int digit =
          is_digit(c) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
      if (__builtin_mul_overflow(value, std::int64_t{radix}, &value) ||
          __builtin_add_overflow(value, std::int64_t{digit}, &value)) {
        return fail_at(input_.map.spot(token.offset),
                       fmt::format("integer `{}` does not fit 64 bits", token.text));
      }
    }
    if (digits.empty()) return {};
    token.kind = Kind::kInteger;
    token.integer = value;
    return {};
  }

  const LexInput& input_;
  std::size_t at_;
  bool starred_;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const LexInput& input) { return Lexer(input).run(); }

}  // namespace kp::task
