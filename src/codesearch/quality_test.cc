// SPDX-License-Identifier: Apache-2.0
// What a writer of kernels asks, and where the answer is. The tree has the forms that real ones
// have: macros, traits, templates, Python bindings, tests and prose that speak of the same things.
#include "codesearch/tree_fixture.h"

namespace kp::codesearch {
namespace {

struct Source {
  const char* path;
  const char* text;
};

constexpr Source kTree[] = {
    {"include/arch/copy_tma.hpp",
     "// Copyright\nnamespace x {\nstruct SM90_TMA_LOAD {\n  void copy(void const* desc);\n};\n"
     "struct SM90_TMA_LOAD_MULTICAST {\n  // cp.async.bulk.tensor with a cluster mask\n"
     "  void copy(void const* desc, unsigned mask);\n};\n}\n"},
    {"include/arch/copy_async.hpp",
     "template <class S, class D>\nstruct SM80_CP_ASYNC_CACHEALWAYS {\n"
     "  static void copy(S const& s, D& d) { asm(\"cp.async.ca.shared.global\"); }\n};\n"
     "struct SM80_CP_ASYNC_ZFILL { // zero fill of what is out of bounds\n};\n"},
    {"include/arch/mma_wgmma.hpp",
     "struct SM90_64x128x16_F32F16F16_SS { // wgmma.mma_async from shared memory\n"
     "  static void fma(unsigned long desc_a, unsigned long desc_b);\n};\n"
     "void warpgroup_arrive() {}\nvoid warpgroup_wait() {}\n"},
    {"include/layout/swizzle.hpp",
     "// A permutation of addresses that avoids bank conflicts in shared memory.\n"
     "template <int BBits, int MBase, int SShift>\nstruct Swizzle {\n"
     "  int apply(int offset) { return offset ^ ((offset & mask) >> SShift); }\n};\n"},
    {"include/pipeline/pipeline.hpp",
     "class PipelineTmaAsync {\n  void producer_acquire(int stage);\n"
     "  void producer_commit(int stage);\n  void consumer_wait(int stage);\n"
     "  void consumer_release(int stage);\n};\n"},
    {"include/numeric/conversion.h",
     "template <class To, class From, int N>\nstruct NumericArrayConverter {\n"
     "  To convert(From const& source);\n};\n"
     "// bfloat16 from float, two at a time: cvt.rn.bf16x2.f32\n"},
    {"include/gemm/tile_scheduler_stream_k.hpp",
     "struct PersistentTileSchedulerStreamK {\n  int get_work_tile(int k);\n};\n"},
    {"include/epilogue/visitor.hpp",
     "template <class Op> struct TreeVisitor {\n  void visit(int accumulator);\n};\n"
     "struct BiasRelu { float operator()(float x, float bias); };\n"},
    {"include/reduce/warp_reduce.cuh",
     "__device__ float warp_reduce_sum(float x) {\n"
     "  for (int i = 16; i > 0; i /= 2) x += __shfl_xor_sync(~0u, x, i);\n  return x;\n}\n"},
    {"python/softmax.py",
     "class OnlineSoftmax:\n    def rescale(self, row_max):\n        \"\"\"flash "
     "attention\"\"\"\n"},
    {"test/copy_test.cu",
     "#include \"arch/copy_tma.hpp\"\nTEST(Tma, LoadMulticast) { run_tma_test(); }\n"
     "TEST(Tma, Load) { run_tma_test(); }\n"},
    {"docs/overview.md",
     "# Overview\nTMA loads, swizzles, pipelines, epilogues and stream-K are explained here.\n"},
    {"examples/gemm.cu",
     "#include \"pipeline/pipeline.hpp\"\nint main() { run_gemm(); return 0; }\n"},
};

struct Question {
  const char* query;
  const char* path;
};

constexpr Question kQuestions[] = {
    {"tma load multicast", "include/arch/copy_tma.hpp"},
    {"how do I copy asynchronously with zero fill", "include/arch/copy_async.hpp"},
    {"wgmma 64x128x16 f16", "include/arch/mma_wgmma.hpp"},
    {"avoid shared memory bank conflicts", "include/layout/swizzle.hpp"},
    {"pipeline producer acquire", "include/pipeline/pipeline.hpp"},
    {"convert float array to bfloat16", "include/numeric/conversion.h"},
    {"stream-k tile scheduler", "include/gemm/tile_scheduler_stream_k.hpp"},
    {"epilogue with bias and relu", "include/epilogue/visitor.hpp"},
    {"sum over the lanes of a warp", "include/reduce/warp_reduce.cuh"},
    {"NumericArrayConverter", "include/numeric/conversion.h"},
    {"flash attention online softmax", "python/softmax.py"},
    {"warpgroup_arrive", "include/arch/mma_wgmma.hpp"},
};

using Quality = TreeTest;

TEST_F(Quality, TheFirstHitIsWhereTheAnswerIs) {
  for (const Source& source : kTree) write(source.path, source.text);
  Index index = fresh();
  for (const Question& question : kQuestions)
    EXPECT_EQ(first_path(index, question.query), question.path) << question.query;
}

}  // namespace
}  // namespace kp::codesearch
