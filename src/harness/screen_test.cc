// SPDX-License-Identifier: Apache-2.0
// Small tasks that can be passed without their work, each beside a twin that cannot.
#include "harness/screen.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

/// One thread a row; `body` computes the row `out` from the row `in`, of `cols` elements.
struct RowTask {
  std::string body;
  std::string x = "input x : f32[rows, cols]";
  std::string y = "output y : f32[rows, cols]";
  std::string type = "T";  // of y in C, where it is not x's
  std::string check = "rows = 12, cols = 300";
  std::string out_cols = "cols";
};

std::string text_of(const RowTask& task) {
  const std::string kernel = fmt::format(
      "void {{0}}(const {{1}}* x, const {{1}}* w, {0}* y, int rows, int cols) {{{{\n"
      "  typedef {{1}} T;\n"
      "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (r >= rows) return;\n"
      "  const T* in = x + r * cols;\n"
      "  {0}* out = y + r * ({1});\n",
      task.type == "T" ? "{1}" : task.type, task.out_cols);
  const auto written = [&](const char* name, const char* type) {
    return "extern \"C\" __global__ " + fmt::format(fmt::runtime(kernel), name, type) + task.body +
           "\n}\n";
  };
  return fmt::format(
             "/* kernelpro\naxis   rows = 64, cols = 512\ncheck  {}\n{}\n"
             "weight w : f32[cols]\n{}\nprecision f32\n"
             "launch work<<<ceil_div(rows, 32), 32>>>(x, w, y, rows, cols)\n"
             "oracle launch exact<<<ceil_div(rows, 32), 32>>>(x, w, y, rows, cols)\n*/\n",
             task.check, task.x, task.y) +
         written("work", "float") + written("exact", "double");
}

class ScreenTest : public DeviceTest {
 protected:
  Result<Screening> screen_of(const std::string& text, const std::string& reference = "") {
    KP_TRY_VOID(write_file(folder_.path() / "t.cu", text));
    if (!reference.empty()) KP_TRY_VOID(write_file(folder_.path() / "t.reference.cc", reference));
    KP_TRY(const Task task, task::read_task(folder_.path() / "t.cu"));
    return screen_of(task);
  }
  Result<Screening> screen_of(const Task& task) {
    KP_TRY(const auto oracle, open_reference(task, *device_, *builder_, cache()));
    return screen(task, *oracle);
  }
  Screening screened(const RowTask& task) {
    auto screening = screen_of(text_of(task));
    EXPECT_TRUE(screening) << screening.error().text();
    return screening ? *std::move(screening) : Screening{};
  }
};

/// The attacks that pass on contract inputs, in order.
std::vector<std::string> passing(const Screening& screening,
                                 AttackReport::Verdict verdict = AttackReport::Verdict::kPasses) {
  std::vector<std::string> names;
  for (const AttackReport& report : screening.reports) {
    if (report.judged && report.verdict == verdict) names.push_back(report.attack);
  }
  return names;
}
std::vector<std::string> excused(const Screening& screening) {
  return passing(screening, AttackReport::Verdict::kExcused);
}

const AttackReport& report_of(const Screening& screening, std::string_view attack) {
  for (const AttackReport& report : screening.reports) {
    if (report.attack == attack) return report;
  }
  ADD_FAILURE() << "no report of " << attack;
  static const AttackReport none;
  return screening.reports.empty() ? none : screening.reports.front();
}

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string each(const std::string& value) {
  return "for (int c = 0; c < cols; ++c) out[c] = " + value + ";";
}

TEST_F(ScreenTest, ATaskWhoseWorkShowsIsSound) {
  const Screening screening = screened({.body = each("in[c] + w[c]")});
  EXPECT_EQ(screening.degenerate(), std::nullopt);
  EXPECT_EQ(passing(screening), Names{});
  EXPECT_EQ(excused(screening), Names{});
  EXPECT_EQ(screening.zero_mean_sound, std::nullopt) << "its inputs are zero-mean";
  EXPECT_EQ(screening.notes, Names{"oracle: kernels in double"});
  EXPECT_GT(report_of(screening, "zeros").error, report_of(screening, "zeros").limit);
}

