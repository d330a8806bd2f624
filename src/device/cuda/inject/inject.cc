// SPDX-License-Identifier: Apache-2.0
// libkernelpro-inject.so: the driver loads it into a program that was started with
// CUDA_INJECTION64_PATH (profile/program.h) and calls InitializeInjection when CUDA starts.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "device/cuda/inject/replay.h"
#include "device/cuda/inject/trace.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* folder = std::getenv("KERNELPRO_RECORD");
  if (folder == nullptr) return 1;
  const bool count = ::access((std::string(folder) + "/request").c_str(), R_OK) == 0;
  if (count) {
    kp::inject::start_replay(folder);
  } else {
    kp::inject::start_trace(folder);
  }
  return 1;
}
