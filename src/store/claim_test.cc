// SPDX-License-Identifier: Apache-2.0
#include "store/claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace kp::store {
namespace {

TEST(Claim, is_had_by_one_at_a_time_and_each_proposal_has_its_own) {
  const auto base = *TemporaryFolder::make();
  auto first = Claim::take(base.path(), 7);
  ASSERT_TRUE(first && *first);
  EXPECT_FALSE(*Claim::take(base.path(), 7)) << "even in the same process";
  EXPECT_TRUE(*Claim::take(base.path(), 8));
  EXPECT_TRUE(Claim::held(base.path(), 7));
  first->reset();
  EXPECT_FALSE(Claim::held(base.path(), 7));
  EXPECT_TRUE(*Claim::take(base.path(), 7));
}

TEST(Claim, ends_with_the_process_that_had_it) {
  const auto base = *TemporaryFolder::make();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto claim = Claim::take(base.path(), 3);
    const char byte = claim && *claim ? 1 : 0;
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 1);
  EXPECT_TRUE(Claim::held(base.path(), 3));
  EXPECT_FALSE(*Claim::take(base.path(), 3));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(*Claim::take(base.path(), 3));
}

TEST(Claim, is_of_nobody_where_nobody_ever_worked) {
  const auto base = *TemporaryFolder::make();
  EXPECT_FALSE(Claim::held(base.path(), 0));
  EXPECT_FALSE(Claim::take(base.path() / "none", 0));
}

}  // namespace
}  // namespace kp::store
