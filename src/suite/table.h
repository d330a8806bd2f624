// SPDX-License-Identifier: Apache-2.0
// Tables for people, as aligned text or as Markdown.
#pragma once
#include <string>
#include <vector>

namespace kp::suite {

struct Table {
  std::string title;
  std::vector<std::string> notes;  // sentences above the table
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

enum class Form { kText, kMarkdown };
std::string to_string(const Table& table, Form form);
std::string to_string(const std::vector<Table>& tables, Form form);

}  // namespace kp::suite
