// SPDX-License-Identifier: Apache-2.0
// aclnnSigmoidBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SIGMOID_BACKWARD_H_
#define ACLNNOP_ACLNN_SIGMOID_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSigmoidBackward: gradInput = gradOutput * output * (1 - output).
///
/// gradOutput     in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910
///                     and Ascend310P.
/// output         in   a shape that broadcasts with that of gradOutput; any strides. Dtypes as for gradOutput.
/// gradInput      out  shape: the broadcast of gradOutput and output; any strides; may overlap gradOutput and output.
///                     Dtypes as for gradOutput.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOutput, output or gradInput is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of gradInput
/// that cannot hold results of gradOutput and output, a private format, a rank not listed, a negative dimension, stride
/// or offset, another shape of gradInput). When gradInput has no elements nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3 ULP, FLOAT16 and BFLOAT16 0.52 ULP, DOUBLE 3 ULP in results of real operands, DOUBLE 6 ULP in real
/// parts of complex results, COMPLEX64 3 ULP in each part, COMPLEX128 6 ULP in each part, each of the larger of the
/// result and gradOutput; of complex numbers that and the result's modulus. FLOAT16 and BFLOAT16 are the nearest value
/// for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnSigmoidBackward page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* output,
                                                           aclTensor* gradInput, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSigmoidBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SIGMOID_BACKWARD_H_
