// SPDX-License-Identifier: Apache-2.0
// aclnnElu and aclnnInplaceElu. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ELU_H_
#define ACLNNOP_ACLNN_ELU_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnElu: out = scale * self where self > 0, else alpha * scale * (e^(inputScale * self) - 1). NaN gives
/// NaN.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE; BFLOAT16 not on Ascend910 and Ascend310P.
/// alpha          in   a real number of any dtype.
/// scale          in   a real number of any dtype.
/// inputScale     in   a real number of any dtype.
/// out            out  shape of self; any strides; may be self, or overlap it. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                     INT32, INT64, UINT8, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, alpha, scale, inputScale or out is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out
/// that cannot hold results of self, a private format, a rank not listed, a negative dimension, stride or offset,
/// another shape of out). When self has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3 ULP (4 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 3 ULP, COMPLEX64 3 ULP
/// (4 without fused multiply-add) in each part, COMPLEX128 3 ULP in each part, integers 3 ULP of FLOAT (4 without fused
/// multiply-add). FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of
/// threads. Callable from any thread. Source: aclnnElu page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnEluGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
                                               const aclScalar* inputScale, aclTensor* out, uint64_t* workspaceSize,
                                               aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnElu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceElu: aclnnElu with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE; BFLOAT16 not on Ascend910 and Ascend310P.
/// alpha          in       a real number of any dtype.
/// scale          in       a real number of any dtype.
/// inputScale     in       a real number of any dtype.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef, alpha, scale or inputScale is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a private format,
/// a rank not listed, a negative dimension, stride or offset). When selfRef has no elements nothing is written. On
/// failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3 ULP (4 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 3 ULP. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnInplaceElu page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnInplaceEluGetWorkspaceSize(aclTensor* selfRef, const aclScalar* alpha,
                                                      const aclScalar* scale, const aclScalar* inputScale,
                                                      uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnElu.
ACLNN_API aclnnStatus aclnnInplaceElu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ELU_H_
