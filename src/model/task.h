// SPDX-License-Identifier: Apache-2.0
// A task: what to compute, on which shapes, how to know that it is right, and where to start.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/plan.h"

namespace kp {

/// Where expected values come from.
struct Oracle {
  enum class Kind {
    kHost,     // reference.cc beside the task, in double
    kKernels,  // `oracle launch` kernels of the baseline's own plan, in double
    kSelf,     // the baseline's own outputs; the weakest, and labelled so
    kTorch,    // a problem in Python, in double, in a process that holds PyTorch
  } kind = Kind::kHost;
  Path source;         // reference.cc (kHost), the Python file (kTorch)
  Path device_source;  // reference.cu, the same in double on a GPU; may be empty
};

/// A file that belongs to a task but lies elsewhere, and its place beside a copy of the task.
struct TaskFile {
  Path file, place;
};

struct Task {
  std::string name;
  Path path;                    // the folder or the file
  std::vector<TaskFile> files;  // besides `path`
  std::string description;
  std::string reference;  // PyTorch text of the definition; may be empty
  Declaration declaration;
  std::vector<Workload> workloads;  // at least one of each role
  Oracle oracle;
  std::optional<std::string> baseline;  // source text of the starting candidate
  Path baseline_path;                   // where it came from, for messages

  std::vector<const Workload*> with_role(WorkloadRole role) const;
};

std::string_view name_of(Oracle::Kind kind);

/// A candidate: source text, its parsed plan, and one choice for each tune parameter.
struct Candidate {
  std::string source;
  std::string file = "candidate.cu";  // how messages call it
  Plan plan;
  Bindings tune;  // complete: a value for every plan.tunes entry

  /// Content address of source and tune choice: the identity of a candidate.
  std::string id() const;
};

/// Elements of a shape under `bindings`; errors on a dimension below 1 or above 2^40 elements.
Result<std::uint64_t> element_count(const std::vector<Expr>& shape, const Bindings& bindings);

/// The last two dimensions of `tensor` under `bindings`. Errors: as element_count.
Result<MatrixExtents> matrix_of(const Tensor& tensor, const Bindings& bindings);

/// The least bytes any implementation moves: `work bytes` when given, else every tensor once (inout
/// twice). And its floating-point operations: by the declaration's formula, else what was counted
/// for this workload; absent when the task does not say.
Result<double> compulsory_bytes(const Declaration& declaration, const Bindings& axes);
Result<std::optional<double>> declared_flops(const Declaration& declaration,
                                             const Workload& workload);

/// Without the workloads that are of no use on such a device.
Task fitted(Task task, bool hardware);

}  // namespace kp
