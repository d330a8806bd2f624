// SPDX-License-Identifier: Apache-2.0
#include "build/source_tree.h"

#include <tree_sitter/api.h>

#include <cstring>
#include <type_traits>

#include "base/check.h"

extern "C" const TSLanguage* tree_sitter_cuda();

namespace kp::build {

struct SourceTree::State {
  TSTree* tree = nullptr;
  ~State() { ts_tree_delete(tree); }
};

namespace {

constexpr std::uint32_t kMostSourceBytes = 64u << 20;

template <class Raw>
TSNode node_of(const Raw& raw) {
  static_assert(sizeof(Raw) == sizeof(TSNode) && std::is_trivially_copyable_v<Raw>);
  TSNode node;
  std::memcpy(&node, &raw, sizeof node);
  return node;
}

template <class Raw>
Raw raw_of(const TSNode& node) {
  Raw raw;
  std::memcpy(&raw, &node, sizeof raw);
  return raw;
}

TSTree* parse_source(const std::string& source) {
  TSParser* parser = ts_parser_new();
  KP_CHECK(ts_parser_set_language(parser, tree_sitter_cuda()), "grammar and runtime must agree");
  const auto bytes = static_cast<std::uint32_t>(
      source.size() < kMostSourceBytes ? source.size() : kMostSourceBytes);
  TSTree* tree = ts_parser_parse_string(parser, nullptr, source.data(), bytes);
  ts_parser_delete(parser);
  KP_CHECK(tree != nullptr, "parsing without a time limit always gives a tree");
  return tree;
}

}  // namespace

bool SyntaxNode::valid() const { return owner_ != nullptr && !ts_node_is_null(node_of(raw_)); }

std::string_view SyntaxNode::type() const { return valid() ? ts_node_type(node_of(raw_)) : ""; }

std::string_view SyntaxNode::text() const {
  return valid() ? std::string_view(owner_->source()).substr(begin(), end() - begin())
                 : std::string_view();
}

std::size_t SyntaxNode::begin() const { return valid() ? ts_node_start_byte(node_of(raw_)) : 0; }

std::size_t SyntaxNode::end() const { return valid() ? ts_node_end_byte(node_of(raw_)) : 0; }

int SyntaxNode::line() const {
  return valid() ? static_cast<int>(ts_node_start_point(node_of(raw_)).row) + 1 : 0;
}

SyntaxNode SyntaxNode::parent() const {
  SyntaxNode found;
  if (!valid()) return found;
  found.raw_ = raw_of<Raw>(ts_node_parent(node_of(raw_)));
  found.owner_ = owner_;
  return found;
}

SyntaxNode SyntaxNode::field(std::string_view name) const {
  SyntaxNode found;
  if (!valid()) return found;
  found.raw_ = raw_of<Raw>(ts_node_child_by_field_name(node_of(raw_), name.data(),
                                                       static_cast<std::uint32_t>(name.size())));
  found.owner_ = owner_;
  return found;
}

std::vector<SyntaxNode> SyntaxNode::children() const {
  std::vector<SyntaxNode> found;
  if (!valid()) return found;
  const TSNode node = node_of(raw_);
  // A cursor, because asking for child i walks over all before it.
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
       more = ts_tree_cursor_goto_next_sibling(&cursor)) {
    const TSNode child = ts_tree_cursor_current_node(&cursor);
    if (!ts_node_is_named(child)) continue;
    SyntaxNode& added = found.emplace_back();
    added.raw_ = raw_of<Raw>(child);
    added.owner_ = owner_;
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

bool SyntaxNode::operator==(const SyntaxNode& other) const {
  return raw_.id == other.raw_.id && raw_.tree == other.raw_.tree;
}

SourceTree::SourceTree(std::string source)
    : source_(std::move(source)), state_(std::make_unique<State>()) {
  state_->tree = parse_source(source_);
}

SourceTree::~SourceTree() = default;

SyntaxNode SourceTree::root() const {
  SyntaxNode node;
  node.raw_ = raw_of<SyntaxNode::Raw>(ts_tree_root_node(state_->tree));
  node.owner_ = this;
  return node;
}

std::vector<SyntaxNode> SourceTree::all(const SyntaxNode& node, std::string_view type) const {
  std::vector<SyntaxNode> found;
  // An explicit stack: foreign text may nest deeper than the call stack.
  std::vector<SyntaxNode> open = node.children();
  std::vector<SyntaxNode> stack(open.rbegin(), open.rend());
  while (!stack.empty()) {
    const SyntaxNode next = stack.back();
    stack.pop_back();
    if (next.type() == type) found.push_back(next);
    open = next.children();
    stack.insert(stack.end(), open.rbegin(), open.rend());
  }
  return found;
}

std::vector<SyntaxNode> SourceTree::kernels() const {
  std::vector<SyntaxNode> found;
  for (const SyntaxNode& function : all(root(), "function_definition")) {
    // The grammar has no named node for __global__.
    const std::size_t body = function.field("body").begin();
    const std::string_view head =
        function.text().substr(0, body - std::min(body, function.begin()));
    if (head.find("__global__") != std::string_view::npos) found.push_back(function);
  }
  return found;
}

std::string_view operator_of(const SyntaxNode& expression) {
  return expression.field("operator").text();
}

}  // namespace kp::build
