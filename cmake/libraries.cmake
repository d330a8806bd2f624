# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, each behind one target name, static where KP_STATIC asks for it.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)

add_library(kp_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt.cc)

function(kp_library target archive shared)
  add_library(${target} INTERFACE)
  if(KP_STATIC)
    find_library(${target}_path ${archive} REQUIRED)
  else()
    find_library(${target}_path ${shared} REQUIRED)
  endif()
  target_link_libraries(${target} INTERFACE ${${target}_path})
endfunction()

kp_library(kp_sqlite libsqlite3.a sqlite3)
target_link_libraries(kp_sqlite INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
kp_library(kp_xxhash libxxhash.a xxhash)
kp_library(kp_lua liblua5.4.a lua5.4)
target_link_libraries(kp_lua INTERFACE m ${CMAKE_DL_LIBS})
kp_library(kp_seccomp libseccomp.a seccomp)
include(tree_sitter_cuda)

# The headers of the CUDA driver; its library is opened at run time.
add_library(kp_cuda INTERFACE)
find_path(KP_CUDA_INCLUDE cuda.h REQUIRED
          HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
target_include_directories(kp_cuda SYSTEM INTERFACE ${KP_CUDA_INCLUDE})

# Distributions of Boost.Math: headers only.
add_library(kp_boost INTERFACE)
find_path(KP_BOOST_INCLUDE boost/math/distributions/binomial.hpp REQUIRED)
target_include_directories(kp_boost SYSTEM INTERFACE ${KP_BOOST_INCLUDE})

# The headers of libcurl; its library is opened at run time too.
add_library(kp_curl INTERFACE)
find_path(KP_CURL_INCLUDE curl/curl.h REQUIRED)
target_include_directories(kp_curl SYSTEM INTERFACE ${KP_CURL_INCLUDE})
target_link_libraries(kp_curl INTERFACE ${CMAKE_DL_LIBS})

if(KP_TESTS)
  find_package(GTest REQUIRED)
endif()
if(KP_BENCH)
  find_package(benchmark REQUIRED)
endif()
