// SPDX-License-Identifier: Apache-2.0
// aclnnClamp, aclnnClampMin, aclnnClampMax, aclnnInplaceClampMax, aclnnClampTensor, aclnnClampMinTensor,
// aclnnInplaceClampMinTensor, aclnnClampMaxTensor and aclnnInplaceClampMaxTensor. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_CLAMP_H_
#define ACLNNOP_ACLNN_CLAMP_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnClamp: out = the smaller of clipValueMax and the larger of self and clipValueMin. NaN where self or
/// a bound is NaN; clipValueMax where clipValueMin is greater.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// clipValueMin   in   a real number of any dtype; may be null.
/// clipValueMax   in   a real number of any dtype; may be null.
/// out            out  shape of self; any strides; may be self, or overlap it. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order, all of clipValueMin and
/// clipValueMax are null); 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not
/// listed, a dtype of out that cannot hold results of self, clipValueMin and clipValueMax, a private format, a rank not
/// listed, a negative dimension, stride or offset, another shape of out). When self has no elements nothing is written.
/// On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnClamp page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnClampGetWorkspaceSize(const aclTensor* self, const aclScalar* clipValueMin,
                                                 const aclScalar* clipValueMax, aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnClamp(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnClampMin: out = the larger of self and clipValueMin. NaN where one is NaN.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// clipValueMin   in   a real number of any dtype.
/// out            out  shape of self; any strides; may be self, or overlap it. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, clipValueMin or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out that
/// cannot hold results of self and clipValueMin, a private format, a rank not listed, a negative dimension, stride or
/// offset, another shape of out). When self has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnClampMin page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnClampMinGetWorkspaceSize(const aclTensor* self, const aclScalar* clipValueMin,
                                                    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnClampMin(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                    aclrtStream stream);

/// Phase 1 of aclnnClampMax: out = the smaller of self and clipValueMax. NaN where one is NaN.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// clipValueMax   in   a real number of any dtype.
/// out            out  shape of self; any strides; may be self, or overlap it. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, clipValueMax or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out that
/// cannot hold results of self and clipValueMax, a private format, a rank not listed, a negative dimension, stride or
/// offset, another shape of out). When self has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnClampMax page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnClampMaxGetWorkspaceSize(const aclTensor* self, const aclScalar* clipValueMax,
                                                    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnClampMax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                    aclrtStream stream);

/// Phase 1 of aclnnInplaceClampMax: aclnnClampMax with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; written although it is const. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                         INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P.
/// clipValueMax   in       a real number of any dtype.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or clipValueMax is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of selfRef that
/// cannot hold results of selfRef and clipValueMax, a private format, a rank not listed, a negative dimension, stride
/// or offset). When selfRef has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg()
/// says what and why.
///
/// Accuracy, threads and source: those of aclnnClampMax.
ACLNN_API aclnnStatus aclnnInplaceClampMaxGetWorkspaceSize(const aclTensor* selfRef, const aclScalar* clipValueMax,
                                                           uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnInplaceClampMax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

/// Phase 1 of aclnnClampTensor: out = the smaller of clipValueMax and the larger of self and clipValueMin. NaN where
/// one is NaN; clipValueMax where clipValueMin is greater.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// clipValueMin   in   a shape that broadcasts with that of self; any strides; may be null. Dtypes as for self.
/// clipValueMax   in   a shape that broadcasts with that of self; any strides; may be null. Dtypes as for self.
/// out            out  shape: the broadcast of self, clipValueMin and clipValueMax; any strides; may overlap self,
///                     clipValueMin and clipValueMax. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order, all of clipValueMin and
/// clipValueMax are null); 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not
/// listed, a dtype of out that cannot hold results of self, clipValueMin and clipValueMax, a private format, a rank not
/// listed, a negative dimension, stride or offset, another shape of out). When out has no elements nothing is written.
/// On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnClampTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnClampTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* clipValueMin,
                                                       const aclTensor* clipValueMax, aclTensor* out,
                                                       uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnClampTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

/// Phase 1 of aclnnClampMinTensor: out = the larger of self and clipValueMin. NaN where one is NaN.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// clipValueMin   in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// out            out  shape: the broadcast of self and clipValueMin; any strides; may overlap self and clipValueMin.
///                     Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, clipValueMin or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out that
/// cannot hold results of self and clipValueMin, a private format, a rank not listed, a negative dimension, stride or
/// offset, another shape of out). When out has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnClampMinTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnClampMinTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* clipValueMin,
                                                          aclTensor* out, uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnClampMinTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                          aclrtStream stream);

/// Phase 1 of aclnnInplaceClampMinTensor: aclnnClampMinTensor with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap clipValueMin. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                         INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P.
/// clipValueMin   in       shape: one that broadcasts to that of selfRef; any strides. Dtypes as for selfRef.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or clipValueMin is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a rank not listed, a negative dimension,
/// stride or offset, another shape of clipValueMin, a dtype not listed, a dtype of selfRef that cannot hold results of
/// selfRef and clipValueMin, a private format). When selfRef has no elements nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnClampMinTensor.
ACLNN_API aclnnStatus aclnnInplaceClampMinTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* clipValueMin,
                                                                 uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnInplaceClampMinTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                 aclrtStream stream);

/// Phase 1 of aclnnClampMaxTensor: out = the smaller of self and max. NaN where one is NaN.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// max            in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// out            out  shape: the broadcast of self and max; any strides; may overlap self and max. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, max or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out that cannot hold
/// results of self and max, a private format, a rank not listed, a negative dimension, stride or offset, another shape
/// of out). When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what
/// and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnClampMaxTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnClampMaxTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* max, aclTensor* out,
                                                          uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnClampMaxTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                          aclrtStream stream);

/// Phase 1 of aclnnInplaceClampMaxTensor: aclnnClampMaxTensor with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap max. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
///                         UINT8; BFLOAT16 not on Ascend910 and Ascend310P.
/// max            in       shape: one that broadcasts to that of selfRef; any strides. Dtypes as for selfRef.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or max is null, tested in this order); 561003 (PORTACL_SOC names
/// a product without the operator: Ascend310B); 161002 (a rank not listed, a negative dimension, stride or offset,
/// another shape of max, a dtype not listed, a dtype of selfRef that cannot hold results of selfRef and max, a private
/// format). When selfRef has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says
/// what and why.
///
/// Accuracy, threads and source: those of aclnnClampMaxTensor.
ACLNN_API aclnnStatus aclnnInplaceClampMaxTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* max,
                                                                 uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnClamp.
ACLNN_API aclnnStatus aclnnInplaceClampMaxTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CLAMP_H_
