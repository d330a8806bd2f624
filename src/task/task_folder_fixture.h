// SPDX-License-Identifier: Apache-2.0
// Task folders on disk for the tests of this room.
#pragma once
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {

inline constexpr const char* kDefinition = R"json({
  "name": "scale",
  "description": "y = a * x",
  "op_type": "elementwise",
  "axes": {"rows": {"type": "var"}, "cols": {"type": "const", "value": 8},
           "size": {"type": "expr", "expression": "rows * cols // 2"}},
  "constraints": ["rows > 0", "q.shape[0] == 3"],
  "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float16"},
             "w": {"shape": ["cols"], "dtype": "bfloat16"},
             "index": {"shape": ["rows"], "dtype": "int32"},
             "a": {"shape": null, "dtype": "float32"},
             "acc": {"shape": ["rows"], "dtype": "float32"}},
  "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float32"},
              "acc": {"shape": ["rows"], "dtype": "float32"},
              "total": {"shape": null, "dtype": "float32"}},
  "reference": "def run(): pass",
  "kernelpro": {"precision": "f32",
                "work": {"flops": "2 * size", "bytes": 64, "contraction": true},
                "tensors": {"w": {"role": "weight"},
                            "index": {"distribution": "int(0, rows - 1)"}}}
})json";
inline constexpr const char* kWorkloads =
    R"json({"uuid": "small", "role": "check", "axes": {"rows": 4}, "inputs": {"a": {"type": "scalar", "value": 2.5}}}
{"definition": "scale", "workload": {"uuid": "large", "axes": {"rows": 64}, "inputs": {"a": {"type": "scalar", "value": true}, "x": {"type": "random", "distribution": "uniform(0, 1)"}}}, "solution": null}
)json";

/// A task folder in the making; each file can be replaced before it is read.
class TaskFolder {
 public:
  TaskFolder() : folder_(TemporaryFolder::make().value()) {
    write("definition.json", kDefinition);
    write("workload.jsonl", kWorkloads);
    write("reference.cc", "");
  }
  void write(const char* name, std::string_view text) {
    ASSERT_TRUE(write_file(folder_.path() / name, text));
  }
  void remove(const char* name) { std::filesystem::remove(folder_.path() / name); }
  Result<Task> read() const { return read_task(folder_.path()); }
  Path path() const { return folder_.path(); }
  /// The error's text with the folder's path cut out.
  std::string error() const {
    const auto task = read();
    if (task) return "no error";
    std::string text = task.error().text();
    const std::string prefix = folder_.path().string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) {
      text.erase(at, prefix.size());
    }
    return text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace kp::task
