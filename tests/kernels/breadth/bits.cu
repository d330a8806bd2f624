// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void bits(const unsigned* x, unsigned* y, int n) {
  int i = threadIdx.x;
  unsigned a = x[i], b = x[n + i], c = x[2 * n + i];
  int k = 0;
  auto put = [&](unsigned v) { y[k++ * n + i] = v; };
  put(__brev(a));
  put(__clz(a));
  put(__ffs(a));
  put(__popc(a));
  put(__funnelshift_l(a, b, c));
  put(__funnelshift_r(a, b, c));
  put(__funnelshift_lc(a, b, c));
  put(__funnelshift_rc(a, b, c));
  put(__byte_perm(a, b, c));
  put(__dp4a((int)a, (int)b, (int)c));
  put(__dp4a(a, b, c));
  put(__dp2a_lo((int)a, (int)b, (int)c));
  put(__dp2a_hi(a, b, c));
  put(__mulhi((int)a, (int)b));
  put(__umulhi(a, b));
  put(__mul24(a, b));
  put(__umul24(a, b));
  put(__sad((int)a, (int)b, c));
  put(__usad(a, b, c));
  put(__hadd((int)a, (int)b));
  put(__rhadd((int)a, (int)b));
  put(__uhadd(a, b));
  put(__urhadd(a, b));
  put(__vadd4(a, b));
  put(__vsub2(a, b));
  put(__vmaxs4(a, b));
  put(__vabsdiffu4(a, b));
  put(__vcmpgtu4(a, b));
  put(__vavgu4(a, b));
  put(__vaddss2(a, b));
  put(__vsadu4(a, b));
  put(__vseteq2(a, b));
  put(__viaddmax_s32(a, b, c));
  put(__vimax3_s32(a, b, c));
  put(a / (b | 1));
  put(a % (b | 1));
  put((int)a / (int)(b | 1));
  put((int)a % (int)(b | 1));
  put((short)a * (short)b);
  put((unsigned char)a >> 3);
  put((signed char)a >> 1);
  put(max(min((int)a, (int)b), (int)c));
  put(abs((int)a));
  put((a >> (b & 31)) | (a << (c & 31)));
  put((int)a >> (b & 31));
  put(a == b ? b : c);
}
extern "C" __global__ void video(const unsigned* x, unsigned* y, int n) {
  int i = threadIdx.x;
  unsigned a = x[i], b = x[n + i], c = x[2 * n + i];
  int k = 0;
  auto put = [&](unsigned v) { y[k++ * n + i] = v; };
  unsigned r;
  asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  put(r);
  asm("vsub2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  put(r);
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  put(r);
  asm("vset4.u32.u32.gt %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  put(r);
}
extern "C" __global__ void longs(const unsigned long long* x, unsigned long long* y, int n) {
  int i = threadIdx.x;
  unsigned long long a = x[i], b = x[n + i], c = x[2 * n + i];
  int k = 0;
  auto put = [&](unsigned long long v) { y[k++ * n + i] = v; };
  put(__brevll(a));
  put(__clzll(a));
  put(__ffsll(a));
  put(__popcll(a));
  put(__umul64hi(a, b));
  put(__mul64hi(a, b));
  put(a * b + c);
  put(a / (b | 1));
  put(a % (b | 1));
  put((long long)a / (long long)(b | 1));
  put((long long)a % (long long)(b | 1));
  put(a >> (b & 63));
  put((long long)a >> (b & 63));
  put(a << (c & 63));
  put(min((long long)a, (long long)b));
  put(max(a, b));
  put(llabs((long long)a));
  unsigned __int128 p = (unsigned __int128)a * b;
  put(p >> 64);
  put((unsigned long long)p);
  p = p * c + a;
  put(p >> 64);
  put((unsigned long long)p);
  unsigned __int128 q = ((unsigned __int128)a << 64 | b);
  put((unsigned long long)(q / (c | 1)));
  put((unsigned long long)(q % (c | 1)));
  put((unsigned long long)(q >> (b & 127)));
  __int128 s = (__int128)(long long)a * (long long)b - c;
  put((unsigned long long)(s >> 64));
  put((unsigned long long)s);
  unsigned lo, hi;
  asm("{ .reg .u32 t; mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0; }"
      : "=r"(lo), "=r"(hi)
      : "r"((unsigned)a), "r"((unsigned)b), "r"((unsigned)c));
  put((unsigned long long)hi << 32 | lo);
  asm("sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5;"
      : "=r"(lo), "=r"(hi)
      : "r"((unsigned)a), "r"((unsigned)b), "r"((unsigned)(a >> 32)), "r"((unsigned)(b >> 32)));
  put((unsigned long long)hi << 32 | lo);
  unsigned r;
  asm("bfe.u32 %0, %1, %2, %3;"
      : "=r"(r)
      : "r"((unsigned)a), "r"((unsigned)b & 31), "r"((unsigned)c & 31));
  put(r);
  asm("bfi.b32 %0, %1, %2, 5, 9;" : "=r"(r) : "r"((unsigned)a), "r"((unsigned)b));
  put(r);
  asm("lop3.b32 %0, %1, %2, %3, 0x96;"
      : "=r"(r)
      : "r"((unsigned)a), "r"((unsigned)b), "r"((unsigned)c));
  put(r);
}
