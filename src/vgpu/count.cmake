# SPDX-License-Identifier: Apache-2.0
set(VGPU_COUNT cache.cc counters.cc footprint.cc miss_log.cc occupancy.cc)
set(VGPU_COUNT_TESTS)
