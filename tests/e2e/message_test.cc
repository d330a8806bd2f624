// SPDX-License-Identifier: Apache-2.0
// Bad input gets a clear error. Each folder of tests/golden/messages is one case: `command` holds
// the arguments, `expected.txt` the exit code and all that is printed. UPDATE_GOLDENS=1 rewrites
// the latter.
#include <algorithm>
#include <cstdlib>
#include <regex>

#include "base/text.h"
#include "e2e/program.h"

namespace kp::e2e {
namespace {

const Path kCases = Path(KP_SOURCE_DIR) / "tests/golden/messages";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Takes out what differs between machines: where the tree and temporary folders are, times,
/// addresses.
std::string stable(std::string text) {
  text = std::regex_replace(text, std::regex(KP_SOURCE_DIR), "TREE");
  text = std::regex_replace(text, std::regex("/tmp/[A-Za-z0-9_.-]+"), "TEMPORARY");
  text = std::regex_replace(text, std::regex("0x[0-9a-f]{6,}"), "ADDRESS");
  return std::regex_replace(text, std::regex("[0-9.]+ GB left"), "N GB left");
}

class Message : public testing::TestWithParam<std::string> {};

TEST_P(Message, is_clear) {
  const Path folder = kCases / GetParam();
  if (std::filesystem::exists(folder / "only_without_gpu") &&
      std::filesystem::exists("/dev/nvidiactl")) {
    GTEST_SKIP() << "skipped: there is a device";
  }
  const auto command = read_text(folder / "command");
  ASSERT_TRUE(command) << command.error().text();
  const auto scratch = *TemporaryFolder::make();
  std::vector<std::string> arguments;
  for (const auto word : split(trim(*command), ' ')) {
    std::string argument(word);
    const auto at = argument.find("OUT");
    if (at == 0) argument.replace(0, 3, (scratch.path() / "run").string());
    if (!argument.empty()) arguments.push_back(argument);
  }
  auto spec = spec_of(arguments);
  spec.folder = folder;
  const auto exit = run_child(spec);
  ASSERT_TRUE(exit) << exit.error().text();
  const std::string got =
      stable("exit " + std::to_string(exit->code) + "\n" + exit->output + exit->error_output);
  const Path golden = folder / "expected.txt";
  if (std::getenv("UPDATE_GOLDENS")) {
    ASSERT_TRUE(write_file(golden, got));
  }
  const auto expected = read_text(golden);
  ASSERT_TRUE(expected) << expected.error().text();
  EXPECT_EQ(got, *expected);
}

INSTANTIATE_TEST_SUITE_P(Golden, Message, testing::ValuesIn(case_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace kp::e2e
