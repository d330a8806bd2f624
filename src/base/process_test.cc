// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>

namespace kp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Process start(std::string script, std::vector<int> descriptors = {}) {
  Result<Process> process = Process::start(
      {.command = {"sh", "-c", std::move(script)}, .descriptors = std::move(descriptors)});
  EXPECT_TRUE(process) << process.error().text();
  return *std::move(process);
}

struct Sockets {
  Descriptor ours, theirs;
  Sockets() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours = Descriptor(ends[0]);
    theirs = Descriptor(ends[1]);
  }
  std::string read() const {
    std::array<char, 64> bytes{};
    const ssize_t count = ::read(ours.number(), bytes.data(), bytes.size());
    return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0u};
  }
};

TEST(Process, TalksOverTheDescriptorsThatItIsGiven) {
  const Sockets first, second;
  Process process = start("read line <&3; echo \"$line back\" >&4",
                          {first.theirs.number(), second.theirs.number()});
  ASSERT_EQ(::write(first.ours.number(), "hello\n", 6), 6);
  EXPECT_EQ(second.read(), "hello back\n");
  const auto end = process.wait(seconds(10));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code, 0);
}

TEST(Process, DescriptorsMayHaveTheNumbersOfOneAnother) {
  // 3 becomes 4 and 4 becomes 3, wherever the test's own numbers lie.
  const Sockets first, second;
  Process process =
      start("echo three >&3; echo four >&4", {second.theirs.number(), first.theirs.number()});
  EXPECT_EQ(second.read(), "three\n");
  EXPECT_EQ(first.read(), "four\n");
}

TEST(Process, TellsHowItEnded) {
  Process killed = start("kill -SEGV $$");
  const auto end = killed.wait(seconds(10));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGSEGV);
  Process left = start("exit 7");
  ASSERT_TRUE(left.wait(seconds(10)));
  EXPECT_EQ(left.wait(milliseconds(0))->code, 7);
}

TEST(Process, LivesUntilItIsKilled) {
  Process process = start("exec sleep 1000");
  EXPECT_FALSE(process.wait(milliseconds(20)));
  process.kill();
  EXPECT_TRUE(process.gone(seconds(10)));
  EXPECT_EQ(process.wait(milliseconds(0))->signal, SIGKILL);
}

TEST(Process, EndsAfterTheProgramThatItHoldsWasKilled) {
  const Sockets sockets;
  Process process = start("sleep 1000 & echo up >&3; wait $!; exit 5", {sockets.theirs.number()});
  ASSERT_EQ(sockets.read(), "up\n");
  process.kill();
  const auto end = process.wait(seconds(10));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code, 5);  // the shell saw its child die, and went on
}

TEST(Process, ADestroyedOneIsGone) {
  pid_t number = 0;
  {
    Process process = start("exec sleep 1000");
    number = process.number();
    EXPECT_EQ(::kill(number, 0), 0);
  }
  EXPECT_EQ(::kill(number, 0), -1);
}

TEST(Process, KeepsWhatItSaid) {
  Process process = start("echo out; echo err >&2");
  ASSERT_TRUE(process.wait(seconds(10)));
  EXPECT_EQ(process.text(), "out\nerr\n");
}

TEST(Process, NamesAProgramThatIsNotThere) {
  const Result<Process> process = Process::start({.command = {"no-such-program-here"}});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kp
