// SPDX-License-Identifier: Apache-2.0
#include "llm/keys.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/text.h"
#include "model/toml_text.h"

namespace kp::llm {
namespace {

constexpr std::size_t kLargestKeyFile = 64 << 10;  // bytes
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

Path usual_file() {
  if (const char* folder = variable("XDG_CONFIG_HOME")) return Path(folder) / "kernelpro/keys.toml";
  if (const char* home = variable("HOME")) return Path(home) / ".config/kernelpro/keys.toml";
  return {};
}

tl::unexpected<Error> unsafe(const Path& file, const std::string& why, std::string hint) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the keys in {} are not used: {}", file.string(), why), std::move(hint));
}

Result<void> require_private(const Path& file, int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return unsafe(file, "it is no file", "write the keys into a plain file");
  }
  if (status.st_uid != ::geteuid()) {
    return unsafe(file, "it belongs to another user", "write a file of your own");
  }
  if ((status.st_mode & kOthers) != 0) {
    return unsafe(file, "other users may read or write it",
                  fmt::format("chmod 600 {}", file.string()));
  }
  return {};
}

Result<std::string> read_private(const Path& file, int descriptor) {
  KP_TRY_VOID(require_private(file, descriptor));
  std::string text(kLargestKeyFile, '\0');
  const ssize_t count = ::read(descriptor, text.data(), text.size());
  if (count < 0) {
    return fail(ErrorCode::kIo,
                fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  }
  text.resize(static_cast<std::size_t>(count));
  return text;
}

/// Absent when there is no such file and nobody asked for it.
Result<std::optional<toml::table>> read_keys() {
  const char* asked = variable("KERNELPRO_KEYS");
  const Path file = asked != nullptr ? Path(asked) : usual_file();
  if (file.empty()) return std::nullopt;
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.open() && asked == nullptr && errno == ENOENT) return std::nullopt;
  if (!descriptor.open()) {
    return fail(ErrorCode::kIo,
                fmt::format("cannot read the keys in {}: {}", file.string(), std::strerror(errno)),
                "check the path, or unset KERNELPRO_KEYS");
  }
  KP_TRY(const std::string text, read_private(file, descriptor.number()));
  auto table = parse_toml(text, file.string());
  if (table) return *std::move(table);
  // What the parser quotes could be a piece of a key.
  return fail_at(table.error().spot, "not valid TOML", "write lines like openai = \"...\"");
}

Result<std::optional<Secret>> entry_of(const toml::table* table, const char* name) {
  const toml::node* node = table == nullptr ? nullptr : table->get(name);
  if (node == nullptr) return std::nullopt;
  const auto origin = fmt::format("the entry `{}` of the file of keys", name);
  KP_TRY(Secret key, Secret::make(node->value_or(std::string()), origin));
  return key;
}

Result<std::optional<Secret>> key_for(const KeyName& name, const Endpoint& endpoint) {
  KP_TRY(const auto file, read_keys());
  const toml::table* table = file ? &*file : nullptr;
  const toml::node* hosts = table == nullptr ? nullptr : table->get("hosts");
  KP_TRY(auto own, entry_of(hosts == nullptr ? nullptr : hosts->as_table(), endpoint.host.c_str()));
  if (own) return own;
  if (const char* value = std::getenv(name.variable)) {
    const std::string_view text = trim(value);
    if (text.empty()) return std::nullopt;
    KP_TRY(Secret key, Secret::make(std::string(text), name.variable));
    return key;
  }
  return entry_of(table, name.entry);
}

}  // namespace

Result<Secret> find_key(const KeyName& name, const Endpoint& endpoint) {
  KP_TRY(const auto key, key_for(name, endpoint));
  if (key && !endpoint.encrypted && !endpoint.loopback) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the key would travel unencrypted to {}", endpoint.host),
                fmt::format("use https, or a tunnel (ssh -L) and 127.0.0.1; for a server that "
                            "needs no key, set {}= to nothing",
                            name.variable));
  }
  if (key) return *key;
  if (endpoint.loopback || !endpoint.encrypted) return Secret();
  return fail(ErrorCode::kInvalidInput, fmt::format("there is no key for {}", endpoint.host),
              fmt::format("set {}, or write `{} = \"...\"` into ~/.config/kernelpro/keys.toml and "
                          "chmod 600 it",
                          name.variable, name.entry));
}

}  // namespace kp::llm
