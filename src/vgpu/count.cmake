# SPDX-License-Identifier: Apache-2.0
set(VGPU_COUNT)
set(VGPU_COUNT_TESTS)
