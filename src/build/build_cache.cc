// SPDX-License-Identifier: Apache-2.0
#include "build/build_cache.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace kp::build {
namespace {

constexpr std::size_t kHashDigits = 32;
constexpr std::uint64_t kLargestEntry = 256ull << 20;

std::string encode(const Compiled& compiled) {
  const nlohmann::json fields{
      {"ok", compiled.ok},
      {"compiler", compiled.compiler},
      {"log", nlohmann::json::binary({compiled.log.begin(), compiled.log.end()})},
      {"ptx", nlohmann::json::binary({compiled.ptx.begin(), compiled.ptx.end()})},
      {"cubin", nlohmann::json::binary({compiled.cubin.begin(), compiled.cubin.end()})}};
  std::string payload;
  nlohmann::json::to_cbor(fields, payload);
  return to_hex(hash_text(payload)) + payload;
}

std::string bytes_of(const nlohmann::json& value) {
  const auto& binary = value.get_binary();
  return {binary.begin(), binary.end()};
}

std::optional<Compiled> decode(std::string_view entry) {
  if (entry.size() < kHashDigits) return {};
  const std::string_view payload = entry.substr(kHashDigits);
  if (to_hex(hash_text(payload)) != entry.substr(0, kHashDigits)) return {};
  const auto fields = nlohmann::json::from_cbor(payload, true, false);
  try {
    return Compiled{.ok = fields.at("ok").get<bool>(),
                    .compiler = fields.at("compiler").get<std::string>(),
                    .log = bytes_of(fields.at("log")),
                    .ptx = bytes_of(fields.at("ptx")),
                    .cubin = bytes_of(fields.at("cubin"))};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

Path BuildCache::path_of(const std::string& address) const {
  return folder_ / address.substr(0, 2) / address;
}

std::optional<Compiled> BuildCache::find(const std::string& address) const {
  const auto entry = read_file(path_of(address), kLargestEntry);
  return entry ? decode(*entry) : std::nullopt;
}

Result<void> BuildCache::store(const std::string& address, const Compiled& compiled) const {
  const Path path = path_of(address);
  KP_TRY_VOID(make_folder(path.parent_path()));
  return write_file(path, encode(compiled));
}

Result<std::variant<Compiled, TimedOut>> compile_cached(const CompileRequest& request,
                                                        const Toolchain& toolchain,
                                                        const BuildCache& cache) {
  const std::string address = address_of(request, toolchain);
  if (auto known = cache.find(address)) return *std::move(known);
  KP_TRY(auto outcome, compile(request, toolchain));
  // A cache that cannot be written costs time, not the result.
  if (const auto* compiled = std::get_if<Compiled>(&outcome))
    static_cast<void>(cache.store(address, *compiled).has_value());
  return outcome;
}

}  // namespace kp::build
