// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "assets/reference_main.h"
#include "base/child.h"
#include "base/hash.h"
#include "base/text.h"
#include "harness/reference.h"
#include "model/device_spec.h"

namespace kp::harness {
namespace {

constexpr std::chrono::seconds kCompileDeadline{120};
constexpr std::chrono::seconds kRunDeadline{120};
constexpr std::uint64_t kLargestFile = 8ull << 30;

/// The request file of reference_main.cc.
class Request {
 public:
  void number(std::int64_t value) { append(&value, sizeof value); }

  void name(const std::string& name) {
    const std::size_t length = name.size() / 8 + 1;  // at least one closing zero
    number(static_cast<std::int64_t>(length));
    std::string padded = name;
    padded.resize(length * 8, '\0');
    bytes_ += padded;
  }

  void values(const std::vector<double>& values) { append(values.data(), values.size() * 8); }

  Result<void> shape(const Tensor& tensor, const Bindings& axes) {
    name(tensor.name);
    number(static_cast<std::int64_t>(tensor.shape.size()));
    for (const Expr& dimension : tensor.shape) {
      KP_TRY(const std::int64_t extent, dimension.evaluate(axes));
      number(extent);
    }
    return {};
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t count) {
    bytes_.append(static_cast<const char*>(data), count);
  }
  std::string bytes_;
};

std::vector<const Tensor*> outputs_of(const Task& task) {
  std::vector<const Tensor*> found;
  for (const Tensor& tensor : task.declaration.tensors) {
    if (is_output(tensor)) found.push_back(&tensor);
  }
  return found;
}

Result<std::string> request_of(const Task& task, const Workload& workload,
                               const TensorValues& inputs) {
  Request request;
  request.number(static_cast<std::int64_t>(task.declaration.axes.size()));
  for (const std::string& axis : task.declaration.axes) {
    request.name(axis);
    request.number(workload.axes.at(axis));
  }
  request.number(static_cast<std::int64_t>(inputs.size()));
  for (const Tensor& tensor : task.declaration.tensors) {
    const auto given = inputs.find(tensor.name);
    if (given == inputs.end()) continue;
    KP_TRY_VOID(request.shape(tensor, workload.axes));
    request.values(given->second);
  }
  const auto outputs = outputs_of(task);
  request.number(static_cast<std::int64_t>(outputs.size()));
  for (const Tensor* tensor : outputs) KP_TRY_VOID(request.shape(*tensor, workload.axes));
  return request.bytes();
}

Result<TensorValues> read_answer(const Task& task, const Workload& workload, const Path& path) {
  KP_TRY(const std::string bytes, read_file(path, kLargestFile));
  TensorValues values;
  std::size_t at = 0;
  for (const Tensor* tensor : outputs_of(task)) {
    KP_TRY(const std::uint64_t count, element_count(tensor->shape, workload.axes));
    std::vector<double>& own = values[tensor->name];
    own.resize(count);
    if (bytes.size() - at < count * 8)
      return fail(ErrorCode::kCorrupt, "the reference's answer is cut off",
                  "free some space in the temporary folder");
    std::memcpy(own.data(), bytes.data() + at, count * 8);
    at += count * 8;
  }
  return values;
}

/// The program made of reference.cc and reference_main.cc, from the cache or compiled now.
Result<Path> compile_reference(const Path& source, const build::Toolchain& toolchain,
                               const Path& cache) {
  KP_TRY(const std::string text, read_text(source));
  KP_TRY(const Path home, installation_folder());
  const std::string compiler = toolchain.host_compiler.string();
  const Path folder = cache / "reference" /
                      content_address({"1", compiler, text, assets::reference_main, home.string()});
  const Path program = folder / "reference";
  // Another process may have written it and not yet made it executable.
  if (::access(program.c_str(), X_OK) == 0) return program;
  if (compiler.empty())
    return fail(ErrorCode::kUnavailable, "no C++ compiler for the task's reference",
                "install one (Debian: apt-get install g++)");
  KP_TRY_VOID(make_folder(folder));
  KP_TRY(const TemporaryFolder work, TemporaryFolder::make("kernelpro-reference"));
  KP_TRY_VOID(write_file(work.path() / "main.cc", assets::reference_main));
  const Path made = work.path() / "reference";
  KP_TRY(const ChildExit exit,
         run_child({.command = {compiler, "-O2", "-std=c++20", "-ffp-contract=off",
                                "-I" + (home / "include").string(), source.string(),
                                (work.path() / "main.cc").string(), "-o", made.string()},
                    .inherit_environment = true,
                    .deadline = kCompileDeadline}));
  if (!exit.ok())
    return fail_at({source.string(), 0, 0},
                   fmt::format("the reference does not compile:\n{}", trim(exit.error_output)),
                   "it must define kernelpro_reference of <kernelpro/reference.h>");
  KP_TRY(const std::string bytes, read_file(made));
  KP_TRY_VOID(write_file(program, bytes));
  std::error_code error;
  std::filesystem::permissions(program, std::filesystem::perms::owner_all, error);
  if (!error) return program;
  return fail(ErrorCode::kIo,
              fmt::format("{} cannot be made executable: {}", program.string(), error.message()),
              "use a cache folder on a file system that allows programs (KERNELPRO_CACHE)");
}

class HostReference : public Reference {
 public:
  HostReference(const Task& task, Path program) : task_(task), program_(std::move(program)) {}

  Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs,
                               std::uint64_t) override {
    KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-reference"));
    KP_TRY(const std::string request, request_of(task_, workload, inputs));
    KP_TRY_VOID(write_file(folder.path() / "in", request));
    KP_TRY(const ChildExit exit, run_child({.command = {program_.string(), "in", "out"},
                                            .folder = folder.path(),
                                            .deadline = kRunDeadline,
                                            .file_bytes = kLargestFile}));
    if (exit.timed_out)
      return fail(ErrorCode::kTimeout,
                  fmt::format("the reference took more than {} s on workload {}",
                              kRunDeadline.count(), workload.name),
                  "use a smaller check workload");
    if (!exit.ok()) {
      const std::string how = exit.signal != 0 ? fmt::format("signal {}", exit.signal)
                                               : fmt::format("exit status {}", exit.code);
      return fail_at({task_.oracle.source.string(), 0, 0},
                     fmt::format("the reference failed on workload {}: {} {}", workload.name, how,
                                 trim(exit.error_output)),
                     "check it against the axes and tensors of the task");
    }
    return read_answer(task_, workload, folder.path() / "out");
  }

  bool varies() const override { return false; }
  std::string note() const override { return "oracle: host"; }

 private:
  const Task& task_;
  Path program_;
};

}  // namespace

Result<std::unique_ptr<Reference>> open_host_reference(const Task& task,
                                                       const build::Toolchain& toolchain,
                                                       const Path& cache) {
  KP_TRY(Path program, compile_reference(task.oracle.source, toolchain, cache));
  return std::unique_ptr<Reference>(std::make_unique<HostReference>(task, std::move(program)));
}

}  // namespace kp::harness
