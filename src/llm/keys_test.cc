// SPDX-License-Identifier: Apache-2.0
#include "llm/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/file.h"

namespace kp::llm {
namespace {

constexpr KeyName kName{"OPENAI_API_KEY", "openai"};

class KeysTest : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("OPENAI_API_KEY");
    ::unsetenv("KERNELPRO_KEYS");
    ::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("OPENAI_API_KEY");
    ::unsetenv("KERNELPRO_KEYS");
    ::unsetenv("XDG_CONFIG_HOME");
  }
  void write_keys(const std::string& text, mode_t mode = 0600) {
    ASSERT_TRUE(make_folder(file_.parent_path()));
    ASSERT_TRUE(write_file(file_, text));
    ASSERT_EQ(::chmod(file_.c_str(), mode), 0);
  }
  static Result<Secret> key_at(const std::string& url) {
    return find_key(kName, *parse_endpoint("m@" + url, ""));
  }
  static std::string value(const Result<Secret>& key) {
    EXPECT_TRUE(key) << key.error().text();
    return key ? key->reveal() : "";
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Path file_ = folder_.path() / "kernelpro/keys.toml";
};

TEST_F(KeysTest, TheHostsOwnEntryComesBeforeTheVariableAndThatBeforeTheDialects) {
  write_keys("openai = \"from-file\"\n[hosts]\n\"gateway.example\" = \"of-host\"\n");
  EXPECT_EQ(value(key_at("https://api.openai.com/v1")), "from-file");
  ::setenv("OPENAI_API_KEY", " from-variable\n", 1);
  EXPECT_EQ(value(key_at("https://api.openai.com/v1")), "from-variable");
  EXPECT_EQ(value(key_at("https://gateway.example/v1")), "of-host");
}

TEST_F(KeysTest, AVariableThatIsSetToNothingMeansNoKey) {
  write_keys("openai = \"from-file\"\n");
  ::setenv("OPENAI_API_KEY", "", 1);
  EXPECT_EQ(value(key_at("http://gpu-box:8000/v1")), "");
}

TEST_F(KeysTest, AFileThatOthersCanReadIsRefused) {
  for (const mode_t mode : {0640u, 0604u, 0660u, 0610u}) {
    write_keys("openai = \"sk-hidden\"\n", mode);
    const auto key = key_at("https://api.openai.com/v1");
    ASSERT_FALSE(key);
    EXPECT_NE(key.error().hint.find("chmod 600"), std::string::npos);
    EXPECT_EQ(key.error().text().find("sk-hidden"), std::string::npos);
  }
}

TEST_F(KeysTest, AKeyDoesNotTravelUnencryptedExceptToThisMachine) {
  ::setenv("OPENAI_API_KEY", "sk-hidden", 1);
  const auto key = key_at("http://gpu-box:8000/v1");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().message, "the key would travel unencrypted to gpu-box");
  EXPECT_EQ(key.error().text().find("sk-hidden"), std::string::npos);
  EXPECT_EQ(value(key_at("http://127.0.0.1:8000/v1")), "sk-hidden");
}

TEST_F(KeysTest, OnlyAnEncryptedServerElsewhereNeedsOne) {
  EXPECT_TRUE(key_at("http://localhost:8000/v1")->empty());
  EXPECT_TRUE(key_at("https://localhost:8000/v1")->empty());
  EXPECT_TRUE(key_at("http://gpu-box:8000/v1")->empty());
  const auto key = key_at("https://api.openai.com/v1");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().message, "there is no key for api.openai.com");
  EXPECT_NE(key.error().hint.find("OPENAI_API_KEY"), std::string::npos);
}

TEST_F(KeysTest, AFileThatCannotBeUnderstoodIsNotQuoted) {
  for (const char* text : {"openai = sk-hidden", "openai = 3", "openai = \"sk-hidden two\""}) {
    write_keys(text);
    const auto key = key_at("https://api.openai.com/v1");
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().text().find("sk-hidden"), std::string::npos) << key.error().text();
  }
}

TEST_F(KeysTest, AFileThatIsAskedForMustExist) {
  ::setenv("KERNELPRO_KEYS", "nowhere.toml", 1);
  const auto key = key_at("https://api.openai.com/v1");
  ASSERT_FALSE(key);
  EXPECT_NE(key.error().message.find("nowhere.toml"), std::string::npos);
}

}  // namespace
}  // namespace kp::llm
