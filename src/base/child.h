// SPDX-License-Identifier: Apache-2.0
// Child processes. Each has a deadline and limits, runs in its own process group, dies with its
// parent, and inherits no descriptor but the three standard ones and those that it is given.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/stop.h"

namespace kp {

struct ChildSpec {
  std::vector<std::string> command;      // command[0] is looked up in PATH
  std::string input;                     // given on standard input
  Path folder;                           // working folder; empty: the parent's
  std::vector<std::string> environment;  // NAME=value; only these (and PATH) are set
  bool inherit_environment = false;      // true: the parent's variables, then `environment`
  std::vector<int> descriptors;          // become 3, 4, ... in the child; stay the caller's
  std::chrono::milliseconds deadline{60'000};
  std::uint64_t memory_bytes = 0;            // RLIMIT_AS; 0: no limit (CUDA processes reserve much)
  std::uint64_t file_bytes = 256ull << 20;   // RLIMIT_FSIZE
  std::uint64_t output_bytes = 16ull << 20;  // of standard output and error, each; more is dropped
  const StopFlag* stop = nullptr;  // once it is requested the child is killed; null: never
};

struct ChildExit {
  int code = -1;             // exit status, -1 when killed by a signal
  int signal = 0;            // the signal that killed it, 0 otherwise
  bool timed_out = false;    // killed by us at the deadline
  std::string output;        // standard output
  std::string error_output;  // standard error
  std::chrono::milliseconds wall{0};
  bool stopped = false;  // killed by us because of ChildSpec::stop
  bool ok() const { return code == 0; }
};

/// The program that `name` means: itself when it holds a slash, else the first in PATH. kNotFound.
Result<Path> find_program(const std::string& name);

/// A program of KernelPro's own, in $KERNELPRO_LIBEXEC, beside the running program, in
/// ../libexec/kernelpro, or where a build leaves what belongs to `room`. kUnavailable.
Result<Path> find_own_program(const std::string& name, const std::string& room);

/// Runs to the end and returns how it ended: a failing program is not an Error. Error only when it
/// could not be started (kNotFound: no such program; kIo).
Result<ChildExit> run_child(const ChildSpec& spec);

}  // namespace kp
