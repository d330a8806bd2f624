// SPDX-License-Identifier: Apache-2.0
#include "harness/shared_block.h"

#include "task/python_reference.h"

namespace kp::harness {
namespace {

constexpr std::uint64_t kCudaAlignment = 512;  // bytes, as cudaMalloc's

}  // namespace

Result<std::unique_ptr<SharedBlock>> SharedBlock::make(device::Hardware& hardware,
                                                       std::vector<ArraySpec> specs,
                                                       const std::string& what) {
  device::Buffers& buffers = hardware.trusted().buffers();
  std::unique_ptr<SharedBlock> block(new SharedBlock(buffers, std::move(specs)));
  std::uint64_t end = 0;
  for (const ArraySpec& spec : block->specs_) {
    block->offsets_.push_back(end);
    end += (spec.bytes() + kCudaAlignment - 1) / kCudaAlignment * kCudaAlignment;
  }
  KP_TRY(block->base_, buffers.allocate(end, what));
  KP_TRY(block->shared_, hardware.share(block->base_));
  return block;
}

SharedBlock::~SharedBlock() {
  if (base_ != 0) buffers_.release(base_);
}

std::vector<torch::SharedArray> SharedBlock::arrays(std::size_t memory) const {
  std::vector<torch::SharedArray> arrays;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const ArraySpec& spec = specs_[i];
    arrays.push_back({.name = spec.name,
                      .dtype = task::torch_type(spec.dtype),
                      .count = spec.count,
                      .offset = shared_.offset + offsets_[i],
                      .memory = memory});
  }
  return arrays;
}

}  // namespace kp::harness
