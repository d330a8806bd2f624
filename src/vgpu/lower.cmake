# SPDX-License-Identifier: Apache-2.0
set(VGPU_LOWER cfg.cc lower.cc lower_access.cc lower_address.cc lower_arithmetic.cc lower_async.cc
    lower_atomic.cc lower_barrier.cc lower_body.cc lower_calls.cc lower_emit.cc lower_error.cc lower_flat.cc
    lower_functions.cc lower_layout.cc lower_matrix.cc lower_mbarrier.cc lower_memory.cc lower_names.cc
    lower_place.cc lower_promote.cc lower_registers.cc lower_special.cc lower_stack.cc lower_wmma.cc
    machine_code.cc machine_nodes.cc print.cc)
set(VGPU_LOWER_TESTS cfg_test.cc lower_memory_test.cc lower_refusal_test.cc lower_registers_test.cc
    lower_test.cc machine_code_test.cc)
