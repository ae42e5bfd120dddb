// SPDX-License-Identifier: Apache-2.0
// aclnnCumprod. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_CUMPROD_H_
#define ACLNNOP_ACLNN_CUMPROD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnCumprod: out = input_0 * ... * input_i along dim. Elements are converted to dtype first. Integers
/// count modulo 2^n.
///
/// input          in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not computed yet.
/// dim            in   a real number of any dtype.
/// dtype          in   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and
///                     Ascend310P; COMPLEX64 and COMPLEX128 not computed yet.
/// out            out  dtype of dtype; shape of input; any strides; may be input, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, input, dim or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed); 561003 (a dtype that is not computed
/// yet); 161002 (dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset,
/// another shape of out, dim beyond the axes of input, or one twice). When input has no elements nothing is written. On
/// failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.51 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 0.51 ULP, each of the larger of the result and any
/// from where a product over- or underflows in float64, integers exact. FLOAT16 and BFLOAT16 are the nearest value for
/// 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnCumprod page of
/// the CANN operator documentation.
ACLNN_API aclnnStatus aclnnCumprodGetWorkspaceSize(const aclTensor* input, const aclScalar* dim, aclDataType dtype,
                                                   aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnCumprod(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CUMPROD_H_
