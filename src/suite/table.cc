// SPDX-License-Identifier: Apache-2.0
#include "suite/table.h"

#include <algorithm>

namespace kp::suite {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) {
      if (c == '|') line += '\\';
      line += c == '\n' ? ' ' : c;
    }
    line += " |";
  }
  return line + "\n";
}

std::string markdown(const Table& table) {
  std::string text = "## " + table.title + "\n\n";
  for (const std::string& note : table.notes) text += note + "\n\n";
  if (table.rows.empty()) return text;
  text += markdown_row(table.columns) + "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  return text + "\n";
}

std::string aligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size();
    line += cells[i];
    if (!last) line.append(widths[i] - std::min(widths[i], cells[i].size()) + 2, ' ');
  }
  return "  " + line + "\n";
}

std::string plain(const Table& table) {
  std::string text = table.title + "\n";
  for (const std::string& note : table.notes) text += "  " + note + "\n";
  if (table.rows.empty()) return text + "\n";
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  text += aligned(table.columns, widths);
  for (const auto& row : table.rows) text += aligned(row, widths);
  return text + "\n";
}

}  // namespace

std::string to_string(const Table& table, Form form) {
  return form == Form::kMarkdown ? markdown(table) : plain(table);
}

std::string to_string(const std::vector<Table>& tables, Form form) {
  std::string text;
  for (const Table& table : tables) text += to_string(table, form);
  return text;
}

}  // namespace kp::suite
