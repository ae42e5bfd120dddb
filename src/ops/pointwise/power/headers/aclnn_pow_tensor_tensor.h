// SPDX-License-Identifier: Apache-2.0
// aclnnPowTensorTensor and aclnnInplacePowTensorTensor. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_POW_TENSOR_TENSOR_H_
#define ACLNNOP_ACLNN_POW_TENSOR_TENSOR_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnPowTensorTensor: out = self ^ exponent. 0^0 = 1; NaN where self is below 0 and exponent no whole
/// number. A complex 0 gives 0 where the exponent's real part is above 0, else NaN. Integers count modulo 2^n;
/// exponents below 0 give 1 of 1, 1 or -1 of -1, else 0.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910, Ascend310P and Ascend310B.
/// exponent       in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// out            out  shape: the broadcast of self and exponent; any strides; may overlap self and exponent. Dtypes as
///                     for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, exponent or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: ); 161002 (a dtype not listed, no common dtype of self and
/// exponent that is listed, a dtype of out that cannot hold results of self and exponent, a private format, a rank not
/// listed, a negative dimension, stride or offset, another shape of out). When out has no elements nothing is written.
/// On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 1 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of real operands, DOUBLE 5 ULP in real
/// parts of complex results, COMPLEX64 1 ULP in each part, COMPLEX128 5 ULP in each part, BOOL and integers 1 ULP of
/// FLOAT, each of the larger of the result and of complex numbers the result's modulus, and that times the modulus of
/// exponent * ln self. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number
/// of threads. Callable from any thread. Source: aclnnPowTensorTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnPowTensorTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* exponent,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnPowTensorTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

/// Phase 1 of aclnnInplacePowTensorTensor: aclnnPowTensorTensor with self as out.
///
/// self           in, out  rank 0..8, any strides; may overlap exponent; written although it is const. FLOAT, FLOAT16,
///                         DOUBLE, INT8, INT16, INT32, INT64, UINT8, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910,
///                         Ascend310P and Ascend310B.
/// exponent       in       shape: one that broadcasts to that of self; any strides. FLOAT, FLOAT16, DOUBLE, INT8,
///                         INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910,
///                         Ascend310P and Ascend310B.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or exponent is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: ); 161002 (a rank not listed, a negative dimension, stride or offset, another
/// shape of exponent, a dtype not listed, no common dtype of self and exponent that is listed, a dtype of self that
/// cannot hold results of self and exponent, a private format). When self has no elements nothing is written. On
/// failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 1 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of real operands, DOUBLE 5 ULP in real
/// parts of complex results, COMPLEX64 1 ULP in each part, COMPLEX128 5 ULP in each part, integers 1 ULP of FLOAT, each
/// of the larger of the result and of complex numbers the result's modulus, and that times the modulus of exponent * ln
/// self. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnInplacePowTensorTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnInplacePowTensorTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* exponent,
                                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnPowTensorTensor.
ACLNN_API aclnnStatus aclnnInplacePowTensorTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_POW_TENSOR_TENSOR_H_
