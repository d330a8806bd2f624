// SPDX-License-Identifier: Apache-2.0
// What the host part of a CUDA file says about sizes: constants, allocations, copies and launches.
// Reads syntax, runs nothing. Used by draft only.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "draft/host_syntax.h"
#include "draft/polynomial.h"

namespace kp::draft {

struct Dims {
  Polynomial x = 1, y = 1, z = 1;
};

/// As the plan writes it: "n", "(n, m)".
std::string to_text(const Dims& dims);

/// One `kernel<T, 4><<<grid, block, shared>>>(arguments)`.
struct HostLaunch {
  std::string kernel;              // without template arguments and namespaces
  std::vector<std::string> types;  // template arguments as written
  std::optional<Dims> grid, block;
  Polynomial shared;
  std::vector<SyntaxNode> arguments;
  int line = 0;
};

class HostProgram {
 public:
  explicit HostProgram(const SourceTree& tree);

  const std::vector<HostLaunch>& launches() const { return launches_; }
  /// Integer value of a host expression; names without a constant value stay as they are.
  /// Absent when it is no integer arithmetic.
  std::optional<Polynomial> size_of(const SyntaxNode& expression) const;
  /// The number that a host expression stands for, floating or not; absent when the file does not
  /// say.
  std::optional<double> number_of(const SyntaxNode& expression) const;
  /// The constant that the file gives to a name.
  std::optional<std::int64_t> value_of(const std::string& name) const;
  /// Bytes that the pointer variable `name` was allocated with.
  std::optional<Polynomial> bytes_of(const std::string& name) const;
  /// Whether the file copies to / from the device memory behind the pointer variable.
  bool filled(const std::string& name) const { return filled_.count(name) > 0; }
  bool copied_back(const std::string& name) const { return copied_back_.count(name) > 0; }
  bool cleared(const std::string& name) const { return cleared_.count(name) > 0; }

 private:
  void read_definitions();
  void read_calls();
  void read_launch(const SyntaxNode& call, const SyntaxNode& configuration);
  void read_memory_call(const SyntaxNode& call);
  std::optional<Dims> dims_of(const SyntaxNode& expression) const;
  std::optional<Dims> dims_of_list(const SyntaxNode& list) const;
  std::optional<Polynomial> value(const SyntaxNode& node, int depth) const;
  std::optional<Polynomial> binary(const SyntaxNode& node, int depth) const;
  std::optional<Polynomial> call(const SyntaxNode& node, int depth) const;
  std::optional<Polynomial> variable(const SyntaxNode& node, int depth) const;

  const SourceTree& tree_;
  std::map<std::string, SyntaxNode, std::less<>> definitions_;  // name -> initialiser
  std::map<std::string, std::string, std::less<>> macros_;      // name -> text
  std::set<std::string, std::less<>> assigned_;  // changed after their definition: no constants
  mutable std::map<std::string, Polynomial, std::less<>> meanings_;  // of names, once looked up
  std::vector<HostLaunch> launches_;
  std::map<std::string, Polynomial, std::less<>> bytes_;
  std::set<std::string, std::less<>> filled_, copied_back_, cleared_;
};

}  // namespace kp::draft
