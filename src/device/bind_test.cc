// SPDX-License-Identifier: Apache-2.0
#include "device/bind.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kp::device {
namespace {

Expr axis(const std::string& name) { return Expr({{Expr::Op::kName, 0, name}}, name); }

/// One kernel k(const float* x, int n, float scale, __half h, unsigned char b, long long m).
struct Scene {
  build::Binary binary;
  Binding binding;
  Description device;
  Launch launch;

  Scene() {
    binary.signatures = {{.kernel = "k",
                          .parameters = {{"x", "const float*", true, true, DType::kF32, 1, 8, 0},
                                         {"n", "int", false, false, DType::kI32, 1, 4, 8},
                                         {"scale", "float", false, false, DType::kF32, 1, 4, 12},
                                         {"h", "__half", false, false, DType::kF16, 1, 2, 16},
                                         {"b", "unsigned char", false, false, DType::kU8, 1, 1, 18},
                                         {"m", "long long", false, false, DType::kI64, 1, 8, 24}}}};
    binding.addresses = {{"x", 0x7000'0000'1000}, {"scratch", 0x7000'0001'0000}};
    binding.bytes = {{"scratch", 4096}};
    binding.scalars = {{"alpha", 0.1}, {"half", 1.5}};
    binding.values = {{"N", 1000}, {"BLOCK", 256}};
    device.name = "vgpu:h200";
    device.cooperative = true;
    launch.kernel = "k";
    launch.grid.x = Expr(4);
    launch.block.x = axis("BLOCK");
    launch.spot = {"k.cu", 5, 3};
    set_arguments({{std::string("x")},
                   {axis("N")},
                   {std::string("alpha")},
                   {std::string("half")},
                   {Expr(200)},
                   {axis("N")}});
  }
  void set_arguments(std::vector<Argument> arguments) {
    launch.arguments = std::move(arguments);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      launch.arguments[i].spot = {"k.cu", 5, static_cast<int>(10 + i)};
    }
  }
  Result<std::vector<BoundStep>> bind() const {
    return bind_steps({launch}, binary, binding, device);
  }
  Error error() const {
    Result<std::vector<BoundStep>> bound = bind();
    EXPECT_FALSE(bound.has_value());
    return bound ? Error{} : bound.error();
  }
};

template <class T>
T at(const std::vector<std::byte>& block, std::size_t offset) {
  T value;
  std::memcpy(&value, block.data() + offset, sizeof value);
  return value;
}

TEST(BindSteps, PacksEachArgumentAtItsOffset) {
  Result<std::vector<BoundStep>> bound = Scene().bind();
  ASSERT_TRUE(bound.has_value()) << bound.error().text();
  const auto& launch = std::get<BoundLaunch>(bound->at(0));
  ASSERT_EQ(launch.parameters.size(), 32u);
  EXPECT_EQ(at<std::uint64_t>(launch.parameters, 0), 0x7000'0000'1000u);
  EXPECT_EQ(at<std::int32_t>(launch.parameters, 8), 1000);
  EXPECT_EQ(at<float>(launch.parameters, 12), 0.1f);
  EXPECT_EQ(at<std::uint16_t>(launch.parameters, 16), 0x3e00);  // 1.5 in half precision
  EXPECT_EQ(at<std::uint8_t>(launch.parameters, 18), 200);
  EXPECT_EQ(at<std::int64_t>(launch.parameters, 24), 1000);
  EXPECT_EQ(launch.shape.block[0], 256u);
}

TEST(BindSteps, RoundsToBfloat16OnTiesToEven) {
  Scene scene;
  scene.binary.signatures[0].parameters[3].element = DType::kBf16;
  const auto bits_of = [&](double value) {
    scene.binding.scalars["half"] = value;
    const auto bound = scene.bind();
    return at<std::uint16_t>(std::get<BoundLaunch>(bound->at(0)).parameters, 16);
  };
  EXPECT_EQ(bits_of(1.0), 0x3f80);
  EXPECT_EQ(bits_of(1.0 + 1.0 / 256), 0x3f80);  // half way: to even
  EXPECT_EQ(bits_of(1.0 + 3.0 / 256), 0x3f82);
  EXPECT_EQ(bits_of(-2.0), 0xc000);
}

