// SPDX-License-Identifier: Apache-2.0
// What an index of a checkout of CUTLASS costs and how well it answers: builds it in a temporary
// folder, refreshes it without a change, asks QUERIES queries ROUNDS times, and says for how many
// of them the expected file is among the first five hits.
//
//   codesearch_bench CUTLASS
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/check.h"
#include "codesearch/index.h"
#include "codesearch/source_files.h"

namespace {

using namespace kp;
using namespace kp::codesearch;

constexpr int kRounds = 20;
constexpr int kFirst = 5;

struct Question {
  const char* query;
  const char* path;
};

// What somebody asks who writes a kernel for sm_80 or sm_90, and the file that answers.
constexpr Question kQuestions[] = {
    {"tma load multicast", "include/cute/arch/copy_sm90_tma.hpp"},
    {"make_tma_copy", "include/cute/atom/copy_traits_sm90_tma.hpp"},
    {"wgmma 64x128x16 f16 instruction", "include/cute/arch/mma_sm90_gmma.hpp"},
    {"swizzle functor for shared memory layouts", "include/cute/swizzle.hpp"},
    {"sm90 tma warp specialized cooperative kernel",
     "include/cutlass/gemm/kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp"},
    {"convert an array of float to bfloat16", "include/cutlass/numeric_conversion.h"},
    {"ldmatrix copy from shared memory to registers", "include/cute/arch/copy_sm75.hpp"},
    {"cp.async with zero fill", "include/cute/arch/copy_sm80.hpp"},
    {"pipeline producer acquire consumer release", "include/cutlass/pipeline/sm90_pipeline.hpp"},
    {"stream-K tile scheduler", "include/cutlass/gemm/kernel/sm90_tile_scheduler_stream_k.hpp"},
    {"partition fragment C of a tiled mma", "include/cute/atom/mma_atom.hpp"},
    {"named barrier sync", "include/cutlass/arch/barrier.h"},
};

/// Wall clock, and the time of this thread: they differ where others use the machine.
struct Watch {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  double cpu = cpu_ms();

  static double cpu_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }
  double wall_ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - wall)
        .count();
  }
  double busy_ms() const { return cpu_ms() - cpu; }
};

template <class T>
T must(Result<T> result) {
  if (!result) std::fprintf(stderr, "%s\n", result.error().text().c_str());
  KP_CHECK(result.has_value(), "what is measured works");
  return *std::move(result);
}

void print_refresh(const char* what, Index& index) {
  const Watch watch;
  const Refreshed done = must(index.refresh());
  fmt::print("{}: {} files, {} added, {} changed: {:.2f} s, of one core {:.2f} s\n", what,
             done.files, done.added, done.changed, watch.wall_ms() / 1e3, watch.busy_ms() / 1e3);
}

int place_of(const std::vector<Hit>& hits, std::string_view path) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].path == path) return static_cast<int>(i) + 1;
  }
  return 0;
}

void print_quality(Index& index) {
  int found = 0;
  for (const Question& question : kQuestions) {
    const int place = place_of(must(index.search(question.query, kFirst)), question.path);
    found += place > 0 ? 1 : 0;
    fmt::print("{:>3}  {}  ({})\n", place > 0 ? std::to_string(place) : "-", question.query,
               question.path);
  }
  fmt::print("expected file among the first {}: {} of {}\n", kFirst, found, std::size(kQuestions));
}

double part(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print_latency(Index& index) {
  std::vector<double> wall, busy;
  for (int round = 0; round < kRounds; ++round) {
    for (const Question& question : kQuestions) {
      const Watch watch;
      must(index.search(question.query, 10));
      wall.push_back(watch.wall_ms());
      busy.push_back(watch.busy_ms());
    }
  }
  fmt::print("search: p50 {:.1f} ms, p95 {:.1f} ms; of one core p50 {:.1f} ms, p95 {:.1f} ms\n",
             part(wall, 0.5), part(wall, 0.95), part(busy, 0.5), part(busy, 0.95));
}

}  // namespace

int main(int count, char** words) {
  KP_CHECK(count == 2, "usage: codesearch_bench CUTLASS");
  const TemporaryFolder folder = must(TemporaryFolder::make());
  const Path file = folder.path() / "index.db";
  double bytes = 0;
  for (const SourceFile& source : must(list_sources(words[1])))
    bytes += static_cast<double>(source.bytes);
  Index index = must(Index::open({words[1]}, file));
  print_refresh("build", index);
  print_refresh("refresh", index);
  fmt::print("{:.0f} MB of source, index {:.0f} MB\n", bytes / 1e6,
             static_cast<double>(std::filesystem::file_size(file)) / 1e6);
  print_quality(index);
  print_latency(index);
}
