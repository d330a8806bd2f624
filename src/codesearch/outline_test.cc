// SPDX-License-Identifier: Apache-2.0
#include "codesearch/outline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kp::codesearch {
namespace {

std::string names_in(std::string_view path, std::string_view text) {
  std::string names;
  for (const Symbol& symbol : outline_of(path, text).symbols)
    names += fmt::format("{}{}:{}", names.empty() ? "" : " ", symbol.line, symbol.name);
  return names;
}

std::string starts_in(std::string_view path, std::string_view text) {
  return fmt::format("{}", fmt::join(outline_of(path, text).starts, " "));
}

TEST(Outline, FindsFunctionsTypesAliasesAndMacros) {
  EXPECT_EQ(names_in("a.hpp",
                     "#define TILE_M 128\n"
                     "namespace cute {\n"
                     "template <class T, int N = (1 > 0)>\n"
                     "struct CUTE_ALIGNAS(16) Tile : Base<T> {\n"
                     "  using value_type = T;\n"
                     "  CUTE_HOST_DEVICE void fill(T value) { if (N) call(value); }\n"
                     "};\n"
                     "enum class Major { K, MN };\n"
                     "template <class... Args>\n"
                     "CUTE_HOST_DEVICE constexpr auto\n"
                     "make_tile(Args const&... args) {\n"
                     "  return Tile<Args...>{args...};\n"
                     "}\n"
                     "void declared(int);\n"
                     "}  // namespace cute\n"),
            "1:TILE_M 4:Tile 5:value_type 6:fill 8:Major 11:make_tile 14:declared");
}

TEST(Outline, KernelsAreNamedByThemselvesNotByTheirAttributes) {
  EXPECT_EQ(names_in("a.cu",
                     "extern \"C\" __global__ void __launch_bounds__(256)\n"
                     "reduce(const float* x) { for (;;) { f(x); } }\n"),
            "2:reduce");
}

TEST(Outline, UsesAreNoDefinitions) {
  EXPECT_EQ(names_in("a.h",
                     "CUTE_STATIC_ASSERT(1);\nint x = f(2);\nstruct Forward;\n"
                     "auto g = [](int y) { return y; };\n"),
            "");
}

TEST(Outline, BracesOfBothBranchesOfAConditionDoNotHideWhatFollows) {
  EXPECT_EQ(names_in("a.h",
                     "#ifdef A\nvoid f(int a) {\n#else\nvoid f(long a) {\n#endif\n  g(a);\n}\n"
                     "void after(int a) {}\n"),
            "2:f 4:f 8:after");
}

TEST(Outline, PythonNamesMethodsAndStartsAtTheMargin) {
  const char* text =
      "import x\n\n@jit\ndef outer(a):\n  def inner(): pass\n\nclass Op:\n"
      "  async def run(self): pass\n";
  EXPECT_EQ(names_in("a.py", text), "4:outer 5:inner 7:Op 8:run");
  EXPECT_EQ(starts_in("a.py", text), "3 4 7");
}

TEST(Outline, ProseStartsAtItsTitles) {
  EXPECT_EQ(starts_in("a.md", "# One\ntext\n## Two\n"), "1 3");
  EXPECT_EQ(starts_in("a.rst", "Title\n=====\n\ntext\n"), "1");
}

TEST(Outline, StartsAreOutermostDeclarations) {
  EXPECT_EQ(
      starts_in("a.h", "namespace a {\nint f(int x) {\n  return x;\n}\nstruct B {\n int c;\n};\n}"),
      "1 2 5");
}

}  // namespace
}  // namespace kp::codesearch
