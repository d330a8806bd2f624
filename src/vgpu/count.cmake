# SPDX-License-Identifier: Apache-2.0
set(VGPU_COUNT cache.cc counters.cc demand.cc footprint.cc l1_traffic.cc lines.cc metrics.cc miss_log.cc occupancy.cc scoreboard.cc
    throughputs.cc time_constants.cc time_model.cc traffic.cc warp_time.cc)
set(VGPU_COUNT_TESTS cache_test.cc counters_test.cc footprint_test.cc occupancy_test.cc
    time_model_test.cc warp_time_test.cc)
