// SPDX-License-Identifier: Apache-2.0
// libcurl through dlopen, so that the same program starts where there is none. A member has the
// name and the type of the function in <curl/curl.h>.
#pragma once
#include <curl/curl.h>

#include "base/result.h"

// clang-format off
#define KP_CURL_FUNCTIONS(X)                                                               \
  X(curl_global_init) X(curl_slist_append) X(curl_slist_free_all)                          \
  X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_reset) X(curl_easy_setopt)            \
  X(curl_easy_getinfo) X(curl_easy_strerror)                                               \
  X(curl_multi_init) X(curl_multi_cleanup) X(curl_multi_add_handle)                        \
  X(curl_multi_remove_handle) X(curl_multi_perform) X(curl_multi_poll)                     \
  X(curl_multi_info_read)
// clang-format on

namespace kp::llm {

struct CurlLibrary {
#define KP_CURL_MEMBER(function) decltype(&(::function)) function = nullptr;
  KP_CURL_FUNCTIONS(KP_CURL_MEMBER)
#undef KP_CURL_MEMBER
};

/// Opens libcurl.so.4, which then stays open. kUnavailable says what to install.
Result<const CurlLibrary*> open_curl();

}  // namespace kp::llm
