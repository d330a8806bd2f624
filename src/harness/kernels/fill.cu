// SPDX-License-Identifier: Apache-2.0
// Values by counter: the same (key, stream, index) gives the same element in any order, so that a
// filling can be recalled without having been kept.

namespace kp::harness::referee {

struct Words {
  unsigned word[4];
};

/// Philox4x32-10, as in base/random.cc.
__device__ inline Words philox(kp_word key, kp_word low, kp_word high) {
  unsigned x0 = (unsigned)low, x1 = (unsigned)(low >> 32);
  unsigned x2 = (unsigned)high, x3 = (unsigned)(high >> 32);
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const kp_word p0 = (kp_word)0xD2511F53u * x0, p1 = (kp_word)0xCD9E8D57u * x2;
    x0 = (unsigned)(p1 >> 32) ^ x1 ^ k0;
    x1 = (unsigned)p1;
    x2 = (unsigned)(p0 >> 32) ^ x3 ^ k1;
    x3 = (unsigned)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{x0, x1, x2, x3}};
}

// A thread draws four elements that are 256 apart, so that a warp's stores are packed.
constexpr kp_word kGroup = 1024, kThreads = 256;

__device__ inline double unit(unsigned word) { return (word + 0.5) * 0x1p-32; }

/// Box-Muller on the words (0, 1) and (2, 3). Angles in single precision do for all types; the
/// radius of wide ones is computed in double, so that all bits of the mantissa vary.
__device__ inline double normal(const Words& words, int lane, bool wide) {
  const unsigned radius_word = words.word[lane & 2], angle_word = words.word[(lane & 2) + 1];
  const float turn = 2 * (((float)angle_word + 0.5f) * 0x1p-32f);
  const float side = (lane & 1) != 0 ? sinpif(turn) : cospif(turn);
  if (wide) return sqrt(-2 * log(unit(radius_word))) * side;
  return sqrtf(-2 * logf(((float)radius_word + 0.5f) * 0x1p-32f)) * side;
}

__device__ inline kp_word wide_word(const Words& words, int lane) {
  return (kp_word)words.word[lane] << 32 | words.word[lane ^ 1];
}

struct Place {
  kp_word row, column;
};

__device__ inline Place place_of(const FillArguments& f, kp_word index) {
  return {index / f.columns % f.rows, index % f.columns};
}

__device__ inline bool is_left_out(const FillArguments& f, kp_word index) {
  const Place at = place_of(f, index);
  return (f.form == kFormUpper && at.column < at.row) ||
         (f.form == kFormLower && at.column > at.row) ||
         (f.form == kFormDiagonal && at.column != at.row);
}

/// Where the value of an element below the diagonal stands.
__device__ inline kp_word mirrored(const FillArguments& f, kp_word index) {
  const Place at = place_of(f, index);
  if (at.column >= at.row) return index;
  return index - (at.row * f.columns + at.column) + (at.column * f.columns + at.row);
}

/// Each element of a row from its own part of the interval: in order, whichever is drawn first.
__device__ inline double ascending(const FillArguments& f, const Words& words, int lane,
                                   kp_word index) {
  const double part = ((double)(index % f.columns) + unit(words.word[lane])) / (double)f.columns;
  if (f.kind == kFillInteger) {
    const double value = f.low + floor(part * (f.high - f.low + 1));
    return value < f.high ? value : f.high;
  }
  return f.low + (f.high - f.low) * part;
}

__device__ inline double drawn(const FillArguments& f, const Words& words, int lane,
                               kp_word index) {
  if (f.two != 0) return unit(words.word[lane]) < f.share ? f.two_high : f.two_low;
  if (f.form == kFormAscending) return ascending(f, words, lane, index);
  if (f.kind == kFillNormal) return normal(words, lane, f.dtype == kF64);
  if (f.kind == kFillUniform) return f.low + (f.high - f.low) * unit(words.word[lane]);
  if (f.kind == kFillInteger) {
    const kp_word choices = (kp_word)(f.high - f.low) + 1;
    return f.low + (double)__umul64hi(wide_word(words, lane), choices);
  }
  return 0;
}

__device__ inline double nudged(const FillArguments& f, double value, kp_word index) {
  if (f.nudge == 0 || !rules::is_finite(value)) return value;
  if (fabs(value) < f.least) return 0;
  const Words words = philox(~f.key, index, f.stream);
  return value * (1 + f.nudge * (2 * unit(words.word[0]) - 1));
}

/// A NaN of the type with a random sign and payload.
__device__ inline kp_word random_nan(kp_word type, kp_word bits) {
  if (type == kF64) return bits | 0x7FF8000000000000ull;
  if (type == kF32) return bits | 0x7FC00000u;
  if (is_small(type)) return bits | small_format(type).nan;
  return bits;
}

__device__ inline kp_word as_stored(const FillArguments& f, kp_word bits, kp_word index) {
  if (f.storage == f.dtype && f.nudge == 0) return bits;
  return encode(f.storage, nudged(f, decode(f.dtype, bits), index));
}

/// The pattern of one element.
__device__ inline kp_word pattern(const FillArguments& f, kp_word index) {
  if (f.kind == kFillCopy) return as_stored(f, load(f.source, f.dtype, index), index);
  if (f.form != kFormNone && is_left_out(f, index)) return as_stored(f, encode(f.dtype, 0), index);
  if (f.form == kFormSymmetric) index = mirrored(f, index);
  const kp_word in_group = index % kGroup;
  const Words words = philox(f.key, index / kGroup * kThreads + in_group % kThreads, f.stream);
  const int lane = (int)(in_group / kThreads);
  if (f.kind == kFillBits) return wide_word(words, lane);
  if (f.kind == kFillNan) return random_nan(f.storage, wide_word(words, lane));
  return as_stored(f, encode(f.dtype, drawn(f, words, lane, index)), index);
}

__device__ inline kp_word used_bits(kp_word type) {
  const unsigned bytes = size_of(type);
  return bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
}

}  // namespace kp::harness::referee

using namespace kp::harness;
using namespace kp::harness::referee;

extern "C" __global__ void __launch_bounds__(256) referee_fill(FillArguments f) {
  const kp_word end = f.first + f.count, groups = (end + kGroup - 1) / kGroup;
  for (kp_word group = f.first / kGroup + blockIdx.x; group < groups; group += gridDim.x) {
    for (int lane = 0; lane < 4; ++lane) {
      const kp_word index = group * kGroup + lane * kThreads + threadIdx.x;
      if (index >= f.first && index < end) store(f.address, f.storage, index, pattern(f, index));
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) referee_recall(RecallArguments r) {
  const FillArguments& f = r.filling;
  const kp_word end = f.first + f.count, groups = (end + kGroup - 1) / kGroup;
  const kp_word mask = used_bits(f.storage);
  RecallResult mine;
  for (kp_word group = f.first / kGroup + blockIdx.x; group < groups; group += gridDim.x) {
    for (int lane = 0; lane < 4; ++lane) {
      const kp_word index = group * kGroup + lane * kThreads + threadIdx.x;
      if (index < f.first || index >= end) continue;
      const bool same = load(f.address, f.storage, index) == (pattern(f, index) & mask);
      kp_word& first = same ? mine.first_same : mine.first_different;
      ++(same ? mine.same : mine.different);
      if (index < first) first = index;
    }
  }
  RecallResult* all = (RecallResult*)r.result;
  if (mine.same != 0)
    atomicAdd(&all->same, mine.same), atomicMin(&all->first_same, mine.first_same);
  if (mine.different == 0) return;
  atomicAdd(&all->different, mine.different);
  atomicMin(&all->first_different, mine.first_different);
}
