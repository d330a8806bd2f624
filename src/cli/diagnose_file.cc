// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fstream>

#include "cli/diagnose.h"

namespace kp::cli {
namespace {

// The first bytes of the files that profilers write.
constexpr std::string_view kSqlite{"SQLite format 3\0", 16};
constexpr std::string_view kNsightReport{"NVR\0", 4};

bool names_source(const Path& path) {
  return path.extension() == ".cu" || path.extension() == ".py";
}

Result<profile::Recording> read_recording(const Path& file) {
  const std::string beginning = beginning_of(file);
  if (beginning.starts_with(kSqlite)) return profile::read_nsys_sqlite(file);
  if (file.extension() == ".nsys-rep" || file.extension() == ".qdrep") {
    return fail(ErrorCode::kUnsupported,
                "only Nsight Systems itself reads its reports: " + file.string(),
                "export it: nsys export --type sqlite -o FILE.sqlite " + file.string());
  }
  if (beginning.starts_with(kNsightReport) || file.extension() == ".ncu-rep") {
    return profile::read_ncu_report(file);
  }
  return profile::read_ncu_csv(file);
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

Result<Diagnosed> diagnose_recording(profile::Recording recording) {
  KP_TRY(const auto chosen, diagnose::spec_for(recording));
  if (!chosen.note.empty()) recording.notes.push_back(chosen.note);
  return Diagnosed{diagnose::diagnose(recording, chosen.spec), std::move(recording.rules), {}};
}

Result<Diagnosed> diagnose_file(const Path& file) {
  KP_TRY(auto recording, read_recording(file));
  return diagnose_recording(std::move(recording));
}

}  // namespace kp::cli
