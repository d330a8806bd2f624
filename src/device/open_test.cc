// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/file.h"
#include "device/cuda.h"
#include "device/device.h"

namespace kp::device {
namespace {

TEST(OpenDevice, GivesTheVirtualGpuWhereThereIsNoOther) {
  if (has_cuda_driver()) GTEST_SKIP() << "this machine has a driver";
  const Result<std::unique_ptr<Device>> device = open_device("");
  ASSERT_TRUE(device.has_value()) << device.error().text();
  EXPECT_EQ((*device)->describe().name, "vgpu:h200");
}

TEST(OpenDevice, GivesTheGpuByDefaultWhereItWorks) {
  if (!open_device("cuda")) GTEST_SKIP() << "no device";
  EXPECT_EQ(open_device("").value()->describe().name, "cuda:0");
}

TEST(OpenDevice, GivesTheVirtualGpuByItsName) {
  for (const char* name : {"vgpu", "vgpu:h200", "vgpu:" KP_SOURCE_DIR "/specs/h200.toml"}) {
    const Result<std::unique_ptr<Device>> device = open_device(name);
    ASSERT_TRUE(device.has_value()) << name << ": " << device.error().text();
    const Description& description = (*device)->describe();
    EXPECT_EQ(description.name, "vgpu:h200");
    EXPECT_EQ(description.timing, Grade::kModelled);
    EXPECT_TRUE(description.cooperative);
    EXPECT_FALSE(description.clusters);
    EXPECT_FALSE(description.tensor_maps);
  }
}

TEST(OpenDevice, NamesTheDevicesThereAreWhenItDoesNotKnowOne) {
  const Result<std::unique_ptr<Device>> device = open_device("tpu:0");
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().code, ErrorCode::kNotFound);
  EXPECT_NE(device.error().hint.find("vgpu:h200"), std::string::npos);
}

TEST(OpenDevice, SaysWhyCudaIsNotUsed) {
  if (cuda_devices()) GTEST_SKIP() << "this machine has a GPU";
  const Result<std::unique_ptr<Device>> device = open_device("cuda:0");
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(device.error().hint.empty());
}

TEST(OpenDevice, NamesAGpuByItsNumberOnly) {
  for (const char* name : {"cuda:h200", "cuda:-1", "cuda:1000"}) {
    const Result<std::unique_ptr<Device>> device = open_device(name);
    ASSERT_FALSE(device.has_value()) << name;
    EXPECT_EQ(device.error().code, ErrorCode::kNotFound);
  }
}

TEST(OpenDevice, RefusesASpecWithoutTheNumbersOfTheTimeModel) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.has_value());
  Result<std::string> text = read_text(KP_SOURCE_DIR "/specs/h200.toml");
  ASSERT_TRUE(text.has_value());
  const std::size_t line = text->find("latency_dram");
  text->erase(line, text->find('\n', line) - line);
  const Path path = folder->path() / "mine.toml";
  ASSERT_TRUE(write_file(path, *text).has_value());
  const Result<std::unique_ptr<Device>> device = open_device("vgpu:" + path.string());
  ASSERT_FALSE(device.has_value());
  EXPECT_NE(device.error().message.find("latency_dram"), std::string::npos);
}

TEST(ListDevices, NamesBothKinds) {
  const std::vector<Availability> devices = list_devices();
  ASSERT_GE(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "vgpu:h200");
  EXPECT_TRUE(devices[0].usable);
  EXPECT_TRUE(devices[1].name.starts_with("cuda"));
  EXPECT_EQ(devices[1].usable, cuda_devices() && !cuda_devices()->empty());
  EXPECT_FALSE(devices[1].detail.empty());
}

}  // namespace
}  // namespace kp::device
