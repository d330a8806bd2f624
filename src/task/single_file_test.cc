// SPDX-License-Identifier: Apache-2.0
// Tasks that are one .cu file, and what is no task.
#include "task/task_folder_fixture.h"

namespace kp::task {
namespace {

constexpr const char* kSingle = R"(/* kernelpro
axis n = 8192
input x : f32[n]
output y : f32[n]
launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void k(const float* x, float* y, int n);
)";

TEST(SingleFile, IsItsOwnBaseline) {
  TaskFolder folder;
  folder.remove("reference.cc");
  folder.write("blur.cu", kSingle);
  const auto task = read_task(folder.path() / "blur.cu");
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->name, "blur");
  EXPECT_EQ(task->baseline, kSingle);
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kSelf);
  EXPECT_EQ(task->with_role(WorkloadRole::kCheck).size(), 1u);
}

TEST(SingleFile, PrefersAHostReferenceThenOracleKernels) {
  TaskFolder folder;
  folder.remove("reference.cc");
  std::string source = kSingle;
  source.insert(source.find("*/"), "oracle launch k<<<1, 1>>>(x, y, n)\n");
  folder.write("blur.cu", source);
  const auto kind = [&] { return read_task(folder.path() / "blur.cu")->oracle; };
  EXPECT_EQ(kind().kind, Oracle::Kind::kKernels);
  folder.write("reference.cc", "");
  EXPECT_EQ(kind().kind, Oracle::Kind::kHost);
  folder.write("blur.reference.cc", "");
  EXPECT_EQ(kind().source, folder.path() / "blur.reference.cc");
}

TEST(SingleFile, LetsCandidatesRepeatItsDeclarationUnchanged) {
  TaskFolder folder;
  folder.write("blur.cu", kSingle);
  const auto task = read_task(folder.path() / "blur.cu");
  ASSERT_TRUE(task) << task.error().text();
  const auto error = [&](const std::string& body) {
    const auto made = make_candidate(*task, "/* kernelpro\n" + body + "\n*/", "c.cu");
    return made ? "no error" : made.error().text();
  };
  const std::string launch = "launch k<<<1, 32>>>(x, y, n)";
  EXPECT_EQ(error("axis n=8192\ninput x : f32 [n]\noutput y : f32[n] // same\n" + launch),
            "no error");
  EXPECT_EQ(error(launch), "no error");
  EXPECT_EQ(
      error("axis n = 64\ninput x : f32[n]\noutput y : f32[n]\n" + launch),
      "c.cu:2:1: `axis n = 64` differs from the task's declaration\nhint: a candidate repeats "
      "the task's lines as they are: `axis n = 8192`");
  EXPECT_EQ(
      error("axis n = 8192\ninput x : f32[n]\noutput y : f32[n]\nwork flops = 0\n" + launch),
      "c.cu:5:1: `work flops = 0` is not in the task's declaration\nhint: remove it; a candidate "
      "cannot change what is computed");
  EXPECT_EQ(error("axis n = 8192\ninout x : f32[n]\n" + launch),
            "c.cu:3:1: `inout x : f32[n]` differs from the task's declaration\nhint: a candidate "
            "repeats the task's lines as they are: `input x : f32[n]`");
  EXPECT_EQ(
      error("axis n = 8192\n" + launch),
      "c.cu:1:1: the task has no output\nhint: declare what it computes: `output y : f32[n]`, "
      "or inout");
}

TEST(SingleFile, NeedsADeclaration) {
  TaskFolder folder;
  folder.write("k.cu", "/* kernelpro\nlaunch k<<<1, 1>>>(x)\n*/");
  const auto task = read_task(folder.path() / "k.cu");
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().message, "the plan declares no task");
  EXPECT_EQ(task.error().spot.line, 1);
}

TEST(ReadTask, SaysWhatIsNoTask) {
  TaskFolder folder;
  EXPECT_EQ(
      read_task("/nowhere/at/all").error().text(),
      "no task at /nowhere/at/all\nhint: give a folder with definition.json, or a .cu file whose "
      "plan declares a task");
  folder.write("p.py", "");
  const auto problem = read_task(folder.path() / "p.py").error().code;
  EXPECT_TRUE(problem == ErrorCode::kUnsupported || problem == ErrorCode::kUnavailable)
      << "no model in it, or no PyTorch to read it with";
  EXPECT_EQ(read_task(folder.path() / "reference.cc").error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace kp::task
