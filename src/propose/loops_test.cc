// SPDX-License-Identifier: Apache-2.0
#include "propose/loops.h"

#include <gtest/gtest.h>

#include "propose/effects.h"

namespace kp::propose {
namespace {

/// A kernel around `body`, with the definitions that the tests share.
class Kernel {
 public:
  explicit Kernel(const std::string& body)
      : tree_(
            "#define LENGTH 24\n#define BUMP(x) x += 1\nconstexpr int kWide = LENGTH / 3;\n"
            "__device__ float twice(float x) { float y = x; y += x; return y; }\n"
            "__device__ void raise(int& x) { x = 1; }\n"
            "__device__ void put(float* p) { p[0] = 1.0f; }\n"
            "extern \"C\" __global__ void work(const float* in, float* out, int n) {\n" +
            body + "\n}\n") {}
  const SourceTree& tree() const { return tree_; }
  SyntaxNode body() const { return tree_.kernels().front().field("body"); }
  std::vector<CountedLoop> loops() const { return counted_loops(tree_, body()); }
  bool changes(std::string_view name) const { return may_change(tree_, body(), name); }

 private:
  SourceTree tree_;
};

TEST(Loops, know_the_usual_ways_to_count) {
  for (const std::string head :
       {"int i = 0; i < n; ++i", "int i = 0; i < n; i++", "int i = threadIdx.x; i <= n; i += 32",
        "unsigned i = 0; n > i; i = i + 1", "int i = 0; i < n * 2; i = blockDim.x + i"}) {
    const Kernel kernel("for (" + head + ") out[i] = in[i];");
    ASSERT_EQ(kernel.loops().size(), 1u) << head;
    EXPECT_EQ(kernel.loops()[0].index, "i");
  }
  const Kernel kernel("for (int i = 2; i <= n; i += 3) { out[i] = in[i]; }");
  const CountedLoop loop = kernel.loops().at(0);
  EXPECT_EQ(loop.type, "int");
  EXPECT_EQ(loop.first.text(), "2");
  EXPECT_EQ(loop.bound.text(), "n");
  EXPECT_TRUE(loop.inclusive);
  EXPECT_EQ(loop.step, "3");
  EXPECT_EQ(text_of_body(kernel.tree(), loop), "out[i] = in[i];");
}

TEST(Loops, are_not_counted_when_something_else_decides_about_the_end) {
  for (const std::string text :
       {"for (int i = 0; i < n; ++i) { if (in[i] > 0) break; }",
        "for (int i = 0; i < n; ++i) { if (in[i] > 0) return; }",
        "for (int i = 0; i < n; ++i) { out[i] = 0; i += 1; }",
        "for (int i = 0; i < n; ++i) { n = 3; }", "for (int i = 0; i < n; ++i) { raise(i); }",
        "for (int i = 0; i < n; ++i) { BUMP(i); }",
        "for (int i = 0; i < in[0]; ++i) { out[i] = 1; }",
        "for (int i = n; i > 0; --i) { out[i] = 0; }",
        "for (int i = 0; i < n; i += -1) { out[i] = 0; }",
        "for (int i = 0, j = 0; i < n; ++i) { out[i] = j; }", "for (;;) { out[0] = 1; }",
        "for (int i = 0; i < n; i <<= 1) { out[i] = 0; }",
        "for (int i = 0; i != n; ++i) { out[i] = 0; }"}) {
    EXPECT_TRUE(Kernel(text).loops().empty()) << text;
  }
}

TEST(Loops, may_leave_what_is_inside_of_them) {
  const Kernel kernel(
      "for (int i = 0; i < n; ++i) { while (true) { break; } switch (n) { case 1: break; } }");
  ASSERT_EQ(kernel.loops().size(), 1u);
  EXPECT_FALSE(is_innermost(kernel.tree(), kernel.loops()[0]));
  EXPECT_FALSE(has_continue(kernel.tree(), kernel.loops()[0]));
}

TEST(Loops, with_constant_ends_have_a_number_of_turns) {
  const auto trips = [](const std::string& head) {
    const Kernel kernel("const int local = 5;\nfor (" + head + ") out[i] = 0.0f;");
    return trip_count(kernel.tree(), kernel.loops().at(0), Bindings{{"ROWS", 6}});
  };
  EXPECT_EQ(trips("int i = 0; i < 8; ++i"), 8);
  EXPECT_EQ(trips("int i = 0; i < LENGTH; i += 5"), 5);
  EXPECT_EQ(trips("int i = 1; i <= kWide; i += 2"), 4);
  EXPECT_EQ(trips("int i = 0; i < ROWS * local + 0x1; ++i"), 31);
  EXPECT_EQ(trips("int i = 9; i < 3; ++i"), 0);
  EXPECT_FALSE(trips("int i = 0; i < n; ++i"));
  EXPECT_FALSE(trips("int i = threadIdx.x; i < 8; ++i"));
}

TEST(Loops, find_the_unroll_pragma_in_front) {
  const Kernel kernel(
      "#pragma unroll 4\n  // why\n  for (int i = 0; i < n; ++i) out[i] = 0;\n"
      "  for (int i = 0; i < n; ++i) out[i] = 1;");
  EXPECT_TRUE(unroll_pragma(kernel.loops().at(0)).valid());
  EXPECT_FALSE(unroll_pragma(kernel.loops().at(1)).valid());
}

TEST(Effects, see_every_way_to_change_a_variable) {
  for (const std::string text :
       {"int v = 0; v = 1;", "int v = 0; v += 1;", "int v = 0; --v;", "int v = 0; int* p = &v;",
        "int v = 0; raise(v);", "int v = 0; int& w = v;", "int v = 0; BUMP(v);",
        "int v = 0; asm volatile(\"x\" : \"=r\"(v));", "int v = 0; auto f = [&]() { ++v; };",
        "float2 v; v.x = 1;", "float v[2]; v[1] = 1;"}) {
    EXPECT_TRUE(Kernel(text).changes("v")) << text;
  }
  for (const std::string text :
       {"int v = 0; out[v] = 1;", "int v = 0; put(out + v);", "int v = 0; int w = v; w += v;"}) {
    EXPECT_FALSE(Kernel(text).changes("v")) << text;
  }
}

TEST(Effects, know_pure_expressions) {
  const auto pure = [](const std::string& expression) {
    const Kernel kernel("float v = " + expression + ";");
    return is_pure(kernel.tree(), initialised_locals(kernel.tree(), kernel.body()).at(0).value);
  };
  EXPECT_TRUE(pure("in[n] * expf(2.0f) + twice(static_cast<float>(n))"));
  EXPECT_TRUE(pure("fmaxf(in[0], (float)n)"));
  EXPECT_FALSE(pure("atomicAdd(out, 1.0f)"));
  EXPECT_FALSE(pure("in[n++]"));
  EXPECT_FALSE(pure("in[n = 1]"));
  EXPECT_FALSE(pure("unknown(n)"));
  EXPECT_FALSE(pure("__shfl_xor_sync(0xffffffffu, in[n], 1)"));
}

}  // namespace
}  // namespace kp::propose
