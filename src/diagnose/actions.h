// SPDX-License-Identifier: Apache-2.0
// The keys by which prescriptions, rewrites and the ledger know an action. A tool prescribes them;
// a rewrite says which one it carries out; an LLM reads only their text.
#pragma once
#include <string_view>

namespace kp::diagnose::action {

inline constexpr std::string_view kPadShared = "pad-shared";          // one more column
inline constexpr std::string_view kSwizzleShared = "swizzle-shared";  // XOR the column
inline constexpr std::string_view kTileThroughShared =
    "tile-through-shared";                                        // coalesce both sides
inline constexpr std::string_view kSwapIndices = "swap-indices";  // lanes along the fast axis
inline constexpr std::string_view kAlignRows = "align-rows";      // rows start at 32 bytes
inline constexpr std::string_view kWidenAccess = "widen-access";  // 64 / 128-bit loads and stores
inline constexpr std::string_view kFloatLiterals = "float-literals";  // no accidental double
inline constexpr std::string_view kFastMath = "fast-math";            // __expf, __fdividef, ...
inline constexpr std::string_view kPackedConvert = "packed-convert";  // fewer, packed conversions
inline constexpr std::string_view kFuseMultiplyAdd = "fuse-multiply-add";
inline constexpr std::string_view kStrengthReduce = "strength-reduce";  // cheaper index arithmetic
inline constexpr std::string_view kBlockSize = "block-size";
inline constexpr std::string_view kLaunchBounds = "launch-bounds";
inline constexpr std::string_view kFewerRegisters = "fewer-registers";
inline constexpr std::string_view kLessShared = "less-shared";
inline constexpr std::string_view kMoreBlocks = "more-blocks";
inline constexpr std::string_view kGridStride = "grid-stride";
inline constexpr std::string_view kUnroll = "unroll";
inline constexpr std::string_view kWarpShuffle = "warp-shuffle";
inline constexpr std::string_view kRowPerWarp = "row-per-warp";  // a warp or block for each row
inline constexpr std::string_view kReuseThroughShared =
    "reuse-through-shared";  // tiles of a contraction or stencil
inline constexpr std::string_view kRegisterTile = "register-tile";  // several outputs a thread
inline constexpr std::string_view kTensorCores = "tensor-cores";    // products of half operands
inline constexpr std::string_view kDoubleBuffer = "double-buffer";  // one barrier for each tile
inline constexpr std::string_view kBlockOrder = "block-order";      // neighbours in L2 run together
inline constexpr std::string_view kReadOnlyLoads = "read-only-loads";  // const __restrict__
inline constexpr std::string_view kConstantIndex =
    "constant-index";  // arrays that fit registers, indexed by constants
inline constexpr std::string_view kTableToShared =
    "table-to-shared";  // lookups that lanes spread over
inline constexpr std::string_view kAggregateAtomics =
    "aggregate-atomics";                                             // one for each warp or block
inline constexpr std::string_view kPrivatise = "privatise";          // a copy in shared memory
inline constexpr std::string_view kBalanceLanes = "balance-lanes";   // equal work, whole warps
inline constexpr std::string_view kNarrowScope = "narrow-scope";     // a smaller fence or barrier
inline constexpr std::string_view kFuseOrNarrow = "fuse-or-narrow";  // at the roof: less work only
inline constexpr std::string_view kSplitEmulation =
    "split-emulation";  // f32 products as several of tf32 or bf16
inline constexpr std::string_view kWarpgroupMma = "warpgroup-mma";         // wgmma with bulk copies
inline constexpr std::string_view kFeedTensorCores = "feed-tensor-cores";  // stages, larger tiles
inline constexpr std::string_view kFuseLaunches = "fuse-launches";         // fewer, larger kernels
inline constexpr std::string_view kLaunchGraph = "launch-graph";           // record launches once
inline constexpr std::string_view kOverlapHost = "overlap-host";           // no waits, async copies
inline constexpr std::string_view kPoolAllocations = "pool-allocations";
inline constexpr std::string_view kTune = "tune";  // another value of a parameter

}  // namespace kp::diagnose::action
