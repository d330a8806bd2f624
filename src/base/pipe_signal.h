// SPDX-License-Identifier: Apache-2.0
// Writing to somebody who stopped reading.
#pragma once
#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <ctime>

namespace kp {

/// While it lives, such a write in this thread fails with EPIPE and raises nothing.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;
  ~PipeSignalHeld() {
    const timespec now{};
    const int error = errno;
    ::sigtimedwait(&pipe_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace kp
