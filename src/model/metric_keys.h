// SPDX-License-Identifier: Apache-2.0
// The metrics that rooms exchange, under Nsight Compute's names where it has one. A key that starts
// with `kp__` is ours. Use these constants, never a string of your own.
#pragma once
#include <string_view>

namespace kp {

struct MetricKey {
  std::string_view name;
  std::string_view unit;  // ncu's base unit: ns, byte, inst, sector, request, %, "" for ratios
};

namespace metric {
inline constexpr MetricKey kDuration{"gpu__time_duration.sum", "ns"};
inline constexpr MetricKey kDramRead{"dram__bytes_read.sum", "byte"};
inline constexpr MetricKey kDramWrite{"dram__bytes_write.sum", "byte"};
inline constexpr MetricKey kDramPct{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%"};
inline constexpr MetricKey kComputePct{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"};
inline constexpr MetricKey kMemoryPct{
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%"};
inline constexpr MetricKey kL1Pct{"l1tex__throughput.avg.pct_of_peak_sustained_active", "%"};
inline constexpr MetricKey kL2Pct{"lts__throughput.avg.pct_of_peak_sustained_elapsed", "%"};
inline constexpr MetricKey kL1HitRate{"l1tex__t_sector_hit_rate.pct", "%"};
inline constexpr MetricKey kL2HitRate{"lts__t_sector_hit_rate.pct", "%"};
inline constexpr MetricKey kL2SectorsFromL1{"lts__t_sectors_srcunit_tex.sum", "sector"};
inline constexpr MetricKey kL2AtomSectors{"lts__t_sectors_op_atom.sum", "sector"};
inline constexpr MetricKey kL2RedSectors{"lts__t_sectors_op_red.sum", "sector"};
inline constexpr MetricKey kGlobalLoadSectors{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                              "sector"};
inline constexpr MetricKey kGlobalLoadRequests{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                               "request"};
inline constexpr MetricKey kGlobalStoreSectors{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                               "sector"};
inline constexpr MetricKey kGlobalStoreRequests{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                                "request"};
inline constexpr MetricKey kLoadBytesPerSector{
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "byte/sector"};
inline constexpr MetricKey kStoreBytesPerSector{
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", "byte/sector"};
inline constexpr MetricKey kLocalLoadSectors{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                             "sector"};
inline constexpr MetricKey kLocalStoreSectors{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                                              "sector"};
inline constexpr MetricKey kSharedLoadConflicts{
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", ""};
inline constexpr MetricKey kSharedStoreConflicts{
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", ""};
inline constexpr MetricKey kSharedLoadWavefronts{
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", ""};
inline constexpr MetricKey kSharedStoreWavefronts{
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", ""};
inline constexpr MetricKey kSharedLoadInst{"smsp__sass_inst_executed_op_shared_ld.sum", "inst"};
inline constexpr MetricKey kSharedStoreInst{"smsp__sass_inst_executed_op_shared_st.sum", "inst"};
inline constexpr MetricKey kGlobalLoadInst{"smsp__sass_inst_executed_op_global_ld.sum", "inst"};
inline constexpr MetricKey kGlobalStoreInst{"smsp__sass_inst_executed_op_global_st.sum", "inst"};
inline constexpr MetricKey kGlobalAtomInst{"smsp__sass_inst_executed_op_global_atom.sum", "inst"};
inline constexpr MetricKey kGlobalRedInst{"smsp__inst_executed_op_global_red.sum", "inst"};
inline constexpr MetricKey kSharedAtomInst{"smsp__inst_executed_op_shared_atom.sum", "inst"};
inline constexpr MetricKey kInstructions{"smsp__inst_executed.sum", "inst"};
inline constexpr MetricKey kThreadsPerInst{"smsp__thread_inst_executed_per_inst_executed.ratio",
                                           ""};
inline constexpr MetricKey kThreadsPredOnPerInst{
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", ""};
inline constexpr MetricKey kIssueActive{"smsp__issue_active.avg.per_cycle_active", ""};
inline constexpr MetricKey kAchievedOccupancy{"sm__warps_active.avg.pct_of_peak_sustained_active",
                                              "%"};
inline constexpr MetricKey kTheoreticalOccupancy{"sm__maximum_warps_per_active_cycle_pct", "%"};
inline constexpr MetricKey kLimitRegisters{"launch__occupancy_limit_registers", "block"};
inline constexpr MetricKey kLimitShared{"launch__occupancy_limit_shared_mem", "block"};
inline constexpr MetricKey kLimitWarps{"launch__occupancy_limit_warps", "block"};
inline constexpr MetricKey kLimitBlocks{"launch__occupancy_limit_blocks", "block"};
inline constexpr MetricKey kWaves{"launch__waves_per_multiprocessor", ""};
inline constexpr MetricKey kRegisters{"launch__registers_per_thread", "register/thread"};
inline constexpr MetricKey kSharedPerBlock{"launch__shared_mem_per_block", "byte/block"};
inline constexpr MetricKey kBlockSize{"launch__block_size", "thread"};
inline constexpr MetricKey kGridSize{"launch__grid_size", "block"};
inline constexpr MetricKey kFadd{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst"};
inline constexpr MetricKey kFmul{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst"};
inline constexpr MetricKey kFfma{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst"};
inline constexpr MetricKey kDadd{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "inst"};
inline constexpr MetricKey kDmul{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst"};
inline constexpr MetricKey kDfma{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "inst"};
inline constexpr MetricKey kHadd{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "inst"};
inline constexpr MetricKey kHmul{"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "inst"};
inline constexpr MetricKey kHfma{"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst"};
inline constexpr MetricKey kIntegerInst{"smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
                                        "inst"};
inline constexpr MetricKey kConversionInst{
    "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "inst"};
inline constexpr MetricKey kControlInst{"smsp__sass_thread_inst_executed_op_control_pred_on.sum",
                                        "inst"};
inline constexpr MetricKey kMemoryInst{"smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
                                       "inst"};
inline constexpr MetricKey kFp32Pct{"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                    "%"};
inline constexpr MetricKey kAluPct{"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                   "%"};
inline constexpr MetricKey kFp64Pct{"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                    "%"};
inline constexpr MetricKey kXuPct{"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
                                  "%"};
inline constexpr MetricKey kTensorPct{
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%"};
// Cycles between two instructions of a warp, and how many of them it waited for what.
inline constexpr MetricKey kWarpLatency{"smsp__average_warp_latency_per_inst_issued.ratio",
                                        "cycle"};
inline constexpr MetricKey kStallBarrier{
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallMembar{
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallLongScoreboard{
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallShortScoreboard{
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallMioThrottle{
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallLgThrottle{
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallMathPipe{
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallWait{
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallNoInstruction{
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallNotSelected{
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallSelected{
    "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallBranch{
    "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallDrain{
    "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallGmma{
    "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", ""};
inline constexpr MetricKey kStallSleeping{
    "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", ""};
inline constexpr MetricKey kWarpsActive{"smsp__warps_active.avg.per_cycle_active", "warp"};
inline constexpr MetricKey kWarpsEligible{"smsp__warps_eligible.avg.per_cycle_active", "warp"};
inline constexpr MetricKey kSmCyclesActiveAvg{"sm__cycles_active.avg", "cycle"};
inline constexpr MetricKey kSmCyclesActiveMax{"sm__cycles_active.max", "cycle"};
inline constexpr MetricKey kSmCyclesActiveSum{"sm__cycles_active.sum", "cycle"};
inline constexpr MetricKey kSmCyclesElapsedSum{"sm__cycles_elapsed.sum", "cycle"};
inline constexpr MetricKey kSmClock{"sm__cycles_elapsed.avg.per_second", "hz"};
inline constexpr MetricKey kTensorInst{"sm__inst_executed_pipe_tensor.sum", "inst"};
inline constexpr MetricKey kTensorWarpgroupInst{"sm__inst_executed_pipe_tensor_op_gmma.sum",
                                                "inst"};
inline constexpr MetricKey kLsuPct{"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
                                   "%"};
inline constexpr MetricKey kLocalLoadInst{"smsp__sass_inst_executed_op_local_ld.sum", "inst"};
inline constexpr MetricKey kLocalStoreInst{"smsp__sass_inst_executed_op_local_st.sum", "inst"};
inline constexpr MetricKey kMatrixLoadInst{"smsp__sass_inst_executed_op_ldsm.sum", "inst"};
inline constexpr MetricKey kGlobalLoadHitRate{
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%"};
inline constexpr MetricKey kL1ReadBytes{"l1tex__m_xbar2l1tex_read_bytes.sum", "byte"};
inline constexpr MetricKey kAsyncCopyInst{"smsp__sass_inst_executed_op_ldgsts.sum", "inst"};
inline constexpr MetricKey kTmaLoadInst{"smsp__sass_inst_executed_op_tma_ld.sum", "inst"};
// Of the machine code, counted in its text; "inner" means the innermost loops, or the whole kernel
// when it has none.
inline constexpr MetricKey kSassInst{"kp__sass_instructions", "inst"};
inline constexpr MetricKey kSassInnerInst{"kp__sass_inner_instructions", "inst"};
inline constexpr MetricKey kSassInnerFma{"kp__sass_inner_fma", "inst"};  // FFMA, HFMA2, DFMA
inline constexpr MetricKey kSassInnerInteger{"kp__sass_inner_integer", "inst"};
inline constexpr MetricKey kSassInnerXu{"kp__sass_inner_xu", "inst"};  // MUFU
inline constexpr MetricKey kSassInnerFp64{"kp__sass_inner_fp64", "inst"};
inline constexpr MetricKey kSassInnerConversion{"kp__sass_inner_conversion", "inst"};
inline constexpr MetricKey kSassInnerLocal{"kp__sass_inner_local", "inst"};  // LDL, STL
inline constexpr MetricKey kSassInnerBarrier{"kp__sass_inner_barrier", "inst"};
inline constexpr MetricKey kSassLocal{"kp__sass_local", "inst"};
/// Matrix instructions of a warp (HMMA, IMMA, DMMA) and of a warp group (HGMMA, QGMMA, IGMMA).
inline constexpr MetricKey kSassMmaWarp{"kp__sass_mma_warp", "inst"};
inline constexpr MetricKey kSassMmaWarpgroup{"kp__sass_mma_warpgroup", "inst"};
inline constexpr MetricKey kSassAsyncCopy{"kp__sass_async_copy", "inst"};  // LDGSTS
inline constexpr MetricKey kSassTma{"kp__sass_tma", "inst"};               // UTMALDG, UBLKCP
inline constexpr MetricKey kSassCalls{"kp__sass_calls", "inst"};  // slow paths of division etc.
/// Mean bytes that one lane moves per global load / store instruction of the inner loops.
inline constexpr MetricKey kSassLoadWidth{"kp__sass_load_bytes_per_lane", "byte"};
inline constexpr MetricKey kSassStoreWidth{"kp__sass_store_bytes_per_lane", "byte"};
// Ours.
inline constexpr MetricKey kBarrierInst{"kp__inst_executed_barrier.sum", "inst"};
inline constexpr MetricKey kXuInst{"kp__thread_inst_executed_xu.sum", "inst"};
inline constexpr MetricKey kSpillBytes{"kp__spill_bytes_per_thread", "byte"};
inline constexpr MetricKey kStackBytes{"kp__stack_bytes_per_thread", "byte"};
/// Mean bytes that one lane moves per global load / store instruction (1, 2, 4, 8, 16).
inline constexpr MetricKey kLoadWidth{"kp__global_load_bytes_per_lane", "byte"};
inline constexpr MetricKey kStoreWidth{"kp__global_store_bytes_per_lane", "byte"};
/// Share of global load / store instructions whose lanes lie side by side (unit stride), in %.
inline constexpr MetricKey kLoadUnitStride{"kp__global_load_unit_stride_pct", "%"};
inline constexpr MetricKey kStoreUnitStride{"kp__global_store_unit_stride_pct", "%"};
/// Share of the blocks that were executed to get the counts, in %; 100 when none was left out.
inline constexpr MetricKey kSampledPct{"kp__sampled_blocks_pct", "%"};
/// Time that one resource alone would need in the time model, ns; the largest bounds the kernel.
inline constexpr MetricKey kModelDram{"kp__model_time_dram", "ns"};
inline constexpr MetricKey kModelL2{"kp__model_time_l2", "ns"};
inline constexpr MetricKey kModelL1{"kp__model_time_l1", "ns"};
inline constexpr MetricKey kModelIssue{"kp__model_time_issue", "ns"};
inline constexpr MetricKey kModelPipe{"kp__model_time_pipe", "ns"};
inline constexpr MetricKey kModelLatency{"kp__model_time_latency", "ns"};
/// What the L2's atomic units alone would need; part of kModelL2.
inline constexpr MetricKey kModelAtomics{"kp__model_time_atomics", "ns"};
/// Lanes of a warp that one global / shared atomic instruction sends to one address, mean.
inline constexpr MetricKey kGlobalAtomicSharing{"kp__global_atomic_lanes_per_address", ""};
inline constexpr MetricKey kSharedAtomicSharing{"kp__shared_atomic_lanes_per_address", ""};
/// Turns of the busiest 32-byte sector over the mean turns of one, for atomics on global memory.
inline constexpr MetricKey kAtomicHotness{"kp__global_atomic_hottest_over_mean", ""};
/// What a warp waits for in the virtual GPU's time model: share of the life of a warp that has its
/// SM for itself, in %. They stand in for the stall reasons that only a pipeline knows, and lack
/// all that comes of other warps.
inline constexpr MetricKey kWaitLongScoreboard{"kp__warp_wait_long_scoreboard_pct", "%"};
inline constexpr MetricKey kWaitShortScoreboard{"kp__warp_wait_short_scoreboard_pct", "%"};
inline constexpr MetricKey kWaitBarrier{"kp__warp_wait_barrier_pct", "%"};
inline constexpr MetricKey kWaitFixedLatency{"kp__warp_wait_fixed_latency_pct", "%"};
inline constexpr MetricKey kWaitDrain{"kp__warp_wait_drain_pct", "%"};
}  // namespace metric
}  // namespace kp
