// SPDX-License-Identifier: Apache-2.0
// What is exported: an operator in two versions, what is known of it, and the files it becomes.
#pragma once
#include <string>
#include <vector>

#include "model/task.h"
#include "package/axes.h"
#include "package/guard.h"

namespace kp::package {

/// A shape of the regression test.
struct Case {
  Workload workload;
  bool served = true;  // by the optimised kernels
};

struct Delivery {
  std::string name;  // of the operator in generated code
  Task task;
  std::vector<task::AxisSpec> axes;
  Candidate optimized, original;
  std::string architecture;  // "sm_90a": what the kernels were compiled for
  Guard guard;
  std::vector<Case> cases;
  std::vector<std::string> evidence;  // lines, without comment signs
  std::string reference;              // Python source of definition.json; may be empty
};

struct File {
  std::string name, text;
};

/// A form that a delivery can take; catalog.cc lists them.
struct Form {
  std::string_view name, about;
  Result<std::vector<File>> (*write)(const Delivery&);
};

const std::vector<Form>& forms();
/// kInvalidInput names the forms there are.
Result<Form> find_form(std::string_view name);

Result<std::vector<File>> write_cpp(const Delivery& delivery);
Result<std::vector<File>> write_torch(const Delivery& delivery);

}  // namespace kp::package
