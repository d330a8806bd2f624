# SPDX-License-Identifier: Apache-2.0
# kp_room(NAME [HOT] SOURCES a.cc ... [DEPS rooms...] [LIBS targets...] [TESTS x_test.cc ...])
#
# A room is one static library `kp_NAME` and, when KP_TESTS is on, one test binary `kp_NAME_test`
# that links only what the room itself may link. HOT: code that runs for every kernel that is judged, which
# KP_LEAN (compile little, for tests) still optimises.
function(kp_room name)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;DEPS;LIBS;TESTS;TEST_LIBS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND kp_)
  if(ARG_SOURCES)
    add_library(kp_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(kp_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(kp_${name} ${scope} ${ARG_DEPS} kp_settings kp_fmt tl::expected
                        nlohmann_json::nlohmann_json ${ARG_LIBS} Threads::Threads)
  if(ARG_HOT AND KP_LEAN)
    target_compile_options(kp_${name} PRIVATE -O1)
  endif()
  if(KP_TESTS AND ARG_TESTS)
    add_executable(kp_${name}_test ${ARG_TESTS})
    target_link_libraries(kp_${name}_test kp_${name} ${ARG_TEST_LIBS} GTest::gtest_main)
    target_compile_definitions(kp_${name}_test PRIVATE KP_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                               KP_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_test(NAME ${name} COMMAND kp_${name}_test)
    math(EXPR timeout "300 * ${KP_PATIENCE}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS unit)
  endif()
endfunction()

# kp_embed(TARGET SYMBOL FILE): the text of FILE as `const std::string_view kp::assets::SYMBOL`,
# declared in a generated header `assets/SYMBOL.h`.
function(kp_embed target symbol file)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/assets/${symbol}.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUT=${header}
            -DSYMBOL=${symbol} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
