// SPDX-License-Identifier: Apache-2.0
// How a process that misbehaves is met, by programs that speak for it.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <thread>

#include "base/descriptor.h"
#include "torch/conversation.h"

namespace kp::torch {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

/// What every program begins with. `starts` is how often it was started before.
constexpr const char* kBegin = R"(#!/usr/bin/env python3
import os, signal, sys, time
sys.dont_write_bytecode = True
folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(sys.argv[3]))
from kernelpro_torch import frames
log = os.path.join(folder, "log")
starts = open(log).read().count("open") if os.path.exists(log) else 0
line = frames.Line(3, int(sys.argv[4]))
while True:
    request, descriptors = line.receive()
    if request is None:
        break
    with open(log, "a") as file:
        file.write(request["do"] + "\n")
    if request["do"] == "open":
        line.send({"ok": True, "torch_version": "9"})
        continue
    if request["do"] == "load":
        line.send({"ok": True, "constants": {}})
        continue
)";

/// A program that does `what` with every request but "open" and "load".
class Misbehaving : public testing::Test {
 protected:
  void start(const std::string& what) {
    const Path program = folder_.path() / "python";
    ASSERT_TRUE(write_file(program, kBegin + what).has_value());
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    auto made = live_conversation({.python = program.string(), .stop = &stop_});
    ASSERT_TRUE(made.has_value()) << made.error().text();
    conversation_ = *std::move(made);
  }
  Result<Answer> ask(milliseconds deadline = milliseconds(20'000)) {
    return conversation_->ask({.body = {{"do", "probe"}}, .deadline = deadline});
  }
  std::string log() const { return *read_file(folder_.path() / "log"); }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  StopFlag stop_;
  std::unique_ptr<Conversation> conversation_;
};

TEST_F(Misbehaving, ACrashIsToldAndTheNextRequestFindsANewProcessWithTheSameProblems) {
  start(R"(
    if starts == 0:
        print("the last words", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    line.send({"ok": True})
)");
  ASSERT_TRUE(conversation_->ask({.body = {{"do", "load"}, {"problem", "p"}}}).has_value());
  const auto answer = ask();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answer.error().message.find("signal 11"), std::string::npos) << answer.error().text();
  EXPECT_NE(answer.error().message.find("the last words"), std::string::npos);
  EXPECT_TRUE(ask().has_value());
  EXPECT_EQ(log(), "open\nload\nprobe\nopen\nload\nprobe\n");
}

TEST_F(Misbehaving, AKillIsTakenForTheSystemsAnswerToWantOfMemory) {
  start("    os.kill(os.getpid(), signal.SIGKILL)\n");
  EXPECT_EQ(ask().error().code, ErrorCode::kLimit);
}

TEST_F(Misbehaving, BeginsWithoutWaiting) {
  start("    line.send({'ok': True})\n");
  conversation_->begin();
  const auto opened = conversation_->ask({.body = {{"do", "open"}, {"device", "cpu"}}});
  ASSERT_TRUE(opened.has_value()) << opened.error().text();
  EXPECT_EQ(opened->body["torch_version"], "9");
  EXPECT_TRUE(ask().has_value());
  EXPECT_EQ(log(), "open\nprobe\n");
}

TEST_F(Misbehaving, DescriptorsTravelBesideARequest) {
  start("    os.write(descriptors[0], b'seen')\n    line.send({'ok': True})\n");
  const Descriptor file(::memfd_create("beside", MFD_CLOEXEC));
  ASSERT_TRUE(conversation_->ask({.body = {{"do", "answer"}}, .descriptors = {file.number()}}));
  std::string seen(4, ' ');
  EXPECT_EQ(::pread(file.number(), seen.data(), seen.size(), 0), 4);
  EXPECT_EQ(seen, "seen");
}

TEST_F(Misbehaving, AHangEndsAtTheDeadline) {
  start(R"(
    if starts == 0:
        signal.pause()
    line.send({"ok": True})
)");
  const auto answer = ask(milliseconds(100));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(ask().has_value());
}

TEST_F(Misbehaving, AHangEndsWhenAStopIsRequested) {
  start("    signal.pause()\n");
  stop_.request();
  const auto answer = ask();
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().message.find("stopped"), std::string::npos) << answer.error().text();
}

