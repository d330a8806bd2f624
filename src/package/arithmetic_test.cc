// SPDX-License-Identifier: Apache-2.0
#include "package/arithmetic.h"

#include <fmt/format.h>

#include "base/random.h"
#include "package/fixture.h"
#include "task/expr_parser.h"

namespace kp::package {
namespace {

std::string cpp(const std::string& text, const Bindings& known = {}) {
  const auto expr = task::parse_python_expr(text);
  EXPECT_TRUE(expr) << text;
  const auto source = source_of(*expr, known, Language::kCpp);
  EXPECT_TRUE(source) << text;
  return source ? *source : "";
}

TEST(Arithmetic, keeps_the_grouping_of_the_plan) {
  EXPECT_EQ(cpp("(n + 3) * 2 - m / (n - 1)"), "((n + 3) * 2) - (m / (n - 1))");
  EXPECT_EQ(cpp("ceil_div(n, 4) % 7"), "ceil_div(n, 4) % 7");
}

TEST(Arithmetic, turns_what_is_known_into_numbers) {
  EXPECT_EQ(cpp("ceil_div(n, BLOCK * 4)", {{"BLOCK", 128}}), "ceil_div(n, 512)");
  EXPECT_EQ(cpp("2 * 3 + 1"), "7");
}

TEST(Arithmetic, leaves_no_keyword_as_a_name) { EXPECT_EQ(cpp("int * 2"), "int_ * 2"); }

TEST(Arithmetic, speaks_python) {
  const auto expr = task::parse_python_expr("ceil_div(n, 4) + n // 3");
  ASSERT_TRUE(expr);
  EXPECT_EQ(*source_of(*expr, {}, Language::kPython), "ceil_div(n, 4) + (n // 3)");
}

/// A random expression over a, b, c as text.
std::string random_text(Random& random, int depth) {
  if (depth == 0 || random.below(5) == 0) {
    const char* names[] = {"a", "b", "c"};
    return random.below(3) == 0 ? std::to_string(random.below(70)) : names[random.below(3)];
  }
  const std::string left = random_text(random, depth - 1), right = random_text(random, depth - 1);
  const char* signs[] = {"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!="};
  switch (random.below(6)) {
    case 0:
      return fmt::format("ceil_div({}, {})", left, right);
    case 1:
      return fmt::format("{}({}, {})", random.below(2) == 0 ? "min" : "max", left, right);
    case 2:
      return fmt::format("(-{})", left);
    default:
      return fmt::format("({} {} {})", left, signs[random.below(std::size(signs))], right);
  }
}

/// Values among which are those that overflow and divide by zero.
std::int64_t random_value(Random& random) {
  switch (random.below(4)) {
    case 0:
      return static_cast<std::int64_t>(random.bits64());
    case 1:
      return static_cast<std::int64_t>(random.below(5)) - 2;
    default:
      return static_cast<std::int64_t>(random.below(100'000));
  }
}

std::string expected_of(const Expr& expr, const Bindings& values) {
  const auto value = expr.evaluate(values);
  return value ? std::to_string(*value) : "bad";
}

TEST(Arithmetic, computes_in_cpp_what_the_plan_computes) {
  constexpr int kExpressions = 300, kValues = 8;
  Random random(7);
  std::string program =
      "#include \"launch.cuh\"\nvoid recorded(const cudaLaunchConfig_t&, const void*, void**) {}\n"
      "void print(kernelpro::Whole w) { w.good ? std::printf(\"%lld\\n\", w.value) : "
      "std::printf(\"bad\\n\"); }\nint main() {\n";
  std::string expected;
  for (int i = 0; i < kExpressions; ++i) {
    const auto expr = task::parse_python_expr(random_text(random, 4));
    ASSERT_TRUE(expr) << expr.error().text();
    const auto source = source_of(*expr, {}, Language::kCpp);
    if (!source) continue;  // a part without names divides by zero: no plan has that
    for (int k = 0; k < kValues; ++k) {
      const Bindings values{
          {"a", random_value(random)}, {"b", random_value(random)}, {"c", random_value(random)}};
      program += "{";
      for (const auto& [name, value] : values)
        program += fmt::format("const kernelpro::Whole {}(static_cast<long long>({}ull)); ", name,
                               static_cast<std::uint64_t>(value));
      program += fmt::format("print({}); }}\n", *source);
      expected += expected_of(*expr, values) + "\n";
    }
  }
  const auto launch = read_file(Path(KP_SOURCE_DIR) / "src/package/assets/launch.cuh");
  ASSERT_TRUE(launch);
  const std::vector<File> files{{"launch.cuh", *launch}};
  EXPECT_EQ(run_with_fake_runtime(files, program + "}\n"), expected);
}

}  // namespace
}  // namespace kp::package
