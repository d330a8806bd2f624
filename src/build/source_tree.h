// SPDX-License-Identifier: Apache-2.0
// A CUDA source file as a syntax tree (tree-sitter with the CUDA grammar); used to read signatures
// and by the rewriter. Errors in the text leave ERROR nodes; the rest of the tree stays usable.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kp::build {

class SourceTree;

/// A node of the tree; valid as long as its SourceTree.
class SyntaxNode {
 public:
  bool valid() const;
  std::string_view type() const;  // grammar symbol: "call_expression"
  std::string_view text() const;  // the bytes it covers
  std::size_t begin() const;      // byte offsets in the source
  std::size_t end() const;
  int line() const;  // from 1
  SyntaxNode parent() const;
  SyntaxNode field(std::string_view name) const;  // "declarator", "body", ...
  std::vector<SyntaxNode> children() const;       // named children
  bool operator==(const SyntaxNode& other) const;

 private:
  friend class SourceTree;
  struct Raw {
    std::uint32_t context[4];
    const void* id;
    const void* tree;
  };
  Raw raw_{};
  const SourceTree* owner_ = nullptr;
};

class SourceTree {
 public:
  explicit SourceTree(std::string source);
  ~SourceTree();
  SourceTree(SourceTree&&) = delete;
  SyntaxNode root() const;
  const std::string& source() const { return source_; }
  /// All nodes of a type below `node`, in order of appearance.
  std::vector<SyntaxNode> all(const SyntaxNode& node, std::string_view type) const;
  /// Kernel definitions (`__global__`), in order.
  std::vector<SyntaxNode> kernels() const;

 private:
  struct State;
  std::string source_;
  std::unique_ptr<State> state_;
};

/// The operator of a unary, binary or assignment expression: "+", "<=", "+="; empty for others.
std::string_view operator_of(const SyntaxNode& expression);

}  // namespace kp::build
