// SPDX-License-Identifier: Apache-2.0
// How long reading a large recording of Nsight Compute takes, and how much memory: writes the raw
// page of LAUNCHES launches (default 10000) of KERNELS kernels (default 200) with COLUMNS metrics
// (default 2000), reads it, prints both.
//
//   import_bench [LAUNCHES [KERNELS [COLUMNS]]]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/check.h"
#include "base/random.h"
#include "profile/ncu_metrics.h"
#include "profile/recording.h"

namespace {

using namespace kp;

struct Size {
  int launches = 10'000, kernels = 200, columns = 2'000;
};

/// All metrics that are kept, and others as long as those of `--set full`.
std::vector<std::string> names_of(int columns) {
  std::vector<std::string> names;
  for (const MetricKey& key : profile::ncu::counters()) names.emplace_back(key.name);
  while (static_cast<int>(names.size()) < columns) {
    names.push_back(fmt::format(
        "breakdown_{:04}__l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed",
        names.size()));
  }
  names.resize(static_cast<std::size_t>(columns));
  return names;
}

void write_row(std::ostream& out, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) out << (i ? ",\"" : "\"") << fields[i] << '"';
  out << '\n';
}

void write_recording(const Path& file, const Size& size) {
  std::ofstream out(file);
  const std::vector<std::string> metrics = names_of(size.columns);
  const std::vector<std::string> fixed{
      "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
      "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
  std::vector<std::string> row = fixed;
  row.insert(row.end(), metrics.begin(), metrics.end());
  write_row(out, row);
  write_row(out, std::vector<std::string>(row.size()));
  for (int launch = 0; launch < size.launches; ++launch) {
    const std::string name =
        fmt::format("void kernel_{}<float, 4>(const float *, float *, int)", launch % size.kernels);
    row = {std::to_string(launch), "4711",          "app", "127.0.0.1", name, "1", "7",
           "(256, 1, 1)",          "(65536, 1, 1)", "0",   "9.0"};
    for (int i = 0; i < size.columns; i += 4) {
      const auto dice = philox(static_cast<std::uint64_t>(launch), static_cast<std::uint64_t>(i));
      row.push_back(std::to_string(1000 + dice[0] % 1'000'000));
      row.push_back(fmt::format("{}.{:02}", dice[1] % 100, dice[1] % 97));
      row.push_back("0");
      row.push_back(std::to_string(dice[2]));
    }
    row.resize(fixed.size() + static_cast<std::size_t>(size.columns));
    write_row(out, row);
  }
  KP_CHECK(out.flush().good(), "the recording was written");
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int count, char** words) {
  Size size;
  if (count > 1) size.launches = std::atoi(words[1]);
  if (count > 2) size.kernels = std::atoi(words[2]);
  if (count > 3) size.columns = std::atoi(words[3]);
  const auto folder = TemporaryFolder::make();
  KP_CHECK(folder.has_value(), "there is a temporary folder");
  const Path file = folder->path() / "large.csv";
  write_recording(file, size);
  const double before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  const auto recording = profile::read_ncu_csv(file);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  KP_CHECK(recording.has_value(), "the recording can be read");
  KP_CHECK(static_cast<int>(recording->kernels.size()) == std::min(size.kernels, size.launches),
           "every kernel is found");
  std::printf(
      "%d launches of %d kernels x %d metrics, %.0f MB: %.2f s, peak %.0f MiB (before: %.0f)\n",
      size.launches, size.kernels, size.columns,
      static_cast<double>(std::filesystem::file_size(file)) / 1e6, took.count(), peak_megabytes(),
      before);
}
