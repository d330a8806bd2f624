// SPDX-License-Identifier: Apache-2.0
// What a search and a reading give back, and their JSON form: the same on the command line, over
// MCP and in a prompt.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace kp::codesearch {

/// One piece of a file that answers a query. Lines count from 1, both ends belong to it.
struct Hit {
  std::string path;  // relative to the root; with several roots, the root's name comes first
  int first_line = 0, last_line = 0;
  double score = 0;                  // larger is better; comparable within one search only
  std::vector<std::string> symbols;  // functions, types and macros that are defined there
  int excerpt_line = 0;              // where the excerpt begins
  std::string excerpt;               // the lines that match best, at most kMostExcerptBytes
};

/// Lines of a file.
struct Passage {
  std::string path;
  int first_line = 0, last_line = 0;
  int lines = 0;     // of the whole file
  std::string text;  // each line with its end
};

nlohmann::json to_json(const Hit& hit);
nlohmann::json to_json(const Passage& passage);

}  // namespace kp::codesearch
