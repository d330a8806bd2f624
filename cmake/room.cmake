# SPDX-License-Identifier: Apache-2.0
# kp_room(NAME [HOT] SOURCES a.cc ... [DEPS rooms...] [LIBS targets...] [TESTS x_test.cc ...] [APART regex])
#
# A room is one static library `kp_NAME` and, when KP_TESTS is on, one test binary `kp_NAME_test`
# that links only what the room itself may link. HOT: code that runs for every kernel that is judged, which
# KP_LEAN (compile little, for tests) still optimises. APART: as for kp_together.
function(kp_room name)
  cmake_parse_arguments(ARG "HOT" "APART" "SOURCES;DEPS;LIBS;TESTS;TEST_LIBS" ${ARGN})
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
  if(ARG_SOURCES)
    kp_together(kp_${name} "${ARG_APART}")
  endif()
  if(ARG_HOT AND KP_LEAN)
    target_compile_options(kp_${name} PRIVATE -O1)
  endif()
  if(KP_TESTS AND ARG_TESTS)
    add_executable(kp_${name}_test ${ARG_TESTS})
    target_link_libraries(kp_${name}_test kp_${name} ${ARG_TEST_LIBS} GTest::gtest_main)
    target_compile_definitions(kp_${name}_test PRIVATE KP_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                               KP_BINARY_DIR="${CMAKE_BINARY_DIR}")
    kp_together(kp_${name}_test "${ARG_APART}")
    add_test(NAME ${name} COMMAND kp_${name}_test)
    math(EXPR timeout "300 * ${KP_PATIENCE}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS unit)
  endif()
endfunction()

# kp_together(TARGET [APART]): with KP_TOGETHER, compiles the target's sources a few at a time, but for those whose names
# match APART: families of files in which each has the same local names.
function(kp_together target apart)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${KP_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
  get_target_property(sources ${target} SOURCES)
  if(apart)
    list(FILTER sources INCLUDE REGEX "${apart}")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
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
