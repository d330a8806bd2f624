# SPDX-License-Identifier: Apache-2.0
set(VGPU_LOWER)
set(VGPU_LOWER_TESTS)
