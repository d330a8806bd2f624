// SPDX-License-Identifier: Apache-2.0
// What libkernelpro-inject.so writes about the process that it rides in: lines of a letter and
// numbers, times in ns since 1970. The process is somebody else's, so the text may be anything.
//
// trace.PID begins with "kernelpro-trace 1":
//   d device major minor product      a GPU and its compute capability
//   n number name                     a kernel's mangled name, numbers from 0
//   k name start end device stream gx gy gz bx by bz registers static dynamic local graph
//                                     a launch; bytes of shared and local memory; 1: by a graph
//   c start end bytes kind pageable   a copy; kind h: between host and device, d: other
//   f start end                       a fill
//   a kind start end thread           a call: l launch, g of a graph, s sync, a allocation, u load
//   x text                            what went wrong
//   e dropped                         the end, and how many records are missing
// request, which it reads, and then counts instead of tracing:
//   m metric                          to be counted, in this order
//   k index gx gy gz bx by bz name    the index-th launch of the kernel (mangled) with this shape
// counts.PID begins with "kernelpro-counts 1":
//   k number                          of the request's line k; its values follow
//   v metric value
//   x text
// module.PID.N: machine code (a cubin) that holds one of the request's kernels, from the same run.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/timeline.h"

namespace kp::profile {

struct TracedLaunch {
  int name = 0;  // index in Trace::names
  Interval when;
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t registers = 0, static_shared = 0, dynamic_shared = 0, local = 0;
  bool in_graph = false;
};

struct Trace {
  std::string device, architecture;  // "NVIDIA H200", "sm_90"; empty: not said
  std::vector<std::string> names;    // mangled
  std::vector<TracedLaunch> launches;
  Activity activity;               // the launches too
  std::vector<std::string> notes;  // what went wrong
  std::int64_t dropped = 0;
  bool complete = false;  // the program ended by itself
};

/// kCorrupt names `file` and the line. A last line without its end is left out: a program that is
/// killed leaves one.
Result<Trace> parse_trace(std::string_view text, const std::string& file);

struct Counts {
  std::map<int, std::map<std::string, double>> launches;  // by number in the request
  std::vector<std::string> notes;
};
Result<Counts> parse_counts(std::string_view text, const std::string& file);

}  // namespace kp::profile
