// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cstdio>
__device__ int fib(int n);
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__device__ __noinline__ void quick(int* a, int n) {
  if (n < 2) return;
  int p = a[n / 2], i = 0, j = n - 1;
  while (i <= j) {
    while (a[i] < p) ++i;
    while (a[j] > p) --j;
    if (i <= j) {
      int t = a[i];
      a[i] = a[j];
      a[j] = t;
      ++i;
      --j;
    }
  }
  quick(a, j + 1);
  quick(a + i, n - i);
}
__device__ __noinline__ int walk(int n) {  // a local array lives across the recursive call
  int mine[8];
  for (int k = 0; k < 8; ++k) mine[k] = n * k;
  int sum = n > 0 ? walk(n - 1) : 0;
  for (int k = 0; k < 8; ++k) sum += mine[(k + n) & 7] * (k + 1);
  return sum;
}
extern "C" __global__ void recursion(int* y) {
  int i = threadIdx.x;
  y[i * 4] = fib(i % 12);
  y[i * 4 + 1] = even(i);
  int a[16];
  for (int k = 0; k < 16; ++k) a[k] = (k * 37 + i * 11) % 101;
  quick(a, 16);
  int h = 0;
  for (int k = 0; k < 16; ++k) h = h * 31 + a[k];
  y[i * 4 + 2] = h;
  y[i * 4 + 3] = walk(i % 7);
}
typedef int (*Operation)(int, int);
__device__ __noinline__ int plus_op(int a, int b) { return a + b; }
__device__ __noinline__ int times_op(int a, int b) { return a * b; }
__device__ __noinline__ int minus_op(int a, int b) { return a - b; }
__device__ Operation table[3] = {plus_op, times_op, minus_op};
__constant__ Operation constant_table[2] = {minus_op, plus_op};
extern "C" __global__ void pointers(int* y, int which) {
  int i = threadIdx.x;
  Operation f = which == 0 ? plus_op : times_op;
  y[i * 3] = f(i, 3);
  y[i * 3 + 1] = table[i % 3](i, 5);
  y[i * 3 + 2] = constant_table[i & 1](i, 7);
}
struct Shape {
  __device__ virtual int area(int k) const = 0;
};
struct Square : Shape {
  int a;
  __device__ Square(int a) : a(a) {}
  __device__ int area(int k) const override { return a * a + k; }
};
struct Line : Shape {
  int a;
  __device__ Line(int a) : a(a) {}
  __device__ int area(int k) const override { return a - k; }
};
extern "C" __global__ void virtuals(int* y) {
  int i = threadIdx.x;
  Square s(i);
  Line l(i);
  const Shape* shape = i % 2 ? (const Shape*)&s : &l;
  y[i] = shape->area(2);
}
__device__ int numbers[5] = {3, 1, 4, 1, 5};
__device__ int* second = numbers + 2;
__device__ const char* text = "kernel";
struct Node {
  int value;
  const Node* next;
};
__device__ Node last = {7, nullptr};
__device__ Node first = {5, &last};
__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ int counter = 40;
extern "C" __global__ void statics(int* y, float* z) {
  int i = threadIdx.x;
  y[i * 4] = second[i % 3];
  y[i * 4 + 1] = text[i % 6];
  y[i * 4 + 2] = first.next->value + first.value;
  z[i] = weights[i % 4];
  y[i * 4 + 3] = atomicAdd(&counter, 1) >= 40;
  static __shared__ int s;
  if (i == 0) s = 3;
  __syncthreads();
  y[i * 4] += s;
}
extern "C" __global__ void switches(const int* x, int* y) {
  int i = threadIdx.x, v = x[i], r;
  switch (v) {
    case 0:
      r = i * 3 + 1;
      break;
    case 1:
      r = i ^ 55;
      break;
    case 2:
      r = i << 3;
      break;
    case 3:
      r = i / 7;
      break;
    case 4:
      r = i % 5 - 2;
      break;
    case 5:
      r = -i;
      break;
    case 6:
      r = i * i;
      break;
    case 7:
      r = 1000 - i;
      break;
    case 8:
      r = i | 64;
      break;
    case 9:
      r = __popc(i);
      break;
    default:
      r = 77;
  }
  y[i] = r;
}
extern "C" __global__ void asserts(const int* x, int* y) {
  assert(x[threadIdx.x] >= 0);
  y[threadIdx.x] = x[threadIdx.x];
}
extern "C" __global__ void prints(int* y) {
  if (threadIdx.x == 0) printf("hello %d %f\n", y[0], 1.5);
  y[threadIdx.x] = 4;
}
struct Big {
  int v[12];
};
__device__ __noinline__ Big make_big(int s, Big o) {
  Big b;
  for (int k = 0; k < 12; ++k) b.v[k] = o.v[11 - k] + s;
  return b;
}
extern "C" __global__ void structs(int* y, Big b) {
  Big r = make_big(threadIdx.x, b);
  int sum = 0;
  for (int k = 0; k < 12; ++k) sum += r.v[k] * (k + 1);
  y[threadIdx.x] = sum;
}
__device__ __noinline__ int deeper(int n) { return n == 0 ? 0 : deeper(n - 1) * 3 + n; }
extern "C" __global__ void endless(int* y, int n) { y[threadIdx.x] = deeper(n); }
