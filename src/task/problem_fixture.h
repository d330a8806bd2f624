// SPDX-License-Identifier: Apache-2.0
// A process that holds PyTorch, as the tests of this room need one: a problem in C++.
#pragma once
#include <cmath>
#include <functional>

#include "torch/worker.h"

namespace kp::task {

/// y[rows, cols / 2] = log(x[rows, cols]) summed over pairs, plus a bias, picked by an index.
class FakeWorker : public torch::Worker, public torch::Arbiter {
 public:
  FakeWorker() : Worker({"/usr/bin/python3", "3.11.2", "1.13.1", "cpu", false, false}) {}

  torch::Constants constants{{"cols", 4096}, {"rows", 8192}, {"window", 2}};
  std::function<torch::Description(const torch::Constants&)> shapes = rows_of_pairs;
  std::function<double(double)> of_element = [](double v) { return std::log(v); };
  bool random = false;
  std::vector<std::string> unused;

  static torch::Member member(std::string name, std::string dtype,
                              std::vector<std::int64_t> shape) {
    return {std::move(name), std::move(dtype), std::move(shape), std::nullopt, std::nullopt};
  }

  static torch::Description rows_of_pairs(const torch::Constants& c) {
    const std::int64_t rows = c.at("rows"), cols = c.at("cols");
    torch::Description seen;
    seen.inputs = {member("x", "float32", {rows, cols}), member("index", "int64", {rows}),
                   member("factor", "float", {})};
    seen.inputs[2].number = 2.5;
    seen.weights = {member("bias", "float32", {cols / 2}), member("idle", "float32", {3, cols})};
    seen.outputs = {member("out", "float32", {rows, cols / 2})};
    seen.contraction_flops = 0;
    seen.other_flops = static_cast<double>(rows * cols);
    return seen;
  }

  torch::Arbiter& arbiter() override { return *this; }
  Result<std::vector<torch::OutputDistance>> compare(const torch::RawComparison&) override {
    return fail(ErrorCode::kUnsupported, "nothing is compared here");
  }
  Result<std::uint64_t> answer(const torch::SharedComputation&) override {
    return fail(ErrorCode::kUnsupported, "no memory is shared here");
  }
  Result<void> release() override { return {}; }

  Result<torch::Problem> load(const Path& file) override {
    return torch::Problem{1, file.stem().string(), "class Model: ...", constants};
  }

  Result<torch::Description> probe(const torch::Probe& probe) override {
    if (probe.constants.at("cols") < probe.constants.at("window"))
      return fail(ErrorCode::kInvalidInput, "the window is wider than a row");
    torch::Description seen = shapes(probe.constants);
    if (!probe.values) return seen;
    seen.random = random;
    seen.unused = unused;
    if (seen.inputs.size() < 2) return seen;
    seen.inputs[0].spread = torch::Spread{0.001, 0.999, 0.5, 0.29};
    seen.inputs[1].spread =
        torch::Spread{0, static_cast<double>(probe.constants.at("cols") - 1), 9, 5};
    for (torch::Member& weight : seen.weights) weight.spread = torch::Spread{0, 0, 0, 0};
    return seen;
  }

  Result<torch::Tensors> compute(const torch::Computation& computation) override {
    std::vector<double> out;
    for (const double value : computation.inputs.at("x")) out.push_back(of_element(value));
    return torch::Tensors{{"out", out}};
  }

  torch::Tensors drawn;  // whatever the seed
  Result<torch::Tensors> draw(const torch::Drawing&) override { return drawn; }

  torch::Timed timed;
  Result<torch::Timed> time(const torch::Timing&) override { return timed; }
};

}  // namespace kp::task
