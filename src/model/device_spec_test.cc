// SPDX-License-Identifier: Apache-2.0
#include "model/device_spec.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "model/device_spec_text.h"

namespace kp {
namespace {

/// A spec in a folder of its own, made from the shipped one with one text replaced.
class SpecFile {
 public:
  SpecFile(const std::string& from, const std::string& to)
      : folder_(TemporaryFolder::make().value()) {
    std::string text = read_text(Path(KP_SOURCE_DIR) / "specs" / "h200.toml").value();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_TRUE(write_file(path(), text));
  }
  Path path() const { return folder_.path() / "gpu.toml"; }
  /// The error without the folder and without the position in the file.
  std::string error() const {
    const auto spec = read_device_spec(path().string());
    if (spec) return "no error";
    EXPECT_EQ(spec.error().spot.file, path().string());
    EXPECT_GT(spec.error().spot.line, 0);
    return spec.error().message;
  }

 private:
  TemporaryFolder folder_;
};

TEST(DeviceSpec, OfTheH200IsComplete) {
  const auto spec = read_device_spec((Path(KP_SOURCE_DIR) / "specs" / "h200.toml").string());
  ASSERT_TRUE(spec) << spec.error().text();
  EXPECT_EQ(spec->name, "h200");
  EXPECT_EQ(spec->architecture, "sm_90");
  EXPECT_EQ(spec->sm_count, 132);
  EXPECT_EQ(spec->shared_per_block, 227 * 1024);
  EXPECT_EQ(spec->registers_per_sm, 65536);
  EXPECT_EQ(spec->dram_peak, 4.8e12);
  EXPECT_LT(spec->dram_sustained, spec->dram_peak);
  EXPECT_EQ(spec->flops.size(), 6u);
  EXPECT_NEAR(spec->ridge(Precision::kF32), 15.6, 0.1);
}

TEST(DeviceSpec, TakesPlainNumbersAndKeysOfTheTimeModel) {
  const SpecFile file("[model]",
                      "[model]\nlatency = 650\n"
                      "launch = { value = 2.5e-6, unit = \"s\", source = \"measured\" }");
  const auto spec = read_device_spec(file.path().string());
  ASSERT_TRUE(spec) << spec.error().text();
  EXPECT_EQ(spec->model.at("latency"), 650);
  EXPECT_EQ(spec->model.at("launch"), 2.5e-6);
}

TEST(DeviceSpec, NamesTheKeyThatIsMissingOrMalformed) {
  EXPECT_EQ(SpecFile("product =", "prodct =").error(), "key `product` is missing");
  EXPECT_EQ(SpecFile("[bytes]", "[byte]").error(), "key `bytes` is missing");
  EXPECT_EQ(SpecFile("sm_count =", "sm =").error(), "key `limits.sm_count` is missing");
  EXPECT_EQ(SpecFile("value = 132,", "vlaue = 132,").error(),
            "key `limits.sm_count.value` is missing");
  EXPECT_EQ(SpecFile("value = 132,", "value = \"132\",").error(),
            "`limits.sm_count` is not a finite number");
  EXPECT_EQ(SpecFile("value = 132,", "value = 1.5,").error(),
            "`limits.sm_count` is not a positive integer");
  EXPECT_EQ(SpecFile("value = 132,", "value = 0,").error(),
            "`limits.sm_count` is not a positive integer");
  EXPECT_EQ(SpecFile("value = 4.8e12,", "value = nan,").error(),
            "`rates.dram_peak` is not a finite number");
  EXPECT_EQ(SpecFile("tf32 =", "tf23 =").error(), "key `flops.tf32` is missing");
  EXPECT_EQ(SpecFile("name = \"h200\"", "name = 3").error(), "`name` is not a string");
  EXPECT_EQ(SpecFile("[limits]", "[limits").error().substr(0, 14), "not valid TOML");
}

TEST(DeviceSpec, IsFoundByNameAndListsTheOthers) {
  setenv("KERNELPRO_HOME", KP_SOURCE_DIR, 1);
  EXPECT_TRUE(read_device_spec("h200"));
  const auto unknown = read_device_spec("h20");
  unsetenv("KERNELPRO_HOME");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(unknown.error().message, "no device spec `h20`");
  EXPECT_EQ(unknown.error().hint.substr(0, 20), "did you mean `h200`?");
  EXPECT_EQ(read_device_spec("/nowhere/gpu.toml").error().code, ErrorCode::kNotFound);
}

TEST(DeviceSpec, ComesBackFromItsTextUnchanged) {
  const auto spec = read_device_spec((Path(KP_SOURCE_DIR) / "specs" / "h200.toml").string());
  const auto again = parse_device_spec(to_toml(*spec), "text");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_toml(*again), to_toml(*spec));
  EXPECT_EQ(again->product, spec->product);
  EXPECT_EQ(again->memory_bytes, spec->memory_bytes);
  EXPECT_EQ(again->flops, spec->flops);
  EXPECT_EQ(again->model, spec->model);
}

TEST(InstallationFolder, MustHoldSpecs) {
  setenv("KERNELPRO_HOME", "/nowhere", 1);
  const auto folder = installation_folder();
  unsetenv("KERNELPRO_HOME");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "KERNELPRO_HOME=/nowhere has no folder specs/");
}

}  // namespace
}  // namespace kp
