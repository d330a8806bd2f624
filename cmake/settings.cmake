# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and sanitizers, the same for every room.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(KP_TESTS "Build the tests" ON)
option(KP_BENCH "Build the benchmarks" OFF)
option(KP_LEAN "Optimise only what executes and judges kernels" OFF)
# Most of what a source takes is its headers' templates. Off with the sanitizers' presets, which so show that
# every source includes what it uses.
option(KP_TOGETHER "Compile several sources at once" ON)
option(KP_STATIC "Link third-party libraries statically" OFF)
set(KP_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")
# Factor on the time limits of tests: sanitizers make the virtual GPU about ten times slower.
set(KP_PATIENCE 1)
if(KP_SANITIZE)
  set(KP_PATIENCE 10)
endif()

find_program(KP_CCACHE ccache)
if(KP_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KP_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${KP_CCACHE})
endif()

add_library(kp_settings INTERFACE)
target_include_directories(kp_settings INTERFACE ${CMAKE_SOURCE_DIR}/src)
# Designated initializers may leave members at their defaults; g++ 12 sees overlaps in
# std::string concatenation that are not there (GCC bug 105651).
target_compile_options(kp_settings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror
                       -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(KP_SANITIZE)
  add_compile_options(-fsanitize=${KP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KP_SANITIZE})
endif()
# The C++ runtime too: the binary then needs only glibc.
if(KP_STATIC AND NOT KP_SANITIZE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
