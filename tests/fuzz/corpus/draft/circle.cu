int a = b; int b = a;
__global__ void k(float* y) { int i = i + i; y[i] = a; }
void f() { k<<<a, b>>>(0); }
