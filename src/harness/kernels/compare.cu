// SPDX-License-Identifier: Apache-2.0
// Sums over what a candidate computed, tile by tile, then over the whole, then each tile against
// its limit. Sums are trees in a fixed order: the same data give the same sums.

namespace kp::harness::referee {

__device__ inline kp_word mixed(kp_word x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

__device__ inline void merge(TileRecord& into, const TileRecord& other) {
  rules::add(into.sums, other.sums);
  if (other.worst_error > into.worst_error) {
    into.worst_error = other.worst_error;
    into.worst = other.worst;
  }
  if (other.first_special < into.first_special) into.first_special = other.first_special;
  if (other.first_inexact < into.first_inexact) into.first_inexact = other.first_inexact;
}

/// The sum of a block's records, in its first thread. `count` is a power of two.
__device__ inline void reduce(TileRecord* records, int count) {
  for (int stride = count / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < stride) merge(records[threadIdx.x], records[threadIdx.x + stride]);
  }
  __syncthreads();
}

struct Element {
  double got, expected, nudged;
};

__device__ inline Element element(const CompareArguments& c, kp_word index) {
  const double expected = decode(c.expected_dtype, load(c.expected, c.expected_dtype, index));
  const double nudged =
      c.nudged == 0 ? expected : decode(c.expected_dtype, load(c.nudged, c.expected_dtype, index));
  return {decode(c.dtype, load(c.got, c.dtype, index)), expected, nudged};
}

__device__ inline double rounded(kp_word type, double value) {
  return decode(type, encode(type, value));
}

__device__ inline void take(TileRecord& record, const CompareArguments& c, kp_word index) {
  const Element e = element(c, index);
  if (c.gate.largest == 0) {  // integers
    const bool right = e.got == rounded(c.dtype, e.expected) || e.got == rounded(c.dtype, e.nudged);
    if (!right && index < record.first_inexact) record.first_inexact = index;
    return;
  }
  if (rules::special_fault(c.gate, e.got, e.expected) && index < record.first_special)
    record.first_special = index;
  if (!rules::counts(e.got, e.expected)) return;
  rules::add(record.sums, e.got, e.expected, rules::response(e.expected, e.nudged),
             rounded(c.dtype, e.expected) - e.expected);
  const double error = fabs(e.got - e.expected);
  if (error > record.worst_error) record.worst_error = error, record.worst = index;
}

__device__ inline bool breaks_element(const CompareArguments& c, const rules::Sums& tile,
                                      double limit, kp_word index) {
  const Element e = element(c, index);
  if (!rules::counts(e.got, e.expected)) return false;
  const double moved = rules::response(e.expected, e.nudged);
  return fabs(e.got - e.expected) > rules::element_limit(c.gate, tile, limit, e.expected, moved);
}

}  // namespace kp::harness::referee

extern "C" __global__ void __launch_bounds__(256) referee_tiles(CompareArguments c) {
  __shared__ kp_word memory[256 * sizeof(TileRecord) / sizeof(kp_word)];
  TileRecord* records = (TileRecord*)memory;
  const kp_word tiles = rules::tile_count(c.count);
  for (kp_word tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    TileRecord mine;
    const kp_word begin = tile * rules::kTile, end = rules::tile_end(begin, c.count);
    for (kp_word index = begin + threadIdx.x; index < end; index += blockDim.x)
      take(mine, c, index);
    records[threadIdx.x] = mine;
    reduce(records, 256);
    if (threadIdx.x == 0) ((TileRecord*)c.records)[tile] = records[0];
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(256) referee_whole(CompareArguments c) {
  __shared__ kp_word memory[256 * sizeof(TileRecord) / sizeof(kp_word)];
  TileRecord* records = (TileRecord*)memory;
  const TileRecord* all = (const TileRecord*)c.records;
  TileRecord mine;
  for (kp_word tile = threadIdx.x; tile < rules::tile_count(c.count); tile += blockDim.x)
    merge(mine, all[tile]);
  records[threadIdx.x] = mine;
  reduce(records, 256);
  if (threadIdx.x == 0) ((CompareResult*)c.result)->whole = records[0];
}

extern "C" __global__ void __launch_bounds__(256) referee_gates(CompareArguments c) {
  CompareResult* result = (CompareResult*)c.result;
  const kp_word tiles = rules::tile_count(c.count);
  for (kp_word tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const rules::Sums& sums = ((const TileRecord*)c.records)[tile].sums;
    const double limit = rules::limit(c.gate, sums, result->whole.sums);
    bool bad = sqrt(sums.error2) > rules::kTileSlack * limit;
    const kp_word begin = tile * rules::kTile, end = rules::tile_end(begin, c.count);
    for (kp_word index = begin + threadIdx.x; index < end && !bad; index += blockDim.x)
      bad = breaks_element(c, sums, limit, index);
    if (bad) atomicMin(&result->first_bad_tile, tile);
  }
}

extern "C" __global__ void __launch_bounds__(256) referee_fingerprint(FingerprintArguments f) {
  const kp_word words = (f.bytes + 7) / 8, stride = (kp_word)gridDim.x * blockDim.x;
  kp_word low = 0, high = 0;
  for (kp_word i = (kp_word)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
    kp_word word = 0;
    if (8 * i + 8 <= f.bytes)
      word = ((const kp_word*)f.address)[i];
    else
      for (kp_word at = 8 * i; at < f.bytes; ++at)
        word |= (kp_word)((const unsigned char*)f.address)[at] << (8 * (at - 8 * i));
    low += mixed(mixed(word ^ f.key_low) + i);
    high += mixed(mixed(word + f.key_high) ^ i);
  }
  if (low == 0 && high == 0) return;
  atomicAdd((kp_word*)f.result, low);
  atomicAdd((kp_word*)f.result + 1, high);
}
