// SPDX-License-Identifier: Apache-2.0
#include "build/tokens.h"

#include <algorithm>
#include <cctype>

namespace kp::build {
namespace {

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  TokenStream scan() {
    bool line_start = true;
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '\n') {
        line_start = true;
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
      } else if (skip_comment()) {
      } else if (c == '#' && line_start) {
        read_directive();
      } else {
        line_start = false;
        stream_.tokens.push_back(next());
      }
    }
    return std::move(stream_);
  }

 private:
  bool skip_comment() {
    const std::string_view rest = source_.substr(at_);
    if (rest.starts_with("//")) {
      at_ = std::min(source_.find('\n', at_), source_.size());
      return true;
    }
    if (!rest.starts_with("/*")) return false;
    const std::size_t close = source_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? source_.size() : close + 2;
    return true;
  }

  Token next() {
    const std::size_t begin = at_;
    const char c = source_[at_];
    if (c == '"' || c == '\'') {
      skip_literal(c);
    } else if (continues_identifier(c)) {
      while (at_ < source_.size() && continues_identifier(source_[at_])) ++at_;
    } else {
      ++at_;
    }
    return {source_.substr(begin, at_ - begin), begin};
  }

  void skip_literal(char quote) {
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, source_.size());
  }

  /// One directive up to its end of line; of `#define NAME tokens` the tokens are kept.
  void read_directive() {
    Tokens line;
    for (++at_; at_ < source_.size() && source_[at_] != '\n';) {
      if (source_[at_] == '\\') {
        at_ = std::min(at_ + 2, source_.size());  // a continued line
      } else if (std::isspace(static_cast<unsigned char>(source_[at_]))) {
        ++at_;
      } else if (!skip_comment()) {
        line.push_back(next());
      }
    }
    if (line.size() < 2 || line[0].text != "define" || !is_identifier(line[1].text)) return;
    const bool takes_arguments = line.size() > 2 && line[2].text == "(" &&
                                 line[2].offset == line[1].offset + line[1].text.size();
    if (!takes_arguments) stream_.macros[line[1].text] = Tokens(line.begin() + 2, line.end());
  }

  std::string_view source_;
  std::size_t at_ = 0;
  TokenStream stream_;
};

/// Index of the next `;`, or the end when a brace comes first: a definition, not an alias.
std::size_t statement_end(const Tokens& tokens, std::size_t from) {
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens[i].text == ";") return i;
    if (tokens[i].text == "{" || tokens[i].text == "}") break;
  }
  return tokens.size();
}

void find_aliases(TokenStream& stream) {
  const Tokens& tokens = stream.tokens;
  using Offset = Tokens::difference_type;
  const auto slice = [&](std::size_t begin, std::size_t end) {
    return Tokens(tokens.begin() + static_cast<Offset>(begin),
                  tokens.begin() + static_cast<Offset>(end));
  };
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool is_typedef = tokens[i].text == "typedef";
    if (!is_typedef && tokens[i].text != "using") continue;
    const std::size_t end = statement_end(tokens, i);
    if (end == tokens.size()) continue;
    if (is_typedef && end > i + 2 && is_identifier(tokens[end - 1].text)) {
      stream.aliases[tokens[end - 1].text] = slice(i + 1, end - 1);
    } else if (!is_typedef && tokens[i + 2].text == "=" && end > i + 3) {
      stream.aliases[tokens[i + 1].text] = slice(i + 3, end);
    }
  }
}

}  // namespace

bool is_identifier(std::string_view token) {
  return !token.empty() && starts_identifier(token.front());
}

TokenStream tokenize(std::string_view source) {
  TokenStream stream = Scanner(source).scan();
  find_aliases(stream);
  return stream;
}

SourceSpot spot_of(std::string_view source, std::size_t offset, const std::string& file) {
  const std::string_view before = source.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(offset - line_start) + 1};
}

}  // namespace kp::build
