// SPDX-License-Identifier: Apache-2.0
#include "task/problem_sizes.h"

#include <gtest/gtest.h>

#include "task/problem_fixture.h"

namespace kp::task {
namespace {

std::int64_t reduced_to(std::int64_t value, std::int64_t bound) {
  return reduced({{"n", value}}, bound).at("n");
}

TEST(ProblemSizes, keep_what_divided_a_constant) {
  EXPECT_EQ(reduced_to(4096, 64), 64);
  EXPECT_EQ(reduced_to(393'216, 64), 48) << "3 * 2^17";
  EXPECT_EQ(reduced_to(1000, 64), 25) << "8 * 125";
  EXPECT_EQ(reduced_to(4095, 64), 13) << "odd stays odd";
  EXPECT_EQ(reduced_to(1021, 64), 63) << "a prime becomes odd too";
}

TEST(ProblemSizes, keep_a_multiple_of_another_constant_a_multiple) {
  const auto smaller = reduced({{"channels", 4096}, {"groups", 256}, {"batch", 4096}}, 32);
  EXPECT_EQ(smaller.at("groups"), 32);
  EXPECT_EQ(smaller.at("channels"), 64) << "two to a group";
  EXPECT_EQ(smaller.at("batch"), smaller.at("channels")) << "equals stay equal";
  EXPECT_EQ(reduced({{"channels", 64}, {"groups", 8}}, 8).at("channels"), 16);
}

TEST(ProblemSizes, leave_windows_strides_and_small_numbers_alone) {
  EXPECT_EQ(reduced_to(16, 8), 16);
  EXPECT_EQ(reduced_to(3, 8), 3);
}

TEST(ProblemSizes, are_small_for_checks_and_moderate_for_virtual_devices) {
  FakeWorker worker;
  const auto sizes = find_sizes(worker, worker.load("a.py").value());
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_EQ(sizes->original.constants.at("rows"), 8192);
  ASSERT_TRUE(sizes->timed);
  EXPECT_LE(elements_of(sizes->timed->description), 1 << 24);
  EXPECT_GT(elements_of(sizes->timed->description), 1 << 20);
  ASSERT_EQ(sizes->checks.size(), 2u);
  EXPECT_EQ(sizes->checks[0].constants.at("cols"), 64);
  EXPECT_GT(sizes->checks[1].constants.at("cols"), 64);
}

TEST(ProblemSizes, need_no_stand_in_for_a_problem_that_is_small) {
  FakeWorker worker;
  worker.constants = {{"cols", 512}, {"rows", 512}, {"window", 2}};
  const auto sizes = find_sizes(worker, worker.load("a.py").value());
  ASSERT_TRUE(sizes);
  EXPECT_FALSE(sizes->timed);
}

TEST(ProblemSizes, pass_over_sizes_that_the_problem_refuses) {
  FakeWorker worker;
  worker.constants["window"] = 11;
  worker.constants["cols"] = 4095;  // 64 makes it 13, 8 makes it 5
  const auto sizes = find_sizes(worker, worker.load("a.py").value());
  ASSERT_TRUE(sizes);
  EXPECT_GE(sizes->checks[0].constants.at("cols"), 11);
}

TEST(ProblemSizes, take_fewer_problems_only_where_nothing_else_makes_it_small) {
  FakeWorker worker;
  worker.constants = {{"batch_size", 16}, {"cols", 64}, {"rows", 8}, {"window", 2}};
  EXPECT_EQ(find_sizes(worker, worker.load("a.py").value())->checks[0].constants.at("batch_size"),
            16);
  worker.shapes = [](const torch::Constants& constants) {
    torch::Description seen;
    seen.outputs = {FakeWorker::member("out", "float32", {constants.at("batch_size"), 1 << 17})};
    return seen;
  };
  const auto sizes = find_sizes(worker, worker.load("a.py").value());
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_EQ(sizes->checks[0].constants.at("batch_size"), 2);
  EXPECT_FALSE(sizes->hardware_only);
}

TEST(ProblemSizes, leave_to_hardware_what_is_too_large_for_virtual_devices) {
  FakeWorker worker;
  worker.shapes = [](const torch::Constants& constants) {
    torch::Description seen;
    seen.outputs = {FakeWorker::member("out", "float32", {constants.at("cols"), 1 << 20})};
    return seen;
  };
  const auto sizes = find_sizes(worker, worker.load("a.py").value());
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_TRUE(sizes->hardware_only);
  ASSERT_EQ(sizes->checks.size(), 1u);
  EXPECT_EQ(sizes->checks[0].constants.at("cols"), 8) << "the least of the bounds";
  EXPECT_FALSE(sizes->timed);
}

TEST(ProblemSizes, refuse_what_does_not_become_small) {
  FakeWorker worker;
  worker.shapes = [](const torch::Constants&) {
    torch::Description seen;
    seen.outputs = {FakeWorker::member("out", "float32", {1 << 30})};
    return seen;
  };
  const auto sizes = find_sizes(worker, worker.load("a.py").value());
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace kp::task
