// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: kernels of breadth/NAME.cu, compiled as candidates are, on the
// small device of the executor's tests, in every mode.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "build/compile.h"
#include "vgpu/machine_fixture.h"

namespace kp::vgpu {

/// The PTX of breadth/NAME.cu. Compiled once a content: the texts are kept in the build folder.
inline Result<std::string> compiled_ptx(const std::string& name) {
  static std::map<std::string, Result<std::string>> known;
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const auto make = [&]() -> Result<std::string> {
    KP_TRY(const build::Toolchain toolchain, build::find_toolchain());
    ::setenv("KERNELPRO_LIBEXEC", KP_WORKER, 0);
    build::CompileRequest request{.name = name + ".cu", .architecture = "sm_90"};
    KP_TRY(request.source,
           read_text(Path(KP_SOURCE_DIR) / "tests/kernels/breadth" / (name + ".cu")));
    const Path kept = Path(KP_BINARY_DIR) / "test-cache" /
                      ("breadth-" + build::address_of(request, toolchain) + ".ptx");
    if (auto text = read_file(kept)) return text;
    KP_TRY(const auto outcome, build::compile(request, toolchain));
    const auto* compiled = std::get_if<build::Compiled>(&outcome);
    if (compiled == nullptr || !compiled->ok)
      return fail(ErrorCode::kInvalidInput, compiled == nullptr ? "timed out" : compiled->log);
    std::filesystem::create_directories(kept.parent_path());
    KP_TRY_VOID(write_file(kept, compiled->ptx));
    return compiled->ptx;
  };
  return known.emplace(name, make()).first->second;
}

class CompiledTest : public MachineTest, public testing::WithParamInterface<Mode> {
 protected:
  explicit CompiledTest(const std::string& name) : MachineTest(parsed(name)) {
    memory_.set_shadows(GetParam() == Mode::kCheck);
  }
  void SetUp() override {
    if (!build::find_toolchain()) GTEST_SKIP() << "skipped: no CUDA toolkit";
    MachineTest::SetUp();
  }

  template <class... Arguments>
  void run(const std::string& kernel, Grid grid, Arguments... arguments) {
    const RunOptions options{.mode = GetParam(), .instruction_budget = 10'000'000};
    const auto result = launch(kernel, grid, options, arguments...);
    if (result.fault)
      ADD_FAILURE() << kernel << ": " << result.fault->message << " at "
                    << to_string(result.fault->spot);
    EXPECT_FALSE(result.out_of_budget) << kernel;
  }

 private:
  static Result<ptx::Module> parsed(const std::string& name) {
    KP_TRY(const std::string text, compiled_ptx(name));
    return ptx::parse(text, name + ".ptx");
  }
};

inline std::string mode_name(const testing::TestParamInfo<Mode>& each) {
  if (each.param == Mode::kCheck) return "check";
  return each.param == Mode::kCount ? "count" : "values";
}

/// Declares the suite `fixture` over breadth/file.cu.
#define KP_COMPILED(fixture, file)         \
  class fixture : public CompiledTest {    \
   protected:                              \
    fixture() : CompiledTest(file) {}      \
  };                                       \
  INSTANTIATE_TEST_SUITE_P(Modes, fixture, \
                           testing::Values(Mode::kValues, Mode::kCheck, Mode::kCount), mode_name)

}  // namespace kp::vgpu
