// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rows.h"

#include <gtest/gtest.h>

namespace kp::profile::ncu {
namespace {

std::vector<std::string> fields_of(std::string_view text) {
  RowReader reader(text);
  Row row;
  EXPECT_TRUE(reader.read(row));
  std::vector<std::string> fields;
  for (const std::string_view field : row) fields.push_back(unquoted(field));
  return fields;
}

using Fields = std::vector<std::string>;

TEST(Rows, commas_quotes_and_line_ends_inside_quotes_belong_to_the_field) {
  EXPECT_EQ(fields_of("\"0\",\"f(int, int)\",\"he said \"\"no\"\"\",\"two\nlines\"\n"),
            (Fields{"0", "f(int, int)", "he said \"no\"", "two\nlines"}));
}

TEST(Rows, fields_without_quotes_are_read_too) {
  EXPECT_EQ(fields_of("0,app,\"k\",,7\r\n"), (Fields{"0", "app", "k", "", "7"}));
  EXPECT_EQ(fields_of("\"a\",\"\""), (Fields{"a", ""}));
  EXPECT_EQ(fields_of("\"a\",\n"), (Fields{"a", ""}));
}

TEST(Rows, a_record_that_ends_inside_quotes_was_cut_off) {
  RowReader reader("\"0\",\"app\",\"ke");
  Row row;
  EXPECT_FALSE(reader.read(row));
}

TEST(Rows, the_reader_stands_behind_the_record_it_has_read) {
  const std::string_view text = "\"a\"\r\nb\n";
  RowReader reader(text);
  Row row;
  ASSERT_TRUE(reader.read(row));
  EXPECT_EQ(reader.line(), "b");
  reader.skip_line();
  EXPECT_TRUE(reader.at_end());
  reader.move_to(0);
  EXPECT_EQ(reader.line(), "\"a\"");
}

}  // namespace
}  // namespace kp::profile::ncu
