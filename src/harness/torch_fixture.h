// SPDX-License-Identifier: Apache-2.0
// A process that holds PyTorch, as the tests of this room need one: it computes kScale in C++, on
// arrays of the virtual GPU. What HardwareTest's device shares is a file that tells an address.
#pragma once
#include <unistd.h>

#include <functional>

#include "device/device.h"
#include "torch/worker.h"

namespace kp::harness {

class ScalingWorker : public torch::Worker, public torch::Arbiter {
 public:
  explicit ScalingWorker(device::Buffers& buffers)
      : Worker({"python", "3.12", "2.11", "a GPU", true, false}), buffers_(buffers) {}

  std::function<double(double)> of_product = [](double product) { return product; };
  std::optional<Error> failure;  // of answers
  bool computes = true;
  std::uint64_t keeps = 1000;  // bytes
  int answers = 0, releases = 0;

  Result<torch::Problem> load(const Path& file) override {
    return torch::Problem{1, file.stem().string(), "", {}};
  }
  Result<torch::Description> probe(const torch::Probe&) override { return torch::Description{}; }
  Result<torch::Tensors> draw(const torch::Drawing&) override { return torch::Tensors{}; }
  Result<torch::Timed> time(const torch::Timing&) override { return torch::Timed{}; }

  Result<torch::Tensors> compute(const torch::Computation& computation) override {
    if (!computes) return fail(ErrorCode::kInvalidInput, "no kernel for Double");
    return torch::Tensors{
        {"out", scaled(computation.inputs.at("x"), computation.inputs.at("a")[0])}};
  }

  torch::Arbiter& arbiter() override { return *this; }
  Result<std::vector<torch::OutputDistance>> compare(const torch::RawComparison&) override {
    return fail(ErrorCode::kUnsupported, "nothing is compared here");
  }
  Result<std::uint64_t> answer(const torch::SharedComputation& computation) override {
    ++answers;
    if (failure) return tl::unexpected<Error>(*failure);
    std::vector<double> x(computation.inputs.at(0).count);
    KP_TRY_VOID(buffers_.read(place(computation, computation.inputs[0]),
                              std::as_writable_bytes(std::span(x))));
    const std::vector<double> y = scaled(x, computation.numbers.at("a"));
    KP_TRY_VOID(
        buffers_.write(place(computation, computation.outputs.at(0)), std::as_bytes(std::span(y))));
    return keeps;
  }
  Result<void> release() override {
    ++releases;
    return {};
  }

 private:
  std::vector<double> scaled(std::vector<double> x, double a) const {
    for (double& value : x) value = of_product(a * value);
    return x;
  }
  static std::uint64_t place(const torch::SharedComputation& computation,
                             const torch::SharedArray& array) {
    std::uint64_t base = 0;
    const int file = computation.memory.at(array.memory).descriptor;
    const bool told = ::pread(file, &base, sizeof base, 0) == sizeof base;
    return told ? base + array.offset : 0;
  }

  device::Buffers& buffers_;
};

}  // namespace kp::harness
