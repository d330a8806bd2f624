# SPDX-License-Identifier: Apache-2.0
set(VGPU_EXECUTE)
set(VGPU_EXECUTE_TESTS)
