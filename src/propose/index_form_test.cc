// SPDX-License-Identifier: Apache-2.0
#include "propose/index_form.h"

#include <gtest/gtest.h>

#include "propose/pattern.h"

namespace kp::propose {
namespace {

/// The form of the subscript in the last statement of a kernel with these statements before it.
std::optional<ArrayElement> last_element(const std::string& before, const std::string& element) {
  static std::unique_ptr<SourceTree> tree;
  tree = std::make_unique<SourceTree>("__global__ void f(float* p, int i, int j, int n) {\n" +
                                      before + "\n  p[0] = " + element + ";\n}\n");
  const SyntaxNode body = tree->kernels().front().field("body");
  Locals locals(*tree);
  for (const SyntaxNode& declaration : tree->all(body, "declaration")) locals.read(declaration);
  const SyntaxNode value = tree->all(body, "assignment_expression").back().field("right");
  return element_of(value, locals, {"i", "j"});
}

TEST(IndexForm, knows_the_steps_of_a_subscript) {
  const auto element = last_element("", "p[(size_t)(i + 1) * n + 2 * j - n]");
  ASSERT_TRUE(element);
  EXPECT_EQ(element->pointer, "p");
  EXPECT_EQ(element->index.step("i")->text(), "n");
  EXPECT_EQ(element->index.step("j")->value(), 2);
  EXPECT_EQ(element->index.without("i").without("j").value(), 0);
}

TEST(IndexForm, goes_through_moved_pointers_and_offsets) {
  const auto element =
      last_element("  int at = i * n;\n  const float* q = &p[at] + 3;", "*(q + j)");
  ASSERT_TRUE(element);
  EXPECT_EQ(element->pointer, "p");
  EXPECT_EQ(element->index.text(), "3 + i * n + j");
}

TEST(IndexForm, has_no_step_where_an_index_is_squared) {
  const auto element = last_element("", "p[i * i]");
  ASSERT_TRUE(element);
  EXPECT_FALSE(element->index.step("i"));
}

TEST(IndexForm, keeps_what_does_not_move_as_a_name_and_gives_up_on_what_does) {
  const auto element = last_element("", "p[n / 2 + i]");
  ASSERT_TRUE(element);
  EXPECT_EQ(element->index.text(), "i + (n / 2)");
  EXPECT_FALSE(last_element("", "p[i / 2]"));
}

TEST(Pattern, puts_blocks_at_the_column_of_their_name) {
  EXPECT_EQ(filled("if ($A) {\n  $B\n  $C\n}", {{"A", "x"}, {"B", "y {\n  z;\n}"}, {"C", ""}}),
            "if (x) {\n  y {\n    z;\n  }\n}");
}

}  // namespace
}  // namespace kp::propose
