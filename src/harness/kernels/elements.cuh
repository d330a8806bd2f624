// SPDX-License-Identifier: Apache-2.0
// Elements of every type as double and back, on the device. The numbers of the types are those of
// DType; the small floating formats follow harness/convert.cc, with which a test compares them.

namespace kp::harness::referee {

enum Type : int {
  kF64,
  kF32,
  kF16,
  kBf16,
  kF8E4M3,
  kF8E5M2,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool
};

struct SmallFormat {
  int mantissa, least_exponent;
  double largest;
  unsigned infinity, nan, sign;
  bool has_infinity;
};

__device__ inline SmallFormat small_format(kp_word type) {
  switch (type) {
    case kF16:
      return {10, -14, 65504, 0x7C00, 0x7E00, 0x8000, true};
    case kBf16:
      return {7, -126, 3.3895313892515355e38, 0x7F80, 0x7FC0, 0x8000, true};
    case kF8E4M3:
      return {3, -6, 448, 0x7F, 0x7F, 0x80, false};
    default:
      return {2, -14, 57344, 0x7C, 0x7E, 0x80, true};
  }
}

__device__ inline bool is_small(kp_word type) { return type >= kF16 && type <= kF8E5M2; }

__device__ inline unsigned size_of(kp_word type) {
  switch (type) {
    case kF64:
    case kI64:
    case kU64:
      return 8;
    case kF32:
    case kI32:
    case kU32:
      return 4;
    case kF16:
    case kBf16:
    case kI16:
    case kU16:
      return 2;
    default:
      return 1;
  }
}

/// 2^exponent for exponents of normal doubles.
__device__ inline double power_of_two(int exponent) {
  return __longlong_as_double((long long)(exponent + 1023) << 52);
}

__device__ inline unsigned to_small(const SmallFormat& format, double value) {
  const long long bits = __double_as_longlong(value);
  const unsigned sign = bits < 0 ? format.sign : 0;
  if (value != value) return sign | format.nan;
  const double magnitude = fabs(value);
  // Doubles below the normal ones have field 0: far below any format's least exponent.
  const int own = (int)(((unsigned long long)bits >> 52) & 0x7FF) - 1023;
  const int exponent = own > format.least_exponent ? own : format.least_exponent;
  const double units = rint(magnitude * power_of_two(format.mantissa - exponent));
  const double result = units * power_of_two(exponent - format.mantissa);
  if (own == 1024 || result > format.largest) return sign | format.infinity;
  return sign |
         ((unsigned)units + ((unsigned)(exponent - format.least_exponent) << format.mantissa));
}

__device__ inline double from_small(const SmallFormat& format, unsigned bits) {
  const unsigned magnitude = bits & (format.sign - 1);
  const double sign = (bits & format.sign) != 0 ? -1.0 : 1.0;
  if (format.has_infinity && magnitude == format.infinity)
    return sign * __longlong_as_double(0x7FF0000000000000ll);
  if (magnitude >= (format.has_infinity ? format.infinity : format.nan))
    return __longlong_as_double(0x7FF8000000000000ll);
  const int field = (int)(magnitude >> format.mantissa);
  const int fraction = (int)(magnitude & ((1u << format.mantissa) - 1));
  const int units = field == 0 ? fraction : fraction + (1 << format.mantissa);
  const int scale = (field > 1 ? field - 1 : 0) + format.least_exponent - format.mantissa;
  return sign * units * power_of_two(scale);
}

__device__ inline kp_word to_integer(double value, double low, double past, kp_word lowest,
                                     kp_word highest, bool is_signed) {
  if (value != value) return 0;
  const double near = rint(value);
  if (near <= low) return lowest;
  if (near >= past) return highest;
  return is_signed ? (kp_word)(long long)near : (kp_word)near;
}

/// The pattern that stores `value`; as wide as the type, the bits above are not to be used.
__device__ inline kp_word encode(kp_word type, double value) {
  switch (type) {
    case kF64:
      return (kp_word)__double_as_longlong(value);
    case kF32:
      return __float_as_uint((float)value);
    case kI64:
      return to_integer(value, -0x1p63, 0x1p63, 1ull << 63, ~0ull >> 1, true);
    case kI32:
      return to_integer(value, -0x1p31, 0x1p31, 1ull << 31, 0x7FFFFFFF, true);
    case kI16:
      return to_integer(value, -0x1p15, 0x1p15, 1ull << 15, 0x7FFF, true);
    case kI8:
      return to_integer(value, -0x1p7, 0x1p7, 1ull << 7, 0x7F, true);
    case kU64:
      return to_integer(value, 0, 0x1p64, 0, ~0ull, false);
    case kU32:
      return to_integer(value, 0, 0x1p32, 0, 0xFFFFFFFF, false);
    case kU16:
      return to_integer(value, 0, 0x1p16, 0, 0xFFFF, false);
    case kU8:
      return to_integer(value, 0, 0x1p8, 0, 0xFF, false);
    case kBool:
      return value != 0;
    default:
      return to_small(small_format(type), value);
  }
}

__device__ inline double decode(kp_word type, kp_word bits) {
  switch (type) {
    case kF64:
      return __longlong_as_double((long long)bits);
    case kF32:
      return __uint_as_float((unsigned)bits);
    case kI64:
      return (double)(long long)bits;
    case kI32:
      return (int)bits;
    case kI16:
      return (short)bits;
    case kI8:
      return (signed char)bits;
    case kU64:
      return (double)bits;
    case kU32:
      return (unsigned)bits;
    case kU16:
      return (unsigned short)bits;
    case kU8:
    case kBool:
      return (unsigned char)bits;
    default:
      return from_small(small_format(type), (unsigned)bits);
  }
}

__device__ inline kp_word load(kp_word address, kp_word type, kp_word index) {
  switch (size_of(type)) {
    case 8:
      return ((const kp_word*)address)[index];
    case 4:
      return ((const unsigned*)address)[index];
    case 2:
      return ((const unsigned short*)address)[index];
    default:
      return ((const unsigned char*)address)[index];
  }
}

__device__ inline void store(kp_word address, kp_word type, kp_word index, kp_word bits) {
  switch (size_of(type)) {
    case 8:
      ((kp_word*)address)[index] = bits;
      break;
    case 4:
      ((unsigned*)address)[index] = (unsigned)bits;
      break;
    case 2:
      ((unsigned short*)address)[index] = (unsigned short)bits;
      break;
    default:
      ((unsigned char*)address)[index] = (unsigned char)bits;
  }
}

}  // namespace kp::harness::referee
