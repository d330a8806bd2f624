// SPDX-License-Identifier: Apache-2.0
// What machine instructions do, by their names: one table for sm_70 to sm_120.
#pragma once
#include "profile/sass_text.h"

namespace kp::profile {

enum class SassClass {
  kFloat,       // fp32 arithmetic and comparisons
  kHalf,        // packed fp16 and bf16
  kDouble,      // fp64 without matrices
  kInteger,     // arithmetic, addresses, logic, comparisons, predicates
  kUniform,     // the same once for a warp
  kMove,        // registers, special registers, selection, constants
  kXu,          // reciprocals, roots, exponentials, sines
  kConversion,  // between number formats
  kGlobalLoad,  // also loads of an address of any kind
  kGlobalStore,
  kAsyncCopy,  // global to shared memory without registers
  kTma,        // bulk copies
  kLocal,      // spilled registers and arrays with computed indices
  kShared,     // shared memory, also matrices
  kAtomic,
  kTexture,
  kMmaWarp,        // matrix products of a warp
  kMmaWarpgroup,   // of a warp group, and of the tensor memory of sm_100
  kBarrier,        // of a block or cluster
  kSync,           // fences, transaction barriers, waits for copies and matrix products
  kCommunication,  // between lanes
  kCall,
  kControl,
  kOther,
};

SassClass class_of(const SassInstruction& instruction);

/// A product and a sum in one; moves that are written as one do not count.
bool is_fused(const SassInstruction& instruction);

/// Bytes that one lane moves: 1, 2, 4, 8, 16, 32.
int bytes_per_lane(const SassInstruction& instruction);

}  // namespace kp::profile
