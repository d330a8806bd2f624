// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "report/wrap.h"

namespace kp::cli {
namespace {

/// At most `width` bytes, of which dots show that there was more.
std::string cut(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  std::size_t end = width - 3;
  const auto inside_character = [&] { return (static_cast<unsigned char>(text[end]) >> 6) == 2; };
  while (end > 0 && inside_character()) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

Terminal::Terminal() {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  interactive_ = isatty(STDERR_FILENO) && !dumb;
  read_by_people_ = isatty(STDOUT_FILENO);
  colours_ = read_by_people_ && !dumb && std::getenv("NO_COLOR") == nullptr;
}

void Terminal::print(std::string_view text) {
  if (!read_by_people_) return print_verbatim(text);
  print_verbatim(report::wrapped(text, static_cast<std::size_t>(columns())));
}

void Terminal::print_verbatim(std::string_view text) {
  clear_status();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void Terminal::print_json(const nlohmann::json& json) {
  print_verbatim(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Terminal::note(std::string_view text) {
  clear_status();
  fmt::print(stderr, "{}\n", text);
}

void Terminal::status(std::string_view text) {
  if (!interactive_) return;
  // The last column stays free: some terminals wrap when it is written.
  fmt::print(stderr, "\r\x1b[K{}", cut(text, static_cast<std::size_t>(std::max(columns(), 8) - 1)));
  std::fflush(stderr);
  status_shown_ = true;
}

void Terminal::clear_status() {
  if (!status_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  status_shown_ = false;
}

void Terminal::error(const Error& error) { note("kernelpro: " + error.text()); }

std::string Terminal::bold(std::string_view text) const { return styled(text, "1"); }
std::string Terminal::green(std::string_view text) const { return styled(text, "32"); }
std::string Terminal::dim(std::string_view text) const { return styled(text, "2"); }

std::string Terminal::styled(std::string_view text, std::string_view code) const {
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

int Terminal::columns() const {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace kp::cli
