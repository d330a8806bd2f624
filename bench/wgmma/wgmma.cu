// SPDX-License-Identifier: Apache-2.0
// The plan that bench/wgmma measures beside cuBLAS: a tile of 128 x 256 outputs for each block, a
// warp group that copies (TMA, four stages), two that multiply (wgmma), and pairs of blocks that
// share each tile of b by multicast.
/* kernelpro
precision bf16
tensormap ta = a box(128, 64) swizzle 128B
tensormap tb = b box(128, 64) swizzle 128B
launch matmul<<<(M / 128) * (N / 256), 384, 4 * 49152 + 1024>>>(ta, tb, c, M, N, K) cluster(2)
*/
#include <cuda.h>
#include <cuda_bf16.h>

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4, kPair = 2;
constexpr int kBytesA = kTileM * kTileK * 2, kBytesB = kTileN * kTileK * 2;
constexpr int kGroup = 8;  // pairs of row tiles that share columns while they lie in the L2

using Barrier = unsigned long long;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void init(Barrier* b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals));
}
__device__ void expect(Barrier* b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
               "r"(bytes)
               : "memory");
}
__device__ void wait(Barrier* b, int phase) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}\n" ::"r"(shared_address(b)),
      "r"(phase)
      : "memory");
}
/// Arrives at the same barrier of the block `rank` of the cluster.
__device__ void arrive_at(Barrier* b, int rank) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}\n" ::"r"(
          shared_address(b)),
      "r"(rank)
      : "memory");
}
__device__ void copy(void* to, const CUtensorMap* map, int column, int row, Barrier* b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(b))
      : "memory");
}
__device__ void copy_to_pair(void* to, const CUtensorMap* map, int column, int row, Barrier* b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(b)), "h"((unsigned short)3)
      : "memory");
}
__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
/// Descriptor of a K-major tile of rows of 128 bytes, swizzled: 1024 bytes from one group of eight
/// rows to the next.
__device__ unsigned long long describe(const void* tile) {
  const unsigned long long at = (shared_address(tile) & 0x3FFFF) >> 4;
  return at | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void multiply(float (&d)[128], unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
      "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
      "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
      "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "
      "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
      "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
      "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "
      "%124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]),
        "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]),
        "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
        "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]),
        "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]),
        "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
        "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]),
        "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),
        "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
        "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
      : "l"(a), "l"(b));
}

struct Ring {
  int stage = 0, phase = 0;
  __device__ void next() {
    if (++stage == kStages) stage = 0, phase ^= 1;
  }
};

extern "C" __global__ void __launch_bounds__(384, 1)
    matmul(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb,
           __nv_bfloat16* __restrict__ c, int M, int N, int K) {
  extern __shared__ unsigned char memory[];
  __shared__ Barrier full[kStages], empty[kStages];
  unsigned char* tiles =
      memory + ((1024 - (shared_address(memory) & 1023)) & 1023);  // the swizzle's period
  unsigned char* tiles_b = tiles + kStages * kBytesA;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));

  const int pairs = M / (kPair * kTileM), columns = N / kTileN, pair = blockIdx.x / kPair;
  const int group = pair / (kGroup * columns), first = group * kGroup;
  const int high = min(kGroup, pairs - first), inside = pair - group * kGroup * columns;
  const int row = ((first + inside % high) * kPair + rank) * kTileM;
  const int column = inside / high * kTileN;

  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(&full[s], 1), init(&empty[s], 2 * kPair);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_barrier();

  const int warpgroup = threadIdx.x / 128;
  const int steps = K / kTileK;
  if (warpgroup == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      Ring ring;
      for (int step = 0; step < steps; ++step, ring.next()) {
        wait(&empty[ring.stage], ring.phase ^ 1);
        Barrier* arrived = &full[ring.stage];
        expect(arrived, kBytesA + kBytesB);
        copy(tiles + ring.stage * kBytesA, &ta, step * kTileK, row, arrived);
        copy_to_pair(tiles_b + ring.stage * kBytesB + rank * (kBytesB / 2), &tb, step * kTileK,
                     column + rank * (kTileN / 2), arrived);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[128];
    for (int i = 0; i < 128; ++i) d[i] = 0;
    Ring ring;
    for (int step = 0; step < steps; ++step, ring.next()) {
      wait(&full[ring.stage], ring.phase);
      const unsigned long long a =
          describe(tiles + ring.stage * kBytesA + (warpgroup - 1) * (kBytesA / 2));
      const unsigned long long b = describe(tiles_b + ring.stage * kBytesB);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int k = 0; k < 4; ++k) multiply(d, a + 2 * k, b + 2 * k);
      // The step before has ended, this one goes on: its stage stays taken for one more round.
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::
                       : "memory");
      if (step > 0 && threadIdx.x % 128 < kPair)
        arrive_at(&empty[(ring.stage + kStages - 1) % kStages], threadIdx.x % 128);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    __nv_bfloat16* out =
        c + (size_t)(row + (warpgroup - 1) * 64 + warp * 16 + lane / 4) * N + column + lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < 32; ++n) {
      *(__nv_bfloat162*)(out + n * 8) = __floats2bfloat162_rn(d[n * 4], d[n * 4 + 1]);
      *(__nv_bfloat162*)(out + 8 * (size_t)N + n * 8) =
          __floats2bfloat162_rn(d[n * 4 + 2], d[n * 4 + 3]);
    }
  }
  cluster_barrier();
}
