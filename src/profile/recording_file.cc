// SPDX-License-Identifier: Apache-2.0
#include "profile/recording_file.h"

#include <array>
#include <fstream>

namespace kp::profile {
namespace {

// The first bytes of the files that profilers write.
constexpr std::string_view kSqlite{"SQLite format 3\0", 16};
constexpr std::string_view kNsightReport{"NVR\0", 4};

bool names_source(const Path& path) {
  return path.extension() == ".cu" || path.extension() == ".py";
}

}  // namespace

std::string beginning_of(const Path& file) {
  std::array<char, 64> bytes{};
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0))};
}

bool is_recording(const Path& path) {
  std::error_code code;
  if (std::filesystem::is_regular_file(path, code)) return !names_source(path);
  // What does not exist is missed as what its name says.
  const std::string kind = path.extension().string();
  return kind == ".csv" || kind == ".ncu-rep" || kind == ".sqlite";
}

Result<Recording> read_recording(const Path& file) {
  const std::string beginning = beginning_of(file);
  if (beginning.starts_with(kSqlite)) return read_nsys_sqlite(file);
  if (file.extension() == ".nsys-rep" || file.extension() == ".qdrep") {
    return fail(ErrorCode::kUnsupported,
                "only Nsight Systems itself reads its reports: " + file.string(),
                "export it: nsys export --type sqlite -o FILE.sqlite " + file.string());
  }
  if (beginning.starts_with(kNsightReport) || file.extension() == ".ncu-rep") {
    return read_ncu_report(file);
  }
  return read_ncu_csv(file);
}

}  // namespace kp::profile
