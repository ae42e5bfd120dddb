// SPDX-License-Identifier: Apache-2.0
// aclnnProd and aclnnProdDim. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_PROD_H_
#define ACLNNOP_ACLNN_PROD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnProd: out = the product of all elements of self, each converted to dtype first. Integers count
/// modulo 2^n; of BOOL it is and. Over nothing the product is 1.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// dtype          in   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128; BFLOAT16
///                     not on Ascend910 and Ascend310P.
/// out            out  dtype of dtype; shape of self along ; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format, a rank
/// not listed, a negative dimension, stride or offset, another shape of out). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.51 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 64 ULP, COMPLEX64 0.51 ULP in each part, COMPLEX128
/// 64 ULP in each part, BOOL and integers 0.51 ULP of FLOAT, each of the larger of the result and 2^-16 of the result,
/// of complex ones their modulus, of DOUBLE and COMPLEX128 that times the number of factors / 64; any where a part
/// over- or underflows. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any
/// number of threads. Callable from any thread. Source: aclnnProd page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnProdGetWorkspaceSize(const aclTensor* self, aclDataType dtype, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnProd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnProdDim: out = the product of self along dim, each element converted to dtype first. Integers count
/// modulo 2^n; of BOOL it is and. Over nothing the product is 1.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// dim            in   any int64.
/// keepDim        in   true or false.
/// dtype          in   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128; BFLOAT16
///                     not on Ascend910 and Ascend310P.
/// out            out  dtype of dtype; shape of self and keepDim along dim; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format, a rank
/// not listed, a negative dimension, stride or offset, dim beyond the axes of self, or one twice, another shape of
/// out). When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and
/// why.
///
/// Accuracy: FLOAT 0.51 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 64 ULP, COMPLEX64 0.51 ULP in each part, COMPLEX128
/// 64 ULP in each part, BOOL and integers 0.51 ULP of FLOAT, each of the larger of the result and 2^-16 of the result,
/// of complex ones their modulus, of DOUBLE and COMPLEX128 that times the number of factors / 64; any where a part
/// over- or underflows. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any
/// number of threads. Callable from any thread. Source: aclnnProdDim page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnProdDimGetWorkspaceSize(const aclTensor* self, int64_t dim, bool keepDim, aclDataType dtype,
                                                   aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnProd.
ACLNN_API aclnnStatus aclnnProdDim(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PROD_H_
