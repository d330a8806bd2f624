# SPDX-License-Identifier: Apache-2.0
set(VGPU_EXECUTE access.cc atomic.cc block.cc checks.cc checks_order.cc checks_registers.cc copy.cc gathering.cc
    interpreter.cc interpreter_calls.cc machine.cc matrix.cc mbarrier.cc memory.cc order.cc races.cc resolve.cc
    runner.cc schedule.cc warp.cc)
set(VGPU_EXECUTE_TESTS check_test.cc execute_test.cc forms_test.cc
    memory_test.cc order_test.cc schedule_test.cc)
