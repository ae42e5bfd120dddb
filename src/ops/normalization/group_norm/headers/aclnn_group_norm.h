// SPDX-License-Identifier: Apache-2.0
// aclnnGroupNorm. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_GROUP_NORM_H_
#define ACLNNOP_ACLNN_GROUP_NORM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnGroupNorm: out = (self - mean) * rstd * gamma + beta, mean over the channels of a group, rstd = 1 /
/// sqrt(mean of (self - mean)^2 + eps); gamma and beta of the channel. A gamma that is not there is 1, a beta 0. A
/// group with a NaN or an infinite element is NaN. Of groups without elements mean and rstd are NaN. Where meanOut and
/// rstdOut share memory, what is there in the end is not defined.
///
/// self           in   rank 2..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// gamma          in   dtype of self; rank 0..8; any strides; may be null.
/// beta           in   dtype of self; rank 0..8; any strides; may be null.
/// N              in   any int64.
/// C              in   any int64.
/// HxW            in   any int64.
/// group          in   at least 1.
/// eps            in   at least 5e-324.
/// out            out  dtype and shape of self; any strides; may overlap self, gamma and beta.
/// meanOut        out  dtype of self; rank 0..8; any strides; may overlap self, gamma and beta.
/// rstdOut        out  dtype of self; rank 0..8; any strides; may overlap self, gamma and beta.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, out, meanOut or rstdOut is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ,
/// group not at least 1, a breach of "C: a multiple of group", eps not at least 5e-324, a rank not listed, a negative
/// dimension, stride or offset, a breach of "N, C, HxW: the sizes of self, HxW of all axes behind the second", a breach
/// of "gamma: [C]", a breach of "beta: [C]", another shape of out, a breach of "meanOut: [N, group]", a breach of
/// "rstdOut: [N, group]", a breach of "formats: self and out have one; none is private, NHWC, HWCN or NDHWC"). On
/// failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: out: FLOAT 4 ULP of the larger of the result and |beta| and |gamma| max(1, |(self - mean) rstd|, 2^-22
/// |mean| rstd), FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-4 of |beta| and of |gamma| max(1,
/// |(self - mean) rstd|); meanOut: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-20 of the
/// group's largest |self|; rstdOut: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP. FLOAT16 and BFLOAT16 are the nearest value
/// for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnGroupNorm
/// page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGroupNormGetWorkspaceSize(const aclTensor* self, const aclTensor* gamma,
                                                     const aclTensor* beta, int64_t N, int64_t C, int64_t HxW,
                                                     int64_t group, double eps, aclTensor* out, aclTensor* meanOut,
                                                     aclTensor* rstdOut, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnGroupNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUP_NORM_H_
