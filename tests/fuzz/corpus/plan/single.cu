// a file
#include <cuda_fp16.h>
/* kernelpro
 * axis n = 100
 * input q : u8[n] ~ int(0, 255)
 * output y : f16[n]
 * launch k<<<ceil_div(n, 32), 32>>>(q,
 *     y, n)
 */
const char* raw = R"x(/* not a comment )" )x"; int big = 1'000'000; char c = '"';
