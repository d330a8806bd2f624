// SPDX-License-Identifier: Apache-2.0
// The judge's side of the process that holds PyTorch: share/torch/kernelpro_torch, run by a Python
// that has PyTorch 1.13 or later. It loads problems written in Python, says what they take and
// give, computes expected values in double, and times the baselines that PyTorch offers. No
// candidate ever runs in it. What is said between the two is in protocol.h.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/file.h"
#include "base/result.h"
#include "base/stop.h"

namespace kp::torch {

struct WorkerOptions {
  std::string python;              // program; empty: $KERNELPRO_PYTHON, then the first one that has
                                   // PyTorch of python3 in PATH and /usr/bin/python3
  std::string device = "cpu";      // or "cuda", "cuda:1"
  const StopFlag* stop = nullptr;  // ends every wait, and the process; may be null
  std::function<ChildSpec(ChildSpec)> confine{};  // how the process is started; empty: as it is
};

/// What runs on the other side.
struct Installation {
  std::string python, python_version;  // path of the program; "3.11.2"
  std::string torch_version;           // "1.13.1"
  std::string device;                  // "NVIDIA H200", "cpu"
  bool cuda = false, compile = false;  // whether torch.compile is there
  bool recorded = false;               // nothing runs: answers come from a recording
};

/// Integers at the level of the module (sizes), by name: those of the file, or others instead.
using Constants = std::map<std::string, std::int64_t>;

struct Problem {
  int number = 0;       // how later requests call it
  std::string name;     // "25_Swish"
  std::string text;     // the file
  Constants constants;  // what may be replaced
};

/// Of the elements of a tensor.
struct Spread {
  double least = 0, most = 0, mean = 0, deviation = 0;
};

/// One tensor or number that crosses the problem's boundary.
struct Member {
  std::string name;                 // a C identifier, unique in its problem: "linear_weight"
  std::string dtype;                // "float32", "int64", "bool", ...; "float" or "int": a number
  std::vector<std::int64_t> shape;  // empty for a number and for tensors of rank 0
  std::optional<double> number;     // the value of a Python number
  std::optional<Spread> spread;     // where values were asked for and there are some
};

/// What a problem takes and gives under some constants.
struct Description {
  std::vector<Member> inputs;   // in the order of forward()
  std::vector<Member> weights;  // parameters and buffers, in the order of state_dict()
  std::vector<Member> outputs;
  std::vector<std::string> unused;          // weights that no output depends on; with values only
  std::optional<double> contraction_flops;  // of products and convolutions; a multiply-add is 2
  std::optional<double> other_flops;        // one for each element of every other operation
  bool random = false;  // two runs on equal inputs differ (dropout); with values only
};

/// `values`: really runs it, with its own inputs and weights; otherwise only shapes are followed
/// and no array is made.
struct Probe {
  int problem = 0;
  Constants constants;
  bool values = false;
};

using Tensors = std::map<std::string, std::vector<double>>;

/// Inputs and weights as the problem's own code makes them from a seed; for inputs that have a form
/// (triangular matrices, masks, tables of indices) which no distribution tells.
struct Drawing {
  int problem = 0;
  Constants constants;
  std::uint64_t seed = 0;
};

/// The outputs in double, for these inputs and weights, each by name with the row-major elements.
/// Integer tensors are given and returned as double too. Nothing of one computation is left in the
/// next: weights and buffers are set anew. Every input must be given; weights that are not given
/// are those of the problem's own code.
struct Computation {
  int problem = 0;
  Constants constants;
  Tensors inputs;
};

/// Memory of a GPU that other processes can map: CUDA's shareable handle, which stays the caller's,
/// and arrays in it. Elements are row-major.
struct SharedMemory {
  int descriptor = -1;
  std::uint64_t bytes = 0;
};
struct SharedArray {
  std::string name, dtype;              // "float64", "int64", "bool", ...
  std::uint64_t count = 0, offset = 0;  // elements; bytes from the beginning of its memory
  std::size_t memory = 0;               // index
};
/// A computation whose arrays stay where they are. Floats are float64 on both sides; of integers,
/// each has the problem's type. Inputs may be overwritten.
struct SharedComputation {
  int problem = 0;
  Constants constants;
  std::vector<SharedMemory> memory;
  std::vector<SharedArray> inputs, outputs;  // outputs in the order in which the problem gives them
  std::map<std::string, double> numbers;     // inputs that are no tensors
};

/// Which inputs and weights. Guest and worker make the same ones from the same seed.
struct Draw {
  Constants constants;
  std::uint64_t seed = 0;
  std::vector<std::string> redrawn;  // inputs from N(0, 1) instead of the author's distribution
};

/// An output as it lies in a file; every member is what the guest says.
struct RawOutput {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0, bytes = 0;
};
/// Outputs of somebody else (guest.h) beside those of the problem in double, on the same inputs and
/// weights.
struct RawComparison {
  int problem = 0;
  Draw draw;
  double nudge = 0;  // relative, of inputs, for response_l2
  int file = -1;     // descriptor
  std::vector<RawOutput> outputs;
};
/// Of one output. Sums are over elements where both sides are finite.
struct OutputDistance {
  std::string name;
  bool shape_differs = false;  // or it is missing on one side; the rest is unknown (NaN) then
  double elements = 0, special = 0;
  double error_l2 = 0, norm_l2 = 0;       // ||got - expected||, ||expected - its mean||
  double response_l2 = 0;                 // how far the expected moves with nudged inputs
  double eager_error_l2 = 0;              // of the problem's own code in its own precision
  double beyond_1e4 = 0, beyond_1e2 = 0;  // elements that fail allclose() beside that
  double worst_index = 0, got = 0, expected = 0;
};

/// How the problem's own code is run: "eager", "compile", "graph" (a CUDA graph of eager). Asked
/// for together, one that takes for ever costs the others: ask for "compile" alone.
struct Timing {
  int problem = 0;
  Constants constants;
  std::vector<std::string> modes;  // or "FILE.py:FUNCTION", a callable that takes the inputs
  std::uint64_t seed = 0;          // of inputs and weights, which are made on the device
  int warmups = 3, runs = 30;
  std::chrono::milliseconds budget{10'000};  // for each mode; runs end early then
  std::string precision{};  // "f32" or "tf32", of products and convolutions; empty: the defaults
};
/// Nanoseconds of each run with a cold L2, by mode; a mode that does not work has none, and says
/// why.
struct Timed {
  std::map<std::string, std::vector<double>> nanoseconds;
  std::map<std::string, std::string> failures;

