// SPDX-License-Identifier: Apache-2.0
#include "llm/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace kp::llm {
namespace {

// The second is Debian's build with another TLS library; its functions are the same.
constexpr const char* kLibraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
constexpr const char* kHint = "install it (Debian: apt-get install libcurl4)";

Result<CurlLibrary> load(void* library) {
  CurlLibrary curl;
  const char* missing = nullptr;
#define KP_CURL_FIND(function)                                                            \
  curl.function = reinterpret_cast<decltype(curl.function)>(::dlsym(library, #function)); \
  if (curl.function == nullptr && missing == nullptr) missing = #function;
  KP_CURL_FUNCTIONS(KP_CURL_FIND)
#undef KP_CURL_FIND
  if (missing != nullptr) {
    return fail(ErrorCode::kUnavailable, fmt::format("libcurl has no {}", missing),
                "install libcurl 7.66 or later");
  }
  if (curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return fail(ErrorCode::kUnavailable, "libcurl cannot be started", kHint);
  }
  return curl;
}

Result<CurlLibrary> open_any() {
  for (const char* name : kLibraries) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return load(library);
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("talking to a model needs {}, which cannot be opened", kLibraries[0]),
              kHint);
}

}  // namespace

Result<const CurlLibrary*> open_curl() {
  static const Result<CurlLibrary> library = open_any();
  if (!library) return tl::unexpected<Error>(library.error());
  return &*library;
}

}  // namespace kp::llm
