// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/replay_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "device/cuda/protocol.h"

namespace kp::device::cuda {
namespace {

BoundStep launch_on(std::uint64_t address) {
  BoundLaunch launch{.kernel = "k"};
  launch.parameters.resize(16);
  std::memcpy(&launch.parameters[8], &address, sizeof address);
  return launch;
}

TEST(IsNamed, ArraysOfParametersAndOfWhatIsZeroed) {
  const BoundStep steps[] = {launch_on(0x1000), BoundZero{.address = 0x3000, .bytes = 4}};
  EXPECT_TRUE(is_named(steps, 0x1000, 64));
  EXPECT_TRUE(is_named(steps, 0x0ff0, 64)) << "a place inside of it";
  EXPECT_FALSE(is_named(steps, 0x1001, 64));
  EXPECT_TRUE(is_named(steps, 0x3000, 4));
  EXPECT_FALSE(is_named(steps, 0x2000, 64));
}

TEST(ReplayFile, HoldsContentsOnlyOfWhatWasWritten) {
  const auto folder = TemporaryFolder::make("kernelpro-replay-test");
  const Path file = folder->path() / "replay";
  const BoundStep steps[] = {launch_on(0x1000)};
  Replay replay{.gpu = 1, .cubin = "code", .steps = steps, .arrays = {}};
  replay.arrays = {{0x1000, 8, std::vector<std::byte>(2, std::byte{7})}, {0x2000, 16, {}}};
  EXPECT_EQ(replay.array_bytes(), 24u);
  ASSERT_TRUE(write_replay(file, replay));
  const auto json = nlohmann::json::from_cbor(*read_file(file));
  EXPECT_EQ(json.at("device"), 1);
  EXPECT_EQ(json.at("steps").size(), 1u);
  EXPECT_EQ(json.at("arrays")[0].at("contents").get_binary().size(), 2u) << "to be repeated";
  EXPECT_EQ(json.at("arrays")[0].at("bytes"), 8);
  EXPECT_FALSE(json.at("arrays")[1].contains("contents"));
}

}  // namespace
}  // namespace kp::device::cuda
