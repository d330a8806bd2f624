// SPDX-License-Identifier: Apache-2.0
// A task with a parent and a diagnosis of it, for tests of replies and prompts.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "propose/llm/reply.h"
#include "task/task.h"

namespace kp::propose {

class ReplyFixture : public testing::Test {
 protected:
  void SetUp() override {
    const std::string declared =
        "/* kernelpro\naxis   count = 65536\ninput  in : f32[count]\noutput out : f32[count]\n"
        "launch work<<<ceil_div(count, 256), 256>>>(in, out, count)\n*/\n" +
        kernel("1.0f");
    ASSERT_TRUE(write_file(folder_.path() / "scale.cu", declared));
    task_ = *task::read_task(folder_.path() / "scale.cu");
    parent_ = *task::make_candidate(task_, version("1.0f"), "candidate-1.cu");
    Finding finding;
    finding.tool = "warp_stall";
    finding.kernel = "work";
    finding.saw = "warps wait for memory";
    finding.prescriptions = {{"unroll", "Load several elements before the first use.", ""}};
    finding.gain = {1.5, 3};
    diagnosis_.findings = {finding};
    diagnosis_.why = "little arithmetic";
  }

  /// The kernel with a factor, and with its plan.
  static std::string kernel(const std::string& factor) {
    return "extern \"C\" __global__ void work(const float* in, float* out, int count) {\n"
           "  int i = blockIdx.x * 256 + threadIdx.x;\n"
           "  if (i < count) out[i] = " +
           factor + " * in[i];\n}\n";
  }
  static std::string version(const std::string& factor) {
    return "/* kernelpro\nlaunch work<<<ceil_div(count, 256), 256>>>(in, out, count)\n*/\n" +
           kernel(factor);
  }

  ParsedReply parse(const std::string& text, int most = 1) {
    return parse_reply(text, {task_, &parent_, &diagnosis_, most});
  }
  /// The only proposal; an empty one after a failure.
  Proposal only(const std::string& text) {
    auto parsed = parse(text, 5);
    if (const auto* fault = std::get_if<Fault>(&parsed)) {
      ADD_FAILURE() << fault->sentence << "\n" << text.substr(0, 2000);
      return {};
    }
    auto& proposals = std::get<std::vector<Proposal>>(parsed);
    EXPECT_EQ(proposals.size(), 1u) << text.substr(0, 2000);
    return proposals.front();
  }
  /// The sentence; empty after a failure.
  std::string fault(const std::string& text) {
    const auto parsed = parse(text);
    const auto* found = std::get_if<Fault>(&parsed);
    EXPECT_TRUE(found) << text.substr(0, 2000);
    return found ? found->sentence : "";
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Task task_;
  Candidate parent_;
  Diagnosis diagnosis_;
};

}  // namespace kp::propose
