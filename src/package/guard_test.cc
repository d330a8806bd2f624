// SPDX-License-Identifier: Apache-2.0
#include "package/guard.h"

#include "package/fixture.h"

namespace kp::package {
namespace {

TEST(Guard, spans_the_verified_values_and_their_common_divisor) {
  const Delivery delivery = row_sums();
  EXPECT_EQ(describe(delivery.guard),
            "rows a multiple of 64 from 64 to 4096; cols a multiple of 64 from 64 to 512; "
            "scale = 0.5");
  EXPECT_EQ(delivery.guard.elements.at("x"), 4096u * 512u);
  EXPECT_EQ(describe(swish().guard), "n from 1003 to 1048576");
}

TEST(Guard, serves_no_odd_size_when_only_even_ones_were_verified) {
  const Guard guard = row_sums().guard;
  EXPECT_TRUE(guard.serves({{"rows", 128}, {"cols", 64}}));
  EXPECT_FALSE(guard.serves({{"rows", 128}, {"cols", 65}}));
  EXPECT_FALSE(guard.serves({{"rows", 4160}, {"cols", 64}}));
}

TEST(Guard, offers_small_shapes_that_it_refuses_with_computed_axes_to_match) {
  const Delivery delivery = row_sums();
  const auto shapes = shapes_outside(delivery.task, delivery.axes, delivery.guard);
  ASSERT_FALSE(shapes.empty());
  for (const Workload& shape : shapes) {
    EXPECT_FALSE(delivery.guard.serves(shape.axes)) << shape.name;
    EXPECT_EQ(shape.axes.at("half"), shape.axes.at("cols") / 2);
    EXPECT_LE(shape.axes.at("rows"), 256);
  }
}

}  // namespace
}  // namespace kp::package
