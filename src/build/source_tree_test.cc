// SPDX-License-Identifier: Apache-2.0
#include "build/source_tree.h"

#include <gtest/gtest.h>

namespace kp::build {
namespace {

const std::string kSource = R"(// file
__device__ float twice(float v) { return 2 * v; }
extern "C" __global__ void __launch_bounds__(128) one(float* y) {
  for (int i = 0; i < 4; ++i) y[i] = twice(y[i]);
}
extern "C" __global__ void two(float* y) { y[0] = 1; }
)";

TEST(SourceTreeTest, FindsTheKernelsInOrder) {
  const SourceTree tree(kSource);
  const auto kernels = tree.kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_NE(kernels[0].text().find("one(float* y)"), std::string_view::npos);
  EXPECT_EQ(kernels[0].line(), 3);
  EXPECT_EQ(kernels[1].field("declarator").field("declarator").text(), "two");
}

TEST(SourceTreeTest, NodesKnowTheirTextParentsAndFields) {
  const SourceTree tree(kSource);
  const auto loops = tree.all(tree.root(), "for_statement");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].line(), 4);
  EXPECT_EQ(tree.source().substr(loops[0].begin(), 5), "for (");
  EXPECT_EQ(loops[0].end() - loops[0].begin(), loops[0].text().size());
  EXPECT_EQ(loops[0].field("condition").text(), "i < 4");
  EXPECT_EQ(loops[0].parent().type(), "compound_statement");
  EXPECT_FALSE(loops[0].field("no such field").valid());
  EXPECT_TRUE(loops[0].parent().children().at(0) == loops[0]);
}

TEST(SourceTreeTest, BrokenTextLeavesTheRestUsable) {
  const SourceTree tree("int broken( { ;\n}}\n" + kSource);
  EXPECT_FALSE(tree.kernels().empty());
  EXPECT_FALSE(tree.all(tree.root(), "for_statement").empty());
}

TEST(SourceTreeTest, AnEmptyOrDeeplyNestedTextIsNoProblem) {
  EXPECT_TRUE(SourceTree("").kernels().empty());
  const SourceTree deep(std::string(20000, '(') + std::string(20000, '{'));
  EXPECT_TRUE(deep.kernels().empty());
  EXPECT_FALSE(SyntaxNode().valid());
  EXPECT_EQ(SyntaxNode().text(), "");
}

}  // namespace
}  // namespace kp::build
