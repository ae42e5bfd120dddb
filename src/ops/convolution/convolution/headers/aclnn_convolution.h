// SPDX-License-Identifier: Apache-2.0
// aclnnConvolution. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_CONVOLUTION_H_
#define ACLNNOP_ACLNN_CONVOLUTION_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnConvolution: output = the convolution of input with weight along the axes behind the first two, and
/// bias. Ranks 3, 4 and 5: NCL, NCHW, NCDHW, whatever the format. weight is [C_out, C_in / groups, ...], when
/// transposed [C_in, C_out / groups, ...]. padding: one number for each axis, or, along one axis or two and not
/// transposed, two for each, in front and behind. cubeMathType has no effect. An infinite or NaN weight may make a NaN
/// where it lies beyond the image.
///
/// input          in   rank 3..5, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P and Ascend310B.
/// weight         in   rank 3..5, any strides. Dtypes as for input.
/// bias           in   rank 0..8, any strides; may be null. Dtypes as for input.
/// stride         in   int64 values.
/// padding        in   int64 values.
/// dilation       in   int64 values.
/// transposed     in   true or false.
/// outputPadding  in   int64 values; may be null.
/// groups         in   any int64.
/// output         out  rank 3..5, any strides; may overlap input, weight and bias. Dtypes as for input.
/// cubeMathType   in   0 or 1 or 2 or 3.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, input, weight, stride, padding, dilation or output is null, tested in
/// this order, a breach of "outputPadding: not null when transposed"); 561003 (PORTACL_SOC names a product without the
/// operator: Ascend910); 161002 (a dtype not listed, a breach of "output: the common dtype of input and weight", a
/// private format, a rank not listed, a negative dimension, stride or offset, a breach of "input, weight, output: one
/// rank; on Ascend310B 4, and not transposed", a breach of "stride, padding, dilation, outputPadding, groups: as many
/// numbers as there are axes, in range", cubeMathType not 0 or 1 or 2 or 3, a breach of "weight, bias: channels of
/// input and groups", a breach of "output: [N, C_out, ...] with a place of the weights for each result"). On failure
/// nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 34 epsilon of the larger of the result and the sum of the magnitudes of what is added, FLOAT16 0.51
/// ULP of the larger of the result and 2^-3 of the same, BFLOAT16 0.51 ULP of the larger of the result and 2^-6 of the
/// same. FLOAT16 and BFLOAT16 are the nearest value for 98 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnConvolution page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnConvolutionGetWorkspaceSize(const aclTensor* input, const aclTensor* weight,
                                                       const aclTensor* bias, const aclIntArray* stride,
                                                       const aclIntArray* padding, const aclIntArray* dilation,
                                                       bool transposed, const aclIntArray* outputPadding,
                                                       int64_t groups, aclTensor* output, int8_t cubeMathType,
                                                       uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnConvolution(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CONVOLUTION_H_
