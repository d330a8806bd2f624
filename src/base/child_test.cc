// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "base/descriptor.h"
#include "base/parallel.h"
#include "base/text.h"

namespace kp {
namespace {

using std::chrono::milliseconds;

ChildSpec shell(std::string script) { return {.command = {"sh", "-c", std::move(script)}}; }

ChildExit run(const ChildSpec& spec) {
  Result<ChildExit> result = run_child(spec);
  EXPECT_TRUE(result) << result.error().text();
  return result ? *std::move(result) : ChildExit{};
}

TEST(Child, ReturnsOutputErrorsAndStatus) {
  const ChildExit exit = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(exit.output, "out\n");
  EXPECT_EQ(exit.error_output, "err\n");
  EXPECT_EQ(exit.code, 3);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_FALSE(exit.timed_out);
}

TEST(Child, TheSignalThatKilledItIsNamed) {
  const ChildExit exit = run(shell("kill -SEGV $$"));
  EXPECT_EQ(exit.code, -1);
  EXPECT_EQ(exit.signal, SIGSEGV);
}

TEST(Child, LargeInputAndOutputPassAtTheSameTime) {
  ChildSpec spec{.command = {"cat"}};
  spec.input.assign(3u << 20, 'x');
  EXPECT_EQ(run(spec).output, spec.input);
}

TEST(Child, ThatIgnoresItsInputDoesNotKillUs) {
  ChildSpec spec{.command = {"true"}};
  spec.input.assign(1u << 20, 'x');
  EXPECT_TRUE(run(spec).ok());
}

TEST(Child, OutputBeyondTheCapIsDropped) {
  ChildSpec spec = shell("head -c 1000000 /dev/zero; echo end >&2");
  spec.output_bytes = 1000;
  const ChildExit exit = run(spec);
  EXPECT_EQ(exit.output.size(), 1000u);
  EXPECT_EQ(exit.error_output, "end\n");
}

TEST(Child, AtTheDeadlineTheWholeGroupDies) {
  ChildSpec spec = shell("sleep 60 & echo $!; yes >&2");
  spec.deadline = milliseconds(300);
  spec.output_bytes = 100;
  const ChildExit exit = run(spec);
  EXPECT_TRUE(exit.timed_out);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_LT(exit.wall, milliseconds(20'000));
  const auto sleeper = static_cast<pid_t>(parse_integer(trim(exit.output)).value());
  // Its new parent may take a moment to reap it.
  for (int i = 0; i < 200 && ::kill(sleeper, 0) == 0; ++i) {
    const std::string state = *read_file("/proc/" + std::to_string(sleeper) + "/stat", 4096)
                                   .or_else([](const Error&) -> tl::expected<std::string, Error> {
                                     return std::string(") Z");
                                   });
    if (state.find(") Z") != std::string::npos) return;
    ::usleep(10'000);
  }
  EXPECT_NE(::kill(sleeper, 0), 0);
}

TEST(Child, WhatItLeavesBehindDoesNotHoldUs) {
  const ChildExit exit = run(shell("sleep 60 & echo done"));
  EXPECT_EQ(exit.output, "done\n");
  EXPECT_LT(exit.wall, milliseconds(20'000));
}

TEST(Child, SeesOnlyTheVariablesItIsGiven) {
  ::setenv("KP_TEST_SECRET", "1", 1);
  ChildSpec spec{.command = {"env"}, .environment = {"A=1"}};
  const std::string own = run(spec).output;
  EXPECT_NE(own.find("A=1\n"), std::string::npos);
  EXPECT_NE(own.find("PATH="), std::string::npos);
  EXPECT_EQ(own.find("KP_TEST_SECRET"), std::string::npos);
  spec.inherit_environment = true;
  spec.environment = {"KP_TEST_SECRET=2"};
  const std::string inherited = run(spec).output;
  EXPECT_NE(inherited.find("KP_TEST_SECRET=2\n"), std::string::npos);
  EXPECT_EQ(inherited.find("KP_TEST_SECRET=1\n"), std::string::npos);
  ::unsetenv("KP_TEST_SECRET");
}

TEST(Child, InheritsNoOtherDescriptor) {
  const Descriptor leak(::open("/dev/null", O_RDONLY));
  ASSERT_TRUE(leak.open());
  // `ls` itself holds the folder that it lists.
  EXPECT_EQ(run({.command = {"ls", "/proc/self/fd"}}).output, "0\n1\n2\n3\n");
}

TEST(Child, RunsInTheGivenFolder) {
  EXPECT_EQ(run({.command = {"pwd"}, .folder = "/usr"}).output, "/usr\n");
}

TEST(Child, ARelativeProgramIsMeantFromOurFolder) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const Path script = folder->path() / "script";
  ASSERT_TRUE(write_file(script, "#!/bin/sh\npwd\n"));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Path relative = std::filesystem::relative(script);
  EXPECT_EQ(run({.command = {relative.string()}, .folder = "/usr"}).output, "/usr\n");
  EXPECT_EQ(*find_program("sh"), Path(trim(run(shell("command -v sh")).output)));
}

TEST(Child, LimitsHold) {
  ChildSpec spec = shell("ulimit -v; ulimit -c; ulimit -f");
  spec.memory_bytes = 1ull << 30;
  spec.file_bytes = 512 * 10;
  EXPECT_EQ(run(spec).output, "1048576\n0\n10\n");
}

TEST(Child, AMissingProgramIsNotFound) {
  const Result<ChildExit> result = run_child({.command = {"no-such-program"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "no program no-such-program in PATH");
  EXPECT_EQ(run_child({.command = {"/no/such"}}).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(run_child({}));
}

TEST(Child, AMissingFolderIsNamed) {
  const Result<ChildExit> result = run_child({.command = {"true"}, .folder = "/nowhere"});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("/nowhere"), std::string::npos);
}

TEST(Child, ManyRunAtOnceAndNoneStaysAZombie) {
  std::vector<std::string> outputs(64);
  parallel_for(outputs.size(), 8,
               [&](std::size_t i) { outputs[i] = run(shell("echo " + std::to_string(i))).output; });
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Child, EndsSoonAfterItsStopFlagWasSet) {
  StopFlag stop;
  ChildSpec spec;
  spec.command = {"sleep", "60"};
  spec.stop = &stop;
  std::thread later([&stop] { stop.request(); });
  const auto exit = run_child(spec);
  later.join();
  ASSERT_TRUE(exit) << exit.error().text();
  EXPECT_TRUE(exit->stopped);
  EXPECT_FALSE(exit->timed_out);
  EXPECT_FALSE(exit->ok());
  EXPECT_LT(exit->wall, std::chrono::seconds(30));
}

}  // namespace
}  // namespace kp
