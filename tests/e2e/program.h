// SPDX-License-Identifier: Apache-2.0
// The program as its users start it, for tests of the whole.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/file.h"

namespace kp::e2e {

struct Outcome {
  int code = -1;
  std::string output, errors;
  nlohmann::json json() const {
    auto parsed = nlohmann::json::parse(output, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << "standard output is not one JSON value:\n" << output;
    return parsed;
  }
};

inline std::string path_of_program() { return std::string(KP_BINARY_DIR) + "/src/cli/kernelpro"; }
inline std::string shipped(const std::string& task) {
  return std::string(KP_SOURCE_DIR) + "/tasks/" + task;
}

/// What every test runs with: compiled kernels are shared between tests, nothing else is.
inline ChildSpec spec_of(std::vector<std::string> arguments, const std::string& threads = "2") {
  ChildSpec spec;
  spec.command = {path_of_program()};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.environment = {"KERNELPRO_THREADS=" + threads,
                      std::string("KERNELPRO_CACHE=") + KP_BINARY_DIR + "/e2e-cache"};
  spec.inherit_environment = true;
  spec.deadline = std::chrono::minutes(3 * KP_PATIENCE);
  return spec;
}

inline Outcome run(std::vector<std::string> arguments, const std::string& threads = "2") {
  const auto exit = run_child(spec_of(std::move(arguments), threads));
  EXPECT_TRUE(exit) << exit.error().text();
  if (!exit) return {};
  EXPECT_FALSE(exit->timed_out);
  EXPECT_EQ(exit->signal, 0) << exit->error_output;
  return {exit->code, exit->output, exit->error_output};
}

}  // namespace kp::e2e
