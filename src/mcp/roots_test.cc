// SPDX-License-Identifier: Apache-2.0
#include "mcp/roots.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kp::mcp {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

struct Folders {
  TemporaryFolder place = *TemporaryFolder::make();
  Path inside = place.path() / "in side", outside = place.path() / "outside";
  Folders() {
    std::filesystem::create_directories(inside / "sub");
    std::filesystem::create_directories(outside);
    std::filesystem::create_directory_symlink(outside, inside / "way-out");
  }
};

TEST(Roots, AdmitWhatLiesInside) {
  const Folders folders;
  Roots roots({folders.inside});
  for (const char* path : {"sub", "sub/new.cu", ".", "sub/../sub"}) {
    EXPECT_TRUE(roots.admit(path, milliseconds(0))) << path;
  }
  EXPECT_TRUE(roots.admit((folders.inside / "x").string(), milliseconds(0)));
}

TEST(Roots, RefuseWhatLeadsOutside) {
  const Folders folders;
  Roots roots({folders.inside});
  for (const char* path : {"..", "../outside", "way-out", "way-out/x", "/etc/passwd"}) {
    const auto admitted = roots.admit(path, milliseconds(0));
    ASSERT_FALSE(admitted) << path;
    EXPECT_NE(admitted.error().hint.find("in side"), std::string::npos);
  }
  EXPECT_FALSE(roots.admit(folders.inside.string() + "-twin", milliseconds(0)));
}

TEST(Roots, TheClientsGrantReplacesTheFirstFolders) {
  const Folders folders;
  Roots roots({folders.outside});
  roots.expect();
  const std::string address = "file://" + folders.place.path().string() + "/in%20side/";
  roots.grant({{"roots", {{{"uri", address}}, {{"uri", "https://x.test/"}}}}});
  EXPECT_TRUE(roots.admit("sub", milliseconds(0)));
  EXPECT_FALSE(roots.admit(folders.outside.string(), milliseconds(0)));
}

TEST(Roots, AnAnswerWithoutRootsChangesNothing) {
  const Folders folders;
  for (const json& answer :
       {json(), json::object(), json{{"roots", 3}}, json{{"roots", {1, "a"}}}}) {
    Roots roots({folders.inside});
    roots.expect();
    roots.grant(answer);
    EXPECT_TRUE(roots.admit("sub", milliseconds(0))) << answer;
  }
}

}  // namespace
}  // namespace kp::mcp
