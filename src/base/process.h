// SPDX-License-Identifier: Apache-2.0
// A child process that lives as long as its owner wants: for servers that the caller talks to over
// descriptors of its own. Programs that run to their end are run_child's (child.h).
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/child.h"
#include "base/child_start.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace kp {

class Process {
 public:
  struct End {
    int code = -1;   // exit status, -1 when killed by a signal
    int signal = 0;  // the signal that killed it, 0 otherwise
  };

  /// Of `spec`, command, folder, environment, descriptors and the limits of memory and files count.
  /// Its standard input is empty. It dies with the thread that starts it.
  static Result<Process> start(const ChildSpec& spec);
  Process(Process&&) noexcept = default;
  Process& operator=(Process&& other) noexcept;
  /// Kills it and waits for it.
  ~Process();

  pid_t number() const { return child_.pid; }
  /// How it ended, as soon as it has, at most `patience` later.
  std::optional<End> wait(std::chrono::milliseconds patience);
  /// SIGKILL, without waiting. A program that runs another one in a sandbox ends after that one
  /// when only that one is killed: then its end says that everything inside is gone.
  void kill();
  /// Waits after kill(); what is not gone after `patience` is killed with its whole group. False
  /// when even that does not help within `patience`: the operating system holds it.
  bool gone(std::chrono::milliseconds patience);
  /// What it wrote on its standard output and error and nobody has read yet; at most a pipe each.
  std::string text();

 private:
  explicit Process(StartedChild child);

  struct Owned : StartedChild {
    Owned() = default;
    explicit Owned(StartedChild child) : StartedChild(std::move(child)) {}
    Owned(Owned&& other) noexcept : StartedChild(std::move(other)) { other.pid = -1; }
    Owned& operator=(Owned&& other) noexcept {
      std::swap(static_cast<StartedChild&>(*this), static_cast<StartedChild&>(other));
      return *this;
    }
  };
  Owned child_;
  Descriptor exit_;  // a pidfd: readable when the child ends
  std::optional<End> end_;
};

}  // namespace kp
