// SPDX-License-Identifier: Apache-2.0
#include "mcp/roots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace kp::mcp {
namespace {

using nlohmann::json;

std::optional<Path> resolved(const Path& path) {
  std::error_code error;
  Path found = std::filesystem::weakly_canonical(path, error);
  if (error) return std::nullopt;
  return found.has_filename() ? found : found.parent_path();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// RFC 3986, section 2.1; what is no escape stays as it is.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                        hex_digit(text[i + 2]) >= 0;
    if (!escape) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return plain;
}

std::optional<Path> folder_of(const json& root) {
  constexpr std::string_view kScheme = "file://";
  const json address = root.is_object() ? root.value("uri", json()) : json();
  if (!address.is_string()) return std::nullopt;
  const std::string text = address.get<std::string>();
  if (!text.starts_with(kScheme)) return std::nullopt;
  const Path path = unescaped(std::string_view(text).substr(kScheme.size()));
  return path.is_absolute() ? resolved(path) : std::nullopt;
}

bool within(const Path& path, const Path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

}  // namespace

Roots::Roots(std::vector<Path> folders) {
  for (const Path& folder : folders) {
    if (auto found = resolved(std::filesystem::absolute(folder))) folders_.push_back(*found);
  }
}

void Roots::expect() {
  const std::lock_guard lock(changing_);
  expecting_ = true;
}

void Roots::grant(const json& answer) {
  std::vector<Path> folders;
  const json roots = answer.is_object() ? answer.value("roots", json::array()) : json::array();
  if (roots.is_array()) {
    for (const json& root : roots) {
      if (auto folder = folder_of(root)) folders.push_back(*std::move(folder));
    }
  }
  const std::lock_guard lock(changing_);
  if (!folders.empty()) folders_ = std::move(folders);
  expecting_ = false;
  answered_.notify_all();
}

Result<Path> Roots::admit(const std::string& path, std::chrono::milliseconds patience) {
  std::unique_lock lock(changing_);
  answered_.wait_for(lock, patience, [this] { return !expecting_; });
  const Path base = folders_.empty() ? Path("/") : folders_.front();
  const auto found = resolved(base / path);
  for (const Path& folder : folders_) {
    if (found && within(*found, folder)) return *found;
  }
  std::vector<std::string> names;
  for (const Path& folder : folders_) names.push_back(folder.string());
  return fail(ErrorCode::kInvalidInput,
              fmt::format("{} is outside of the folders that may be used", path),
              fmt::format("they are: {}", fmt::join(names, ", ")));
}

}  // namespace kp::mcp
