// SPDX-License-Identifier: Apache-2.0
// aclnnDiv, aclnnInplaceDiv, aclnnDivs, aclnnInplaceDivs, aclnnDivMod, aclnnInplaceDivMod, aclnnDivMods and
// aclnnInplaceDivMods. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_DIV_H_
#define ACLNNOP_ACLNN_DIV_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnDiv: out = self / other. Of integers it is the quotient of real numbers, cut off where out is an
/// integer.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310B.
/// other          in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// out            out  shape: the broadcast of self and other; any strides; may overlap self and other. FLOAT, FLOAT16,
///                     DOUBLE, INT8, INT16, INT32, INT64, UINT8, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and
///                     Ascend310B.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310P); 161002 (a dtype not listed, a dtype of out that cannot hold
/// results of self and other, a private format, a rank not listed, a negative dimension, stride or offset, another
/// shape of out). When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says
/// what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of real operands, DOUBLE 5.5 ULP
/// in real parts of complex results, COMPLEX64 0.51 ULP in each part, COMPLEX128 5.5 ULP in each part, integers 0.501
/// ULP of FLOAT, each of the larger of the result and the modulus of a complex result. FLOAT16 and BFLOAT16 are the
/// nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnDiv page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnDivGetWorkspaceSize(const aclTensor* self, const aclTensor* other, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnDiv(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceDiv: aclnnDiv with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap other. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32,
///                         INT64, UINT8, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310B.
/// other          in       shape: one that broadcasts to that of selfRef; any strides. FLOAT, FLOAT16, DOUBLE, INT8,
///                         INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and
///                         Ascend310B.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or other is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310P); 161002 (a rank not listed, a negative dimension, stride or
/// offset, another shape of other, a dtype not listed, a dtype of selfRef that cannot hold results of selfRef and
/// other, a private format). When selfRef has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnDiv.
ACLNN_API aclnnStatus aclnnInplaceDivGetWorkspaceSize(aclTensor* selfRef, const aclTensor* other,
                                                      uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnInplaceDiv(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

/// Phase 1 of aclnnDivs: out = self / other. Of integers it is the quotient of real numbers, cut off where out is an
/// integer.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310B.
/// other          in   a number of any dtype.
/// out            out  shape of self; any strides; may be self, or overlap it. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                     INT32, INT64, UINT8, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310B.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310P); 161002 (a dtype not listed, a dtype of out that cannot hold
/// results of self and other, a private format, a rank not listed, a negative dimension, stride or offset, another
/// shape of out). When self has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg()
/// says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of real operands, DOUBLE 5.5 ULP
/// in real parts of complex results, COMPLEX64 0.51 ULP in each part, COMPLEX128 5.5 ULP in each part, integers 0.501
/// ULP of FLOAT, each of the larger of the result and the modulus of a complex result. FLOAT16 and BFLOAT16 are the
/// nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnDivs page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnDivsGetWorkspaceSize(const aclTensor* self, const aclScalar* other, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnDivs(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceDivs: aclnnDivs with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, COMPLEX64,
///                         COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310B.
/// other          in       a number of any dtype.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or other is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310P); 161002 (a dtype not listed, a dtype of selfRef that cannot hold
/// results of selfRef and other, a private format, a rank not listed, a negative dimension, stride or offset). When
/// selfRef has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnDivs.
ACLNN_API aclnnStatus aclnnInplaceDivsGetWorkspaceSize(aclTensor* selfRef, const aclScalar* other,
                                                       uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnInplaceDivs(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

/// Phase 1 of aclnnDivMod: out = self / other for mode 0; cut off for mode 1, rounded down for mode 2. Of integers mode
/// 0 gives the quotient of real numbers, modes 1 and 2 an integer, 0 where other is 0, modulo 2^n. UINT8 and a scalar
/// below 0 are divided as real numbers.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BFLOAT16
///                     not on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not computed yet.
/// other          in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// mode           in   0 or 1 or 2.
/// out            out  shape: the broadcast of self and other; any strides; may overlap self and other. FLOAT, FLOAT16,
///                     DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P; COMPLEX64
///                     and COMPLEX128 not computed yet.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed); 561003 (a dtype that is not computed
/// yet); 161002 (a dtype of out that cannot hold results of self and other, a private format, a rank not listed, a
/// negative dimension, stride or offset, mode not 0 or 1 or 2, another shape of out). When out has no elements nothing
/// is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 2 ULP, integers 0.501 ULP of FLOAT. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnDivMod page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnDivModGetWorkspaceSize(const aclTensor* self, const aclTensor* other, int32_t mode,
                                                  aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnDivMod(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceDivMod: aclnnDivMod with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap other. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32,
///                         INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not
///                         computed yet.
/// other          in       shape: one that broadcasts to that of selfRef; any strides. FLOAT, FLOAT16, DOUBLE, INT8,
///                         INT16, INT32, INT64, UINT8, BOOL; BFLOAT16 not on Ascend910 and Ascend310P; COMPLEX64 and
///                         COMPLEX128 not computed yet.
/// mode           in       0 or 1 or 2.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or other is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a rank not listed, a negative dimension, stride or
/// offset, another shape of other, a dtype not listed); 561003 (a dtype that is not computed yet); 161002 (a dtype of
/// selfRef that cannot hold results of selfRef and other, a private format, mode not 0 or 1 or 2). When selfRef has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnDivMod.
ACLNN_API aclnnStatus aclnnInplaceDivModGetWorkspaceSize(aclTensor* selfRef, const aclTensor* other, int32_t mode,
                                                         uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnInplaceDivMod(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                         aclrtStream stream);

/// Phase 1 of aclnnDivMods: out = self / other for mode 0; cut off for mode 1, rounded down for mode 2. Of integers
/// mode 0 gives the quotient of real numbers, modes 1 and 2 an integer, 0 where other is 0, modulo 2^n. UINT8 and a
/// scalar below 0 are divided as real numbers.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BFLOAT16
///                     not on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not computed yet.
/// other          in   a real number of any dtype.
/// mode           in   0 or 1 or 2.
/// out            out  shape of self; any strides; may be self, or overlap it. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                     INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not
///                     computed yet.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed); 561003 (a dtype that is not computed
/// yet); 161002 (a dtype of out that cannot hold results of self and other, a private format, a rank not listed, a
/// negative dimension, stride or offset, mode not 0 or 1 or 2, another shape of out). When self has no elements nothing
/// is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 2 ULP, integers 0.501 ULP of FLOAT. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnDivMods page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnDivModsGetWorkspaceSize(const aclTensor* self, const aclScalar* other, int32_t mode,
                                                   aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnDivMods(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

/// Phase 1 of aclnnInplaceDivMods: aclnnDivMods with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16
///                         not on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not computed yet.
/// other          in       a real number of any dtype.
/// mode           in       0 or 1 or 2.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or other is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed); 561003 (a dtype that is not computed
/// yet); 161002 (a dtype of selfRef that cannot hold results of selfRef and other, a private format, a rank not listed,
/// a negative dimension, stride or offset, mode not 0 or 1 or 2). When selfRef has no elements nothing is written. On
/// failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnDivMods.
ACLNN_API aclnnStatus aclnnInplaceDivModsGetWorkspaceSize(aclTensor* selfRef, const aclScalar* other, int32_t mode,
                                                          uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnDiv.
ACLNN_API aclnnStatus aclnnInplaceDivMods(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_DIV_H_
