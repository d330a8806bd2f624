// SPDX-License-Identifier: Apache-2.0
// Recorded profiles and what each tool says about them. A case is
// tests/golden/diagnose/TOOL/NAME.profile.json with { device, floor, profile } and
// NAME.expected.txt beside it; with UPDATE_GOLDENS=1 the test writes the latter. Names start with
// `fires` or `silent`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "diagnose/diagnose.h"
#include "diagnose/finding_text.h"
#include "diagnose/sample_kernel.h"
#include "model/json.h"
#include "model/json_reader.h"

namespace kp::diagnose {
namespace {

const Path kFolder = Path(KP_SOURCE_DIR) / "tests" / "golden" / "diagnose";
constexpr std::string_view kSuffix = ".profile.json";

struct GoldenCase {
  DeviceSpec device;
  Floor floor;
  Profile profile;
};

Floor read_floor(const JsonReader& in) {
  Floor floor{.bytes = in.number("bytes"), .contraction = in.flag("contraction")};
  if (in.has("flops")) floor.flops = in.number("flops");
  floor.precision = precision_from(in.text("precision")).value_or(Precision::kF32);
  floor.double_data = in.flag("double_data");
  if (in.has("written")) floor.written = in.number("written");
  return floor;
}

Result<GoldenCase> read_case(const Path& path) {
  KP_TRY(const std::string text, read_text(path));
  KP_TRY(const nlohmann::json json, parse_json(text));
  JsonReader::Fault fault;
  const JsonReader in(json, "case", fault);
  GoldenCase golden{.floor = read_floor(in.object("floor"))};
  const std::string device = in.text("device");
  if (fault) return tl::unexpected<Error>(*fault);
  KP_TRY(golden.device,
         read_device_spec((Path(KP_SOURCE_DIR) / "specs" / (device + ".toml")).string()));
  golden.device.model["overlap_exponent"] = kRecordedOverlap;
  KP_TRY(golden.profile, profile_from_json(json.at("profile")));
  return golden;
}

std::string text_of(const Verdict& verdict) {
  if (const auto* finding = std::get_if<Finding>(&verdict)) return to_text(*finding);
  if (const auto* no = std::get_if<NotApplicable>(&verdict))
    return "not applicable: " + no->why + "\n";
  return "silent\n";
}

/// The gate's sentence, then what the tool says about each kernel.
std::string transcript(const GoldenCase& golden, const Tool& tool) {
  const Gate gate = classify(golden.floor, golden.profile, golden.device);
  std::string text = gate.why + "\n";
  for (const KernelProfile& kernel : golden.profile.kernels) {
    text += text_of(ask(tool, {kernel, golden.device, golden.floor, gate.boundness, gate.headroom,
                               &golden.profile}));
  }
  return text;
}

/// Nothing but the gate's sentence and "silent" for each kernel; a finding takes more lines.
bool is_silent(const std::string& transcript, const GoldenCase& golden) {
  const auto lines = std::count(transcript.begin(), transcript.end(), '\n');
  return transcript.ends_with("\nsilent\n") &&
         lines == 1 + static_cast<std::ptrdiff_t>(golden.profile.kernels.size());
}

std::vector<Path> cases_of(std::string_view tool) {
  std::vector<Path> paths;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / tool, missing)) {
    if (entry.path().string().ends_with(kSuffix)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string stem(const Path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.size() - kSuffix.size());
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, EveryRecordedProfileGetsTheRecordedAnswer) {
  const Tool* tool = find_tool(GetParam());
  ASSERT_NE(tool, nullptr);
  for (const Path& path : cases_of(GetParam())) {
    SCOPED_TRACE(path.string());
    const Result<GoldenCase> golden = read_case(path);
    ASSERT_TRUE(golden) << golden.error().text();
    const std::string actual = transcript(*golden, *tool);
    const Path expected_path = path.parent_path() / (stem(path) + ".expected.txt");
    if (std::getenv("UPDATE_GOLDENS")) {
      ASSERT_TRUE(write_file(expected_path, actual));
    }
    const Result<std::string> expected = read_text(expected_path);
    ASSERT_TRUE(expected) << expected.error().text();
    EXPECT_EQ(actual, *expected) << "run the test with UPDATE_GOLDENS=1 if this is right";
    EXPECT_EQ(stem(path).starts_with("silent"), is_silent(actual, *golden)) << actual;
  }
}

TEST_P(Golden, EachToolHasACaseThatFiresAndOneThatDoesNot) {
  std::set<std::string> names;
  for (const Path& path : cases_of(GetParam())) names.insert(stem(path));
  EXPECT_TRUE(names.contains("fires"));
  EXPECT_TRUE(names.contains("silent"));
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names;
  for (const std::unique_ptr<Tool>& tool : tools()) names.emplace_back(tool->about().name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Tools, Golden, testing::ValuesIn(tool_names()),
                         [](const auto& tool) { return tool.param; });

TEST(Catalog, ListsEveryFileOfTheFolderInAlphabeticalOrder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(Path(KP_SOURCE_DIR) / "src" / "diagnose" / "tools")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cc") && !name.ends_with("_test.cc")) {
      files.push_back(name.substr(0, name.size() - 3));
    }
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(tool_names(), files);
}

TEST(Catalog, EveryToolDescribesItselfAndSpeaksAboutSomething) {
  for (const std::unique_ptr<Tool>& tool : tools()) {
    const About about = tool->about();
    for (const std::string_view part :
         {about.sees, about.costs, about.tries, about.misleads, about.source}) {
      EXPECT_FALSE(part.empty()) << about.name;
    }
    EXPECT_FALSE(tool->needs().empty()) << about.name;
    EXPECT_TRUE(tool->relevant(Boundness::kLatency)) << about.name;
  }
}

}  // namespace
}  // namespace kp::diagnose
