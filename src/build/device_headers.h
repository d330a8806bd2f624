// SPDX-License-Identifier: Apache-2.0
// C headers that kernels commonly include and NVRTC lacks, as far as device code uses them. Used by
// the compile worker; what they leave out sends a source to nvcc, which is some ten times slower.
#pragma once
#include <array>

namespace kp::build {

struct DeviceHeader {
  const char* name;
  const char* text;
};

inline constexpr const char* kIntegers = R"(#pragma once
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long uint64_t; typedef long intptr_t; typedef unsigned long uintptr_t;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::intptr_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t;
}
)";

inline constexpr const char* kFloats = R"(#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
)";

inline constexpr const char* kLimits = R"(#pragma once
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
)";

inline constexpr const char* kMathematics = R"(#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_PI 3.14159265358979323846
#define M_E 2.71828182845904523536
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
#define M_LOG2E 1.44269504088896340736
#define M_2_SQRTPI 1.12837916709551257390
)";

// The one type of the driver's interface that kernels see.
inline constexpr const char* kDriver = R"(#pragma once
typedef struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;
)";

inline constexpr std::array kDeviceHeaders{
    DeviceHeader{"stdint.h", kIntegers},  DeviceHeader{"cstdint", kIntegers},
    DeviceHeader{"float.h", kFloats},     DeviceHeader{"cfloat", kFloats},
    DeviceHeader{"limits.h", kLimits},    DeviceHeader{"climits", kLimits},
    DeviceHeader{"math.h", kMathematics}, DeviceHeader{"stddef.h", "#pragma once\n"},
    DeviceHeader{"cuda.h", kDriver},
};

}  // namespace kp::build
