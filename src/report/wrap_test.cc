// SPDX-License-Identifier: Apache-2.0
#include "report/wrap.h"

#include <gtest/gtest.h>

namespace kp::report {
namespace {

TEST(Wrapped, leaves_short_lines_and_empty_lines_alone) {
  EXPECT_EQ(wrapped("", 40), "");
  EXPECT_EQ(wrapped("\n\none\n", 40), "\n\none\n");
  const std::string full(40, 'x');
  EXPECT_EQ(wrapped(full, 40), full);
}

TEST(Wrapped, breaks_at_the_last_space_that_fits_and_keeps_the_indentation) {
  EXPECT_EQ(wrapped("  the quick brown fox jumps over the dog", 30),
            "  the quick brown fox jumps\n  over the dog");
}

TEST(Wrapped, goes_on_below_the_text_of_a_table) {
  EXPECT_EQ(wrapped("  sees   wavefronts of shared loads that are conflicts", 36),
            "  sees   wavefronts of shared loads\n         that are conflicts");
}

TEST(Wrapped, goes_on_behind_the_number_of_an_item) {
  EXPECT_EQ(wrapped("  1. Use 32-bit indices and hoist divisions", 30),
            "  1. Use 32-bit indices and\n     hoist divisions");
}

TEST(Wrapped, keeps_words_whole_that_are_longer_than_a_line) {
  const std::string word(50, 'x');
  EXPECT_EQ(wrapped(word + " end", 40), word + "\nend");
  EXPECT_EQ(wrapped(word, 40), word);
}

TEST(Wrapped, leaves_lines_alone_when_the_labels_leave_no_room) {
  const std::string line = "a very long label indeed  and its text that goes on";
  EXPECT_EQ(wrapped(line, 40), line);
}

TEST(Wrapped, is_never_wider_than_asked_when_words_are_short) {
  std::string text = "  why   ";
  for (int i = 0; i < 60; ++i) text += "word ";
  const std::string out = wrapped(text, 48);
  std::size_t begin = 0;
  for (std::size_t end = out.find('\n'); end != std::string::npos; end = out.find('\n', begin)) {
    EXPECT_LE(end - begin, 48u);
    begin = end + 1;
  }
  EXPECT_GT(begin, 0u);
}

}  // namespace
}  // namespace kp::report
