// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction.h"

#include <gtest/gtest.h>

#include "propose/contraction_source.h"

namespace kp::propose {
namespace {

using Along = ContractionOperand::Along;

class Matched {
 public:
  explicit Matched(const std::string& source)
      : tree_(source), match_(match_contraction(tree_, tree_.kernels().front())) {}
  const Contraction* shape() const { return std::get_if<Contraction>(&match_); }
  std::string why() const {
    const auto* refusal = std::get_if<Refusal>(&match_);
    return refusal ? refusal->why : "";
  }

 private:
  SourceTree tree_;
  std::variant<Contraction, Refusal> match_;
};

/// The plain product with a piece of it replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string body = kPlainProduct;
  const std::size_t at = body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return contraction_source(body.replace(at, from.size(), to));
}

TEST(Contraction, knows_how_operands_run_through_memory) {
  const Matched matched(contraction_source(kPlainProduct));
  const Contraction* shape = matched.shape();
  ASSERT_TRUE(shape) << matched.why();
  EXPECT_EQ(shape->row.name, "i");
  EXPECT_EQ(shape->row.bound, "m");
  EXPECT_EQ(shape->row.axis, 'y');
  EXPECT_EQ(shape->extent, "k");
  EXPECT_EQ(shape->a.contiguous, Along::kReduced);
  EXPECT_EQ(shape->a.stride, "k");
  EXPECT_EQ(shape->b.contiguous, Along::kOutput);
  EXPECT_EQ(shape->b.stride, "n");
}

TEST(Contraction, sees_through_pointers_offsets_and_operands_of_their_own) {
  const Matched matched(contraction_source(R"(
  const int i = blockIdx.y * blockDim.y + threadIdx.y, j = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < m && n > j) {
    const float* row = a + (size_t)i * k;
    float sum = 0.f;
    for (int t = 0; t < k; t++) {
      const float x = *(row + t);
      const int at = t + j * k;
      sum = fmaf(b[at], x, sum);
    }
    c[i * n + j] = sum;
  }
)"));
  const Contraction* shape = matched.shape();
  ASSERT_TRUE(shape) << matched.why();
  EXPECT_EQ(shape->a.value.text(), "*(row + t)");
  EXPECT_EQ(shape->a.pointer, "a");
  EXPECT_EQ(shape->a.contiguous, Along::kReduced);
  EXPECT_EQ(shape->b.contiguous, Along::kReduced);
  EXPECT_EQ(shape->b.stride, "k");
}

TEST(Contraction, finds_the_row_whatever_the_order_of_operands_and_axes) {
  const Matched matched(changed("a[i * k + t] * b[t * n + j]", "b[t * n + j] * a[t * m + i]"));
  ASSERT_TRUE(matched.shape()) << matched.why();
  EXPECT_EQ(matched.shape()->a.pointer, "a");
  EXPECT_EQ(matched.shape()->a.contiguous, Along::kOutput);
}

TEST(Contraction, leaves_the_layout_open_where_neighbours_are_not_known) {
  const Matched matched(changed("b[t * n + j]", "b[t * n + 2 * j]"));
  ASSERT_TRUE(matched.shape()) << matched.why();
  EXPECT_EQ(matched.shape()->b.contiguous, Along::kNowhere);
}

struct Case {
  std::string from, to, why;
};

TEST(Contraction, is_refused_with_the_reason) {
  const Case cases[] = {
      {"b[t * n + j]", "b[t * n + i]", "one output index"},
      {"b[t * n + j]", "b[j]", "one output index"},
      {"a[i * k + t] * b[t * n + j]", "a[i * k + t] + b[t * n + j]", "no product"},
      {"sum += a[i * k + t] * b[t * n + j]", "sum -= fmaxf(a[i * k + t], b[t * n + j])",
       "no product"},
      {"t < k", "t <= i", "different ranges"},
      {"++t", "t += 2", "does not count by one"},
      {"i >= m ||", "", "does not check two"},
      {"i >= m || j >= n", "i >= m || j >= n || i == j", "no upper bound"},
      {"float sum = 0.0f;", "double sum = 0.0;", "type float or int"},
      {"c[i * n + j]", "c[threadIdx.y + i * n + j]", "threadIdx"},
      {"c[i * n + j] = 2.0f * sum;", "", "nothing follows"},
      {"c[i * n + j] =", "if (sum < 0) return;\n  c[i * n + j] =", "returns early"},
      {"c[i * n + j] =", "c = c + 1;\n  c[i * n + j] =", "changes after the loop"},
      {"float sum", "__syncthreads();\n  float sum", "talk to each other"},
      {"float sum", "c[0] = 1;\n  float sum", "does not count by one"},
      {"sum += a", "c[t] = 1, sum += a", "more than to sum"},
      {"a[i * k + t] *", "atomicAdd(c, 1.0f) *", "talk to each other"},
      {"for (int t", "i = 0;\n  for (int t", "does not count by one"},
  };
  for (const Case& c : cases) {
    const Matched matched(changed(c.from, c.to));
    EXPECT_FALSE(matched.shape()) << c.to;
    EXPECT_NE(matched.why().find(c.why), std::string::npos) << c.to << ": " << matched.why();
  }
}

}  // namespace
}  // namespace kp::propose