TEST_F(Misbehaving, AProcessThatEndedBetweenRequestsIsReplaced) {
  start(R"(
    line.send({"ok": True})
    if starts == 0:
        line.socket.close()
        sys.exit(0)
)");
  ASSERT_TRUE(ask().has_value());
  // Whether its end is seen before or while it is asked, the one after finds a new process.
  if (!ask()) {
    EXPECT_TRUE(ask().has_value());
  }
}

TEST_F(Misbehaving, AnAnswerThatCannotBeReadEndsTheProcess) {
  start(R"(
    if starts == 0:
        line.socket.sendall(frames.HEAD.pack(3, line.nonce) + b"{x}")
        signal.pause()
    line.send({"ok": True})
)");
  EXPECT_FALSE(ask().has_value());
  EXPECT_TRUE(ask().has_value());
}

TEST_F(Misbehaving, AnswersWithAForeignNonceOrWithoutAVerdictAreRefused) {
  start(R"(
    if starts == 0:
        line.nonce ^= 1
    line.send({"no": "verdict"})
)");
  EXPECT_NE(ask().error().message.find("nonce"), std::string::npos);
  EXPECT_NE(ask().error().message.find("verdict"), std::string::npos);
}

TEST_F(Misbehaving, AProcessThatIsOfNoUseAnyMoreIsReplaced) {
  start(R"(
    fault = {"ok": False, "kind": "invalid", "message": "CUDA error", "hint": "", "ends": True}
    line.send(fault if starts == 0 else {"ok": True})
)");
  EXPECT_EQ(ask().error().message, "CUDA error");
  EXPECT_TRUE(ask().has_value());
}

TEST_F(Misbehaving, WhatItPrintsNeverMakesItWait) {
  start(R"(
    sys.path.insert(0, os.path.dirname(sys.argv[3]))
    from kernelpro_torch import printing
    printing.never_wait()
    print("x" * 1000000)
    line.send({"ok": True})
)");
  EXPECT_TRUE(ask().has_value());
  EXPECT_TRUE(ask().has_value());
}

/// Python with a PyTorch of our own making in front of its path.
Result<Answer> open_with(const std::string& torch) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  const Path program = folder.path() / "python";
  KP_TRY_VOID(write_file(folder.path() / "torch.py", torch));
  KP_TRY_VOID(write_file(program, R"(#!/usr/bin/env python3
import os, runpy, sys
sys.dont_write_bytecode = True
sys.path[0:0] = [sys.argv[3], os.path.dirname(os.path.abspath(__file__))]
sys.argv = sys.argv[3:]
runpy.run_path(sys.argv[0] + "/__main__.py", run_name="__main__")
)"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  KP_TRY(const auto conversation, live_conversation({.python = program.string()}));
  return conversation->ask({.body = {{"do", "open"}, {"device", "cpu"}}});
}

TEST(Opening, RefusesAPyTorchThatIsTooOld) {
  const auto answer = open_with("__version__ = '1.12.1'\n");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answer.error().message.find("1.12.1"), std::string::npos) << answer.error().text();
}

TEST(Opening, SaysHowToGetPyTorch) {
  const auto answer = open_with("raise ImportError('libtorch.so is missing')\n");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answer.error().message.find("libtorch.so is missing"), std::string::npos);
  EXPECT_NE(answer.error().hint.find("python3-torch"), std::string::npos);
}

TEST(Opening, RefusesAProgramThatIsNoPython) {
  const auto none = live_conversation({.python = "/no/such/python"});
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
  const auto other = live_conversation({.python = "true"});
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ((*other)->ask({.body = {{"do", "open"}}}).error().code, ErrorCode::kUnavailable);
}

TEST(Opening, TakesThePythonOfTheEnvironment) {
  ::setenv("KERNELPRO_PYTHON", "/no/such/python", 1);
  const auto made = live_conversation({});
  ::unsetenv("KERNELPRO_PYTHON");
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().hint.find("KERNELPRO_PYTHON"), std::string::npos);
}

}  // namespace
}  // namespace kp::torch