TEST_F(ScreenTest, ATaskThatOnlyAGpuCanCheckIsNotCalledSound) {
  ASSERT_TRUE(screen_of(text_of({.body = each("in[c]")})));
  Task task = *task::read_task(folder_.path() / "t.cu");
  for (Workload& workload : task.workloads) {
    if (workload.role == WorkloadRole::kCheck) workload.place = WorkloadPlace::kHardware;
  }
  const auto refused = screen_of(task);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

TEST_F(ScreenTest, AnOutputThatIsAlwaysZeroIsCaught) {
  const Screening screening = screened({.body = each("max(min(in[c], T(0)), T(0))")});
  ASSERT_TRUE(screening.degenerate());
  EXPECT_EQ(screening.degenerate()->find("`y` passes as: zeros, "), 0u)
      << screening.degenerate().value_or("sound");
  EXPECT_TRUE(report_of(screening, "zeros").close_tight);
  EXPECT_EQ(passing(screened({.body = each("min(in[c], T(0))")})), Names{});
}

TEST_F(ScreenTest, AThresholdThatNothingReachesIsCaught) {
  EXPECT_TRUE(holds(passing(screened({.body = each("max(in[c] - T(8), T(0))")})), "zeros"));
  EXPECT_EQ(passing(screened({.body = each("max(in[c] - T(1), T(0))")})), Names{});
}

TEST_F(ScreenTest, AnOutputThatIsNearlyConstantIsCaught) {
  const Screening screening = screened({.body = each("T(3) + T(1e-6) * in[c]")});
  EXPECT_TRUE(holds(passing(screening), "constant")) << screening.degenerate().value_or("sound");
  EXPECT_TRUE(holds(passing(screening), "other inputs"));
  EXPECT_FALSE(holds(passing(screening), "zeros"));
  EXPECT_EQ(passing(screened({.body = each("T(3) + in[c]")})), Names{});
}

TEST_F(ScreenTest, AnOutputThatOnlyTheWeightsDetermineIsCaught) {
  const Screening screening = screened({.body = each("w[c] + T(1e-9) * in[c]")});
  EXPECT_EQ(passing(screening),
            (Names{"other inputs", "a quarter unread", "last quarter of other inputs"}));
}

TEST_F(ScreenTest, WorkThatVanishesFurtherAlongTheRowIsCaught) {
  RowTask product{.body = "T p = 1; for (int c = 0; c < cols; ++c) out[c] = p *= in[c];"};
  product.check = "rows = 8, cols = 2000";
  EXPECT_EQ(passing(screened(product)), Names{"row tails zeros"});
  product.body = "T p = 0; for (int c = 0; c < cols; ++c) out[c] = p += in[c];";
  EXPECT_EQ(passing(screened(product)), Names{});
}

TEST_F(ScreenTest, DataThatNeedNotBeReadIsCaught) {
  RowTask sum{.body =
                  "T s = 0, d = 1; for (int c = 0; c < cols; ++c, d *= T(0.98)) "
                  "s += d * in[c]; out[0] = s;",
              .y = "output y : f32[rows]",
              .check = "rows = 1, cols = 1000",
              .out_cols = "1"};
  EXPECT_EQ(passing(screened(sum)), Names{"a quarter unread"});
  sum.body = "T s = 0; for (int c = 0; c < cols; ++c) s += in[c]; out[0] = s;";
  EXPECT_EQ(passing(screened(sum)), Names{});
}

TEST_F(ScreenTest, DataThatTheTaskNeverReadsIsNoFault) {
  const Screening screening =
      screened({.body = "T s = 0; for (int c = 0; c < cols / 2; ++c) s += in[c]; out[0] = s;",
                .y = "output y : f32[rows]",
                .check = "rows = 1, cols = 1000",
                .out_cols = "1"});
  EXPECT_EQ(screening.degenerate(), std::nullopt);
  EXPECT_EQ(excused(screening), Names{"a quarter unread"});
  EXPECT_EQ(report_of(screening, "a quarter unread").reason,
            "that part is what it is whatever the inputs");
}

TEST_F(ScreenTest, APartThatIsZeroByTheProblemsNatureIsNoFault) {
  const Screening padded = screened({.body = each("r < 9 ? in[c] : T(0)")});
  EXPECT_EQ(padded.degenerate(), std::nullopt);
  EXPECT_EQ(excused(padded),
            (Names{"a quarter unread", "last quarter zeros", "last quarter of other inputs"}));
  const Screening triangle =
      screened({.body = each("c <= r ? in[c] : T(0)"), .check = "rows = 40, cols = 40"});
  EXPECT_EQ(triangle.degenerate(), std::nullopt);
}

TEST_F(ScreenTest, RowsOfOneValueAreNoFaultWhereThatValueIsTheWork) {
  const std::string sum = "T s = 0; for (int c = 0; c < cols; ++c) s += in[c];";
  const Screening spread = screened({.body = sum + each("s")});
  EXPECT_EQ(spread.degenerate(), std::nullopt);
  EXPECT_EQ(excused(spread), Names{"row means"});
  const Screening hidden = screened({.body = sum + each("s + T(1e-5) * in[c]")});
  EXPECT_EQ(passing(hidden), Names{"row means"}) << "nobody would miss what is added";
}

TEST_F(ScreenTest, AnswersOfTrueAndFalseAreJudgedExactly) {
  const std::string any = "int n = 0; for (int c = 0; c < cols; ++c) n += in[c] > T(0) ? 1 : 0;";
  RowTask task{.body = any + "out[0] = n > 0;",
               .y = "output y : bool[rows]",
               .type = "bool",
               .out_cols = "1"};
  EXPECT_TRUE(holds(passing(screened(task)), "other inputs"));
  task.body = any + "out[0] = n > cols / 2;";
  EXPECT_EQ(passing(screened(task)), Names{});
}

TEST_F(ScreenTest, AnArrayThatStaysAsItIsIsCaught) {
  const auto text = [](const std::string& change) {
    std::string kernels;
    for (const auto& [name, type] : {std::pair{"work", "float"}, std::pair{"exact", "double"}})
      kernels += fmt::format(
          "extern \"C\" __global__ void {}(const {}* x, {}* y, int n) {{\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += {};\n}}\n",
          name, type, type, change);
    return "/* kernelpro\naxis   n = 4096\ncheck  n = 500\ninput  x : f32[n]\n"
           "inout  y : f32[n]\nprecision f32\n"
           "launch work<<<ceil_div(n, 32), 32>>>(x, y, n)\n"
           "oracle launch exact<<<ceil_div(n, 32), 32>>>(x, y, n)\n*/\n" +
           kernels;
  };
  const auto idle = screen_of(text("1e-9f * x[i]"));
  ASSERT_TRUE(idle) << idle.error().text();
  EXPECT_TRUE(holds(passing(*idle), "untouched"));
  const auto busy = screen_of(text("x[i]"));
  ASSERT_TRUE(busy) << busy.error().text();
  EXPECT_EQ(passing(*busy), Names{});
}

TEST_F(ScreenTest, ZeroMeanInputsAreTriedWhereTheContractHasOthers) {
  RowTask sum{.body = "T s = 0; for (int c = 0; c < cols; ++c) s += in[c]; out[0] = s;",
              .x = "input x : f32[rows, cols] ~ uniform(1, 1.001)",
              .y = "output y : f32[rows]",
              .check = "rows = 8, cols = 4096",
              .out_cols = "1"};
  const Screening narrow = screened(sum);
  EXPECT_TRUE(holds(passing(narrow), "other inputs")) << "2e-4 of the sum, over sqrt(4096)";
  EXPECT_EQ(narrow.zero_mean_sound, true);
  sum.x = "input x : f32[rows, cols] ~ uniform(0, 4)";
  sum.body = "T s = 0; for (int c = 0; c < cols; ++c) s += sqrt(in[c]); out[0] = s;";
  const Screening roots = screened(sum);
  EXPECT_EQ(roots.degenerate(), std::nullopt);
  EXPECT_EQ(roots.zero_mean_sound, std::nullopt);
  EXPECT_NE(roots.notes.front().find("does not take zero-mean inputs"), std::string::npos);
}

TEST_F(ScreenTest, TheAuthorsInputsAreReportedBesideTheVerdict) {
  const RowTask sum{.body = "T s = 0; for (int c = 0; c < cols; ++c) s += in[c]; out[0] = s;",
                    .y = "output y : f32[rows]",
                    .check = "rows = 8, cols = 4096",
                    .out_cols = "1"};
  ASSERT_TRUE(write_file(folder_.path() / "t.cu", text_of(sum)));
  Task task = *task::read_task(folder_.path() / "t.cu");
  Workload original = *task.with_role(WorkloadRole::kTime).front();
  original.role = WorkloadRole::kBeside;
  original.place = WorkloadPlace::kHardware;
  original.distributions["x"] = {Distribution::Kind::kUniform, 1, 1.001};
  task.workloads.push_back(original);
  const auto screening = screen_of(task);
  ASSERT_TRUE(screening) << screening.error().text();
  EXPECT_EQ(screening->degenerate(), std::nullopt) << "candidates are not judged on them";
  Names passes;
  for (const AttackReport& report : screening->reports) {
    if (report.verdict == AttackReport::Verdict::kPasses && report.inputs == "published")
      passes.push_back(report.attack);
  }
  EXPECT_TRUE(holds(passes, "other inputs"));
}

TEST_F(ScreenTest, AReferenceThatDrawsRandomNumbersIsCaught) {
  const auto screening = screen_of(kScale,
                                   "#include <kernelpro/reference.h>\n#include <random>\n"
                                   "extern \"C\" int kernelpro_reference(const kp_axis*, int32_t, "
                                   "const kp_tensor* in, int32_t, kp_tensor* out, int32_t) {\n"
                                   "  std::random_device mask;\n"
                                   "  for (int64_t i = 0; i < out[0].count; ++i)\n"
                                   "    out[0].values[i] = mask() % 2 ? in[0].values[i] : 0;\n"
                                   "  return 0;\n}\n");
  ASSERT_TRUE(screening) << screening.error().text();
  EXPECT_EQ(screening->degenerate(),
            "`y` is another one each time: the reference draws random numbers");
}

TEST_F(ScreenTest, ToldInJson) {
  const auto json = to_json(screened({.body = each("T(0) * in[c]")}));
  EXPECT_EQ(json.at("sound"), false);
  EXPECT_EQ(json.at("attacks").at(0).at("attack"), "zeros");
  EXPECT_EQ(json.at("attacks").at(0).at("verdict"), "passes");
  EXPECT_EQ(json.at("attacks").at(0).at("allclose").at("1e-4"), true);
  EXPECT_TRUE(json.at("zero_mean_sound").is_null());
}

}  // namespace
}  // namespace kp::harness
