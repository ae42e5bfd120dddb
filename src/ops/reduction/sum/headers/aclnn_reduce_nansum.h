// SPDX-License-Identifier: Apache-2.0
// aclnnReduceNansum. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_REDUCE_NANSUM_H_
#define ACLNNOP_ACLNN_REDUCE_NANSUM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnReduceNansum: out = the sum of the elements of self along dim that are no NaN, each converted to
/// dtype first. Integers count modulo 2^n. Over nothing the sum is 0.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// dim            in   int64 values.
/// keepDim        in   true or false.
/// dtype          in   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and
///                     Ascend310P.
/// out            out  dtype of dtype; shape of self and keepDim along dim; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, dim or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format,
/// a rank not listed, a negative dimension, stride or offset, dim beyond the axes of self, or one twice, another shape
/// of out). When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what
/// and why.
///
/// Accuracy: FLOAT 0.51 ULP of the larger of the result and 2^-16 of the sum of the terms' magnitudes, FLOAT16 and
/// BFLOAT16 0.51 ULP of the larger of the result and 2^-5 of the sum of the terms' magnitudes, DOUBLE 0.51 ULP,
/// integers 0.51 ULP of FLOAT, each of the larger of the result and 2^-16 of the sum of the terms' magnitudes. FLOAT16
/// and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from
/// any thread. Source: aclnnReduceNansum page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnReduceNansumGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepDim,
                                                        aclDataType dtype, aclTensor* out, uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnReduceNansum(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_REDUCE_NANSUM_H_
