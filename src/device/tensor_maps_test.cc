// SPDX-License-Identifier: Apache-2.0
#include "device/tensor_maps.h"

#include <gtest/gtest.h>

namespace kp::device {
namespace {

Expr size_name(const std::string& name) { return Expr({{Expr::Op::kName, 0, name}}, name); }

struct MapScene {
  Plan plan;
  Declaration declaration;
  Binding binding;

  MapScene() {
    declaration.axes = {"rows", "columns"};
    declaration.tensors.push_back(
        {.name = "x", .dtype = DType::kBf16, .shape = {size_name("rows"), size_name("columns")}});
    plan.tensor_maps.push_back(
        {.name = "tx", .tensor = "x", .box = {Expr(64), Expr(32)}, .swizzle = "64B"});
    binding.addresses["x"] = 1 << 21;
    binding.values = {{"rows", 128}, {"columns", 512}};
  }
};

TEST(TensorMaps, BeginWithTheInnermostDimension) {
  MapScene scene;
  ASSERT_TRUE(bind_tensor_maps(scene.plan, scene.declaration, scene.binding));
  const BoundTensorMap& map = scene.binding.maps.at("tx");
  EXPECT_EQ(map.extents, (std::vector<std::uint64_t>{512, 128}));
  EXPECT_EQ(map.box, (std::vector<std::uint32_t>{32, 64}));
  EXPECT_EQ(map.swizzle, "64B");
  EXPECT_EQ(map.address, 1u << 21);
}

TEST(TensorMaps, RefuseRowsThatCannotBeStrided) {
  MapScene scene;
  scene.binding.values["columns"] = 100;
  const auto bound = bind_tensor_maps(scene.plan, scene.declaration, scene.binding);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message,
            "a row of `x` has 200 bytes, which no TMA descriptor can stride");
}

TEST(TensorMaps, OfArraysThatAreNotBoundAreLeftOut) {
  MapScene scene;
  scene.binding.addresses.clear();
  ASSERT_TRUE(bind_tensor_maps(scene.plan, scene.declaration, scene.binding));
  EXPECT_TRUE(scene.binding.maps.empty());
}

}  // namespace
}  // namespace kp::device
