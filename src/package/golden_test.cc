// SPDX-License-Identifier: Apache-2.0
// What is written for two operators, in full: tests/golden/export/NAME.FORM.txt. UPDATE_GOLDENS=1
// writes them again.
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "package/fixture.h"

namespace kp::package {
namespace {

const Path kFolder = Path(KP_SOURCE_DIR) / "tests" / "golden" / "export";

/// Files that are the same for every operator have tests of their own.
bool is_fixed(const std::string& name) {
  return name.ends_with(".cuh") || name == "gate_rules.h" || name.ends_with(".py");
}

std::string transcript(const std::vector<File>& files) {
  std::string text;
  for (const File& file : files) {
    if (!is_fixed(file.name)) text += "==== " + file.name + "\n" + file.text;
  }
  return text;
}

/// The module's text apart from what assets/module.py fixes.
std::string tables_of(const std::string& module) {
  std::string text;
  bool inside = false;
  for (const std::string_view line : split_lines(module)) {
    inside |= line.starts_with("AXES") || line.starts_with("def shapes_of") ||
              line.starts_with("CASES") || line.starts_with("def op(");
    inside &= !line.empty();
    if (inside) text += std::string(line) + "\n";
  }
  return text;
}

void compare(const std::string& name, const std::string& text) {
  const Path path = kFolder / name;
  if (std::getenv("UPDATE_GOLDENS") != nullptr) {
    ASSERT_TRUE(make_folder(kFolder));
    ASSERT_TRUE(write_file(path, text));
  }
  const auto golden = read_file(path);
  ASSERT_TRUE(golden) << golden.error().text();
  EXPECT_EQ(text, *golden) << "UPDATE_GOLDENS=1 writes " << path;
}

void compare_all(const Delivery& delivery, const std::string& name) {
  const auto cpp = write_cpp(delivery);
  ASSERT_TRUE(cpp) << cpp.error().text();
  compare(name + ".cpp.txt", transcript(*cpp));
  const auto torch = write_torch(delivery);
  ASSERT_TRUE(torch) << torch.error().text();
  std::string text;
  for (const File& file : *torch) {
    if (file.name.ends_with("_binding.cu")) text += file.text;
    if (file.name.ends_with(".py")) text += "==== " + file.name + "\n" + tables_of(file.text);
  }
  compare(name + ".torch.txt", text);
}

TEST(Golden, an_elementwise_kernel) { compare_all(swish(), "swish"); }

TEST(Golden, buffers_and_two_launches) { compare_all(row_sums(), "row_sums"); }

TEST(Golden, no_placeholder_is_left_in_a_python_module) {
  const auto files = write_torch(row_sums());
  ASSERT_TRUE(files);
  for (const File& file : *files) {
    if (!file.name.ends_with(".py")) continue;
    EXPECT_EQ(file.text.find('@'), std::string::npos) << file.text;
  }
}

TEST(Golden, python_accepts_the_modules) {
  const auto files = write_torch(row_sums());
  ASSERT_TRUE(files);
  const TemporaryFolder folder = *TemporaryFolder::make();
  std::vector<std::string> command{"python3", "-m", "py_compile"};
  for (const File& file : *files) {
    if (!file.name.ends_with(".py")) continue;
    ASSERT_TRUE(write_file(folder.path() / file.name, file.text));
    command.push_back(file.name);
  }
  const auto exit = run_child({.command = command,
                               .folder = folder.path(),
                               .environment = {},
                               .inherit_environment = true});
  ASSERT_TRUE(exit);
  EXPECT_TRUE(exit->ok()) << exit->error_output;
}

}  // namespace
}  // namespace kp::package
