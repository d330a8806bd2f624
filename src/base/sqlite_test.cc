// SPDX-License-Identifier: Apache-2.0
#include "base/sqlite.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

struct Scene {
  TemporaryFolder folder = *TemporaryFolder::make();
  Path file = folder.path() / "a.db";
  Sqlite database = *Sqlite::open(file, Sqlite::Access::kWrite);

  Scene() { EXPECT_TRUE(database.execute("CREATE TABLE t(a INTEGER, b REAL, c TEXT)")); }
  std::int64_t rows() {
    auto count = *database.prepare("SELECT count(*) FROM t");
    EXPECT_EQ(count.step(), true);
    return count.integer(0);
  }
};

TEST(Sqlite, gives_back_what_was_bound) {
  Scene scene;
  auto insert = *scene.database.prepare("INSERT INTO t VALUES(?, ?, ?)");
  insert.bind(std::int64_t{1} << 40).bind(0.5).bind(std::optional<std::string_view>());
  ASSERT_TRUE(insert.run());
  auto select = *scene.database.prepare("SELECT a, b, c FROM t");
  ASSERT_EQ(select.step(), true);
  EXPECT_EQ(select.integer(0), std::int64_t{1} << 40);
  EXPECT_EQ(select.real(1), 0.5);
  EXPECT_TRUE(select.null(2));
  EXPECT_EQ(select.step(), false);
}

TEST(Sqlite, undoes_a_transaction_that_is_not_committed) {
  Scene scene;
  {
    auto dropped = *Transaction::begin(scene.database);
    ASSERT_TRUE(scene.database.execute("INSERT INTO t VALUES(1, 2, 'x')"));
  }
  EXPECT_EQ(scene.rows(), 0);
  auto kept = *Transaction::begin(scene.database);
  ASSERT_TRUE(scene.database.execute("INSERT INTO t VALUES(1, 2, 'x')"));
  ASSERT_TRUE(kept.commit());
  EXPECT_EQ(scene.rows(), 1);
}

TEST(Sqlite, reads_only_what_exists_and_what_is_a_database) {
  Scene scene;
  const auto absent = Sqlite::open(scene.folder.path() / "b.db", Sqlite::Access::kRead);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(write_file(scene.folder.path() / "text", std::string(4096, 'x')));
  const auto text = Sqlite::open(scene.folder.path() / "text", Sqlite::Access::kRead);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kCorrupt);
}

TEST(Sqlite, says_what_is_wrong_with_a_statement) {
  Scene scene;
  const auto bad = scene.database.prepare("SELECT d FROM t");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("no such column: d"), std::string::npos)
      << bad.error().message;
}

}  // namespace
}  // namespace kp
