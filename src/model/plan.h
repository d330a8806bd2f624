// SPDX-License-Identifier: Apache-2.0
// The plan of a candidate: what the comment that starts with `kernelpro` says, parsed. The grammar
// is docs/candidate.md. All values; nothing here is resolved against a workload yet.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/dtype.h"
#include "model/expr.h"
#include "model/structure.h"
#include "model/tolerance.h"

namespace kp {

/// How an input is filled when a workload does not say otherwise.
struct Distribution {
  enum class Kind { kNormal, kUniform, kInteger } kind = Kind::kNormal;
  double low = 0, high = 1;  // kUniform: [low, high); kInteger: [low, high], both inclusive
  bool operator==(const Distribution&) const = default;
};

enum class TensorRole { kInput, kOutput, kInOut, kWeight };

/// One array that crosses the task's boundary; row-major, densely packed. An empty shape is a
/// scalar, passed by value, with its value in `scalar`.
struct Tensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<Expr> shape;
  TensorRole role = TensorRole::kInput;
  Distribution distribution;
  Structure structure;  // what a kernel may rely on
  std::optional<double> scalar;
  SourceSpot spot;
};
/// Whether a candidate computes it: outputs and inout arrays.
inline bool is_output(const Tensor& tensor) {
  return tensor.role == TensorRole::kOutput || tensor.role == TensorRole::kInOut;
}

/// Scratch memory of a candidate. `zeroed` asks for zeroes before each run, untimed, <= 64 KiB.
struct ScratchBuffer {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<Expr> shape;
  bool zeroed = false;
  SourceSpot spot;
};

/// `tune NAME in v1, v2 where cond`: the first value is the default; passed as -DNAME=value.
struct Tune {
  std::string name;
  std::vector<std::int64_t> values;
  std::optional<Expr> where;  // over axes and tune names
  SourceSpot spot;
};

/// What an algorithm must do at least, over axes; `contraction` names the reduced axis of a matrix
/// product where there is one.
struct Work {
  std::optional<Expr> flops;
  std::optional<Expr> bytes;  // defaults to every input and output once
  bool contraction = false;
};

enum class IncludeLevel { kRaw, kCute, kCutlass };

struct Dim3Expr {
  Expr x{1}, y{1}, z{1};
};

/// A TMA descriptor of a tensor or scratch buffer.
struct TensorMap {
  std::string name, tensor;
  std::vector<Expr> box;
  std::string swizzle = "none";  // none | 32B | 64B | 128B
  SourceSpot spot;
};

/// An argument of a launch: a tensor, scratch buffer, tensor map or scalar by name, or an integer
/// expression over axes and tune parameters, or a floating literal.
struct Argument {
  std::variant<std::string, Expr, double> value;
  SourceSpot spot;
};

struct Launch {
  std::string kernel;
  Dim3Expr grid, block;
  std::optional<Dim3Expr> cluster;
  bool cooperative = false;
  Expr shared_bytes{0};  // dynamic shared memory
  std::vector<Argument> arguments;
  SourceSpot spot;
};

/// A timed step that clears a scratch buffer or an output.
struct ZeroStep {
  std::string buffer;
  SourceSpot spot;
};
using Step = std::variant<Launch, ZeroStep>;

/// kBeside: timed on hardware at final depth and reported, but part of no result.
enum class WorkloadRole { kCheck, kTime, kBeside };
/// Where a workload is of use: one that is too large for a virtual device has a reduced stand-in.
enum class WorkloadPlace { kAnywhere, kHardware, kVirtual };

/// Elements of an input that stand in a file: little-endian, row-major, of the tensor's type.
struct FixedInput {
  Path file;
  std::string path, key;  // as the workload spells them
  std::uint64_t offset = 0, bytes = 0;
};

/// Values for all axes. `check` workloads are small and see every value set; `time` ones are timed.
struct Workload {
  std::string name;
  WorkloadRole role = WorkloadRole::kTime;
  Bindings axes;
  std::map<std::string, double> scalars;              // by tensor name
  std::map<std::string, Distribution> distributions;  // by tensor name, where they differ
  std::map<std::string, FixedInput> data;             // by tensor name; such inputs are not drawn
  std::optional<Tolerance> tolerance;                 // of the benchmark that published it
  std::string published;  // as JSON, in the words of that benchmark; empty: it is ours
  WorkloadPlace place = WorkloadPlace::kAnywhere;
  std::optional<double> flops;  // counted for these axes, where the declaration has no formula
  std::map<std::string, std::int64_t> constants;  // of a Python problem's module, for these axes
};

/// What is being computed; shared by all candidates of a task.
struct Declaration {
  std::vector<std::string> axes;  // in order of declaration
  std::vector<Tensor> tensors;    // in order of declaration
  Precision precision = Precision::kF32;
  Work work;
  const Tensor* find(std::string_view name) const;
};

/// How one candidate computes it.
struct Plan {
  std::optional<Precision> precision;  // tighter than the task's, or absent
  IncludeLevel level = IncludeLevel::kRaw;
  std::vector<Tune> tunes;
  std::vector<ScratchBuffer> buffers;
  std::vector<TensorMap> tensor_maps;
  std::vector<Step> prepare;  // sees weights only; timed apart
  std::vector<Step> steps;    // the run
  std::vector<Step> oracle;   // kernels in double that compute the reference (single-file tasks)
  SourceSpot spot;            // where the plan starts
  const ScratchBuffer* find_buffer(std::string_view name) const;
};

std::string_view name_of(TensorRole role);
std::string_view name_of(WorkloadRole role);
std::string_view name_of(IncludeLevel level);

}  // namespace kp
