// SPDX-License-Identifier: Apache-2.0
// The verbs that clients call, one file each; catalog.cc is the only list.
#pragma once
#include <memory>

#include "mcp/tool.h"
#include "mcp/workplace.h"

namespace kp::mcp {

class CodeShelf;

Tool make_optimize_start(std::shared_ptr<Workplace> place);
Tool make_ask();
Tool make_submit_candidate(std::shared_ptr<Workplace> place);
Tool make_best(std::shared_ptr<Workplace> place);
Tool make_diagnose(std::shared_ptr<Workplace> place);
Tool make_show_tree();
Tool make_explain();
Tool make_list_tools();
Tool make_search_code(std::shared_ptr<CodeShelf> shelf);
Tool make_read_code(std::shared_ptr<CodeShelf> shelf);

}  // namespace kp::mcp
