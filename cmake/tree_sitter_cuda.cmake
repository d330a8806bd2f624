# SPDX-License-Identifier: Apache-2.0
# Target kp_tree_sitter_cuda: the CUDA grammar (npm package named in package.json) with the
# tree-sitter runtime. The package is data for us: its install scripts never run, and its sources
# must be the ones that were reviewed.
set(KP_GRAMMAR_VERSION 0.20.4)
set(KP_PARSER_SHA256 2a9ded260570a6db2768f1c59cbf164f348838cc10b51c10e4c5ebc3f47d31c4)
set(KP_SCANNER_SHA256 2fc33a29673f1fc8867d091100f7d2d074eee4af1c5531553a9c969a4086e0ec)
set(KP_GRAMMAR ${CMAKE_SOURCE_DIR}/node_modules/tree-sitter-cuda)

function(kp_install_grammar)
  find_program(KP_NPM npm)
  if(NOT KP_NPM)
    message(FATAL_ERROR "npm is missing: it brings the CUDA grammar tree-sitter-cuda. "
                        "Install it (Debian: apt-get install npm) and configure again.")
  endif()
  message(STATUS "Installing tree-sitter-cuda ${KP_GRAMMAR_VERSION} into node_modules")
  execute_process(
    COMMAND ${KP_NPM} install --ignore-scripts --no-audit --no-fund --no-package-lock
            --legacy-peer-deps --no-bin-links --loglevel=error
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} TIMEOUT 300
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE log)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "npm could not install tree-sitter-cuda ${KP_GRAMMAR_VERSION}: check the "
                        "network or put the package at ${KP_GRAMMAR}.\n${log}")
  endif()
endfunction()

function(kp_require_sha256 file expected)
  file(SHA256 ${file} actual)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "${file} is not the one of tree-sitter-cuda ${KP_GRAMMAR_VERSION}: "
                        "remove node_modules and configure again.")
  endif()
endfunction()

# Several build folders may be configured at once.
file(LOCK ${CMAKE_SOURCE_DIR}/build/grammar.lock GUARD FILE TIMEOUT 600)
if(NOT EXISTS ${KP_GRAMMAR}/src/parser.c)
  kp_install_grammar()
endif()
kp_require_sha256(${KP_GRAMMAR}/src/parser.c ${KP_PARSER_SHA256})
kp_require_sha256(${KP_GRAMMAR}/src/scanner.c ${KP_SCANNER_SHA256})
file(LOCK ${CMAKE_SOURCE_DIR}/build/grammar.lock RELEASE)

kp_library(kp_tree_sitter libtree-sitter.a tree-sitter)
add_library(kp_tree_sitter_cuda STATIC ${KP_GRAMMAR}/src/parser.c ${KP_GRAMMAR}/src/scanner.c)
target_include_directories(kp_tree_sitter_cuda PRIVATE ${KP_GRAMMAR}/src)
# Without sanitizers: its scanner copies empty delimiters from a null pointer, and its tables of
# 24 MB compile slowly with them.
target_compile_options(kp_tree_sitter_cuda PRIVATE -w -fno-sanitize=all)
target_link_libraries(kp_tree_sitter_cuda PUBLIC kp_tree_sitter)