  /// Of the runs of `mode`; nothing where it has none.
  std::optional<double> median(const std::string& mode) const;
};

/// What a worker does with outputs and memory of others.
class Arbiter {
 public:
  virtual ~Arbiter() = default;
  /// kLimit: the double does not fit.
  virtual Result<std::vector<OutputDistance>> compare(const RawComparison& comparison) = 0;
  /// As Worker::compute(), on the GPU that the worker is for, without copies through the host. How
  /// many bytes of the GPU the process then keeps for the next of these, until release(). kLimit:
  /// it does not fit.
  virtual Result<std::uint64_t> answer(const SharedComputation& computation) = 0;
  virtual Result<void> release() = 0;
};

/// For one thread at a time; the process ends with the thread that started it.
class Worker {
 public:
  /// kUnavailable, with how to get it, where no Python with PyTorch is found or it does not start.
  static Result<std::unique_ptr<Worker>> start(const WorkerOptions& options);
  explicit Worker(Installation installation) : installation_(std::move(installation)) {}
  virtual ~Worker() = default;

  const Installation& installation() const { return installation_; }
  /// kUnsupported when the file defines no problem of a known form, with the reason; kInvalidInput
  /// with the Python traceback's last line when it does not run.
  virtual Result<Problem> load(const Path& file) = 0;
  /// kUnsupported: inputs or outputs that are no tensors or numbers. kLimit: out of memory. After a
  /// crash or a deadline the process is started anew and problems are loaded again by themselves.
  virtual Result<Description> probe(const Probe& probe) = 0;
  virtual Result<Tensors> draw(const Drawing& drawing) = 0;
  virtual Result<Tensors> compute(const Computation& computation) = 0;
  virtual Result<Timed> time(const Timing& timing) = 0;
  virtual Arbiter& arbiter() = 0;

 private:
  Installation installation_;
};

}  // namespace kp::torch
