/* SPDX-License-Identifier: Apache-2.0 */
/* What a task's reference.cc implements: the task computed in double on the host, independently of any
 * kernel. C ABI, so that it can be compiled by any host compiler and loaded at run time. */
#ifndef KERNELPRO_REFERENCE_H
#define KERNELPRO_REFERENCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An axis of the task and its value in the workload at hand, in order of declaration. */
typedef struct kp_axis {
  const char* name;
  int64_t value;
} kp_axis;

/* An array, row-major and densely packed, or a scalar (rank 0, count 1). Values of every element type
 * are given as double: inputs are rounded to their type first, integers are exact up to 2^53. */
typedef struct kp_tensor {
  const char* name;
  int32_t rank;
  const int64_t* shape; /* rank extents */
  int64_t count;        /* their product */
  double* values;       /* count values */
} kp_tensor;

/* Computes all outputs. `inputs` holds inputs, weights, scalars and inout arrays in order of
 * declaration; `outputs` holds outputs and inout arrays in order of declaration. An inout array among
 * the outputs starts with the values it has among the inputs; other outputs start as NaN. Inputs are
 * not to be changed. Returns 0 on success; any other value means that the reference failed.
 * May be called from several threads at once, for different arrays. */
int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                        int32_t input_count, kp_tensor* outputs, int32_t output_count);

#ifdef __cplusplus
}
#endif

#endif /* KERNELPRO_REFERENCE_H */