TEST(BindSteps, RefusesAnAxisThatItsParameterCannotHold) {
  Scene scene;
  scene.binding.values["N"] = 3'000'000'000;
  const Error error = scene.error();
  EXPECT_EQ(error.message,
            "parameter `int n` cannot hold 3000000000: it takes -2147483648 to 2147483647");
  EXPECT_EQ(error.spot.column, 11);
  EXPECT_NE(error.hint.find("long long"), std::string::npos);
}

TEST(BindSteps, RefusesANegativeNumberForAnUnsignedParameter) {
  Scene scene;
  scene.launch.arguments[4].value = Expr(-1);
  EXPECT_EQ(scene.error().message, "parameter `unsigned char b` cannot hold -1: it takes 0 to 255");
}

TEST(BindSteps, RefusesAFractionForAnIntegerParameter) {
  Scene scene;
  scene.launch.arguments[1].value = 2.5;
  EXPECT_EQ(scene.error().message, "parameter `int n` cannot hold 2.5");
}

TEST(BindSteps, KeepsTensorsAndNumbersApart) {
  Scene scene;
  scene.launch.arguments[0].value = Expr(7);
  EXPECT_NE(scene.error().message.find("`const float* x` cannot take the number 7"),
            std::string::npos);
  Scene swapped;
  swapped.launch.arguments[1].value = std::string("x");
  EXPECT_NE(swapped.error().message.find("`int n` is not a pointer"), std::string::npos);
}

TEST(BindSteps, NamesWhatItDoesNotKnow) {
  Scene unknown;
  unknown.launch.arguments[0].value = std::string("y");
  EXPECT_NE(unknown.error().message.find("`y` is not a tensor"), std::string::npos);
  Scene kernel;
  kernel.launch.kernel = "other";
  EXPECT_EQ(kernel.error().message, "there is no kernel `other` in the source");
  Scene fewer;
  fewer.launch.arguments.pop_back();
  EXPECT_EQ(fewer.error().message, "kernel `k` takes 6 arguments and gets 5");
}

TEST(BindSteps, RefusesFormsThatTheDeviceCannotRun) {
  Scene scene;
  scene.launch.cluster = Dim3Expr{Expr(2)};
  EXPECT_EQ(scene.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(scene.error().message.find("not on this device (vgpu:h200)"), std::string::npos);
  Scene cooperative;
  cooperative.launch.cooperative = true;
  EXPECT_TRUE(cooperative.bind().has_value());
  cooperative.device.cooperative = false;
  EXPECT_EQ(cooperative.error().code, ErrorCode::kUnsupported);
  Scene map;
  map.binary.signatures[0].parameters[0] = {"t", "const CUtensorMap", false, true, {}, 1, 128, 0};
  map.launch.arguments[0].value = std::string("tiles");
  EXPECT_EQ(map.error().code, ErrorCode::kUnsupported);
}

TEST(BindSteps, PlacesTensorMapsWhereTheirParametersLie) {
  Scene scene;
  scene.device.tensor_maps = true;
  scene.binary.signatures[0].parameters[0] = {"t", "const CUtensorMap", false, true, {}, 1, 128, 0};
  scene.launch.arguments[0].value = std::string("tiles");
  EXPECT_NE(scene.error().message.find("`tiles` is not a tensor"), std::string::npos);
  scene.binding.maps["tiles"] = {.address = 4096, .extents = {64, 8}, .box = {32, 4}};
  const auto bound = scene.bind();
  ASSERT_TRUE(bound.has_value());
  const auto& maps = std::get<BoundLaunch>(bound->at(0)).tensor_maps;
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].offset, 0u);
  EXPECT_EQ(maps[0].address, 4096u);
}

TEST(BindSteps, FindsTheBufferThatAZeroStepClears) {
  const Scene scene;
  const auto bound =
      bind_steps({ZeroStep{"scratch", {}}}, scene.binary, scene.binding, scene.device);
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(std::get<BoundZero>(bound->at(0)).bytes, 4096u);
  EXPECT_FALSE(
      bind_steps({ZeroStep{"x", {}}}, scene.binary, scene.binding, scene.device).has_value());
}

}  // namespace
}  // namespace kp::device
