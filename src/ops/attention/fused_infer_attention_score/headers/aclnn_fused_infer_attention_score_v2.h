// SPDX-License-Identifier: Apache-2.0
// aclnnFusedInferAttentionScoreV2. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_
#define ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnFusedInferAttentionScoreV2: attentionOut = for each query and head the mean of the rows of value,
/// weighed by the softmax of scaleValue * query * key + pseShiftOptional over the keys that are not masked. A key
/// counts for a query i where attenMaskOptional is 0 and sparseMode lets it: 0 and 1 use the mask as given, 0 within
/// keys i - preTokens to i + nextTokens where there is a mask. With a mask, whose elements are not read, 2 takes keys
/// up to i, 3 up to i + S_kv - S_q, 4 from i + S_kv - S_q - preTokens to i + S_kv - S_q + nextTokens; S_q and S_kv are
/// the actual lengths of the batch where these are given, else the sizes of query and key. Where query has one row
/// neither numbers of tokens nor modes 2 to 4 count. actualSeqLengthsKvOptional and actualSeqLengthsOptional are the
/// numbers of keys and queries in each batch, one for all or one each. Query head h uses head h / (numHeads /
/// numKeyValueHeads) of key and value. A row without keys, or with scores of -inf alone, is 0, and softmaxLse inf
/// there; a NaN or inf among the scores makes it NaN. Weights below 2^-126 of the largest are 0, and elements of value
/// with weight 0 do not count.
///
/// query                          in   rank 3..4, any strides. FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P; INT8
///                                     not computed yet.
/// key                            in   tensors; dtype of query; rank 3..4; any strides.
/// value                          in   tensors; dtype of query; rank 3..4; any strides.
/// pseShiftOptional               in   dtype of query; rank 0..8; any strides; may be null.
/// attenMaskOptional              in   rank 0..8, any strides; may be null. INT8, UINT8, BOOL.
/// actualSeqLengthsOptional       in   int64 values; may be null.
/// actualSeqLengthsKvOptional     in   int64 values; may be null.
/// deqScale1Optional              in   rank 0..8, any strides; may be null.
/// quantScale1Optional            in   rank 0..8, any strides; may be null.
/// deqScale2Optional              in   rank 0..8, any strides; may be null.
/// quantScale2Optional            in   rank 0..8, any strides; may be null.
/// quantOffset2Optional           in   rank 0..8, any strides; may be null.
/// antiquantScaleOptional         in   rank 0..8, any strides; may be null.
/// antiquantOffsetOptional        in   rank 0..8, any strides; may be null.
/// blockTableOptional             in   rank 0..8, any strides; may be null.
/// queryPaddingSizeOptional       in   rank 0..8, any strides; may be null.
/// kvPaddingSizeOptional          in   rank 0..8, any strides; may be null.
/// keyAntiquantScaleOptional      in   rank 0..8, any strides; may be null.
/// keyAntiquantOffsetOptional     in   rank 0..8, any strides; may be null.
/// valueAntiquantScaleOptional    in   rank 0..8, any strides; may be null.
/// valueAntiquantOffsetOptional   in   rank 0..8, any strides; may be null.
/// keySharedPrefixOptional        in   rank 0..8, any strides; may be null.
/// valueSharedPrefixOptional      in   rank 0..8, any strides; may be null.
/// actualSharedPrefixLenOptional  in   int64 values; may be null.
/// numHeads                       in   any int64.
/// scaleValue                     in   any double.
/// preTokens                      in   any int64.
/// nextTokens                     in   any int64.
/// inputLayout                    in   a string.
/// numKeyValueHeads               in   any int64.
/// sparseMode                     in   0 or 1 or 2 or 3 or 4.
/// innerPrecise                   in   0 or 1 or 2 or 3.
/// blockSize                      in   any int64.
/// antiquantMode                  in   any int64.
/// softmaxLseFlag                 in   true or false.
/// keyAntiquantMode               in   any int64.
/// valueAntiquantMode             in   any int64.
/// attentionOut                   out  dtype of query; rank 3..4; any strides; may overlap query, key, value,
///                                     pseShiftOptional, attenMaskOptional, deqScale1Optional, quantScale1Optional,
///                                     deqScale2Optional, quantScale2Optional, quantOffset2Optional,
///                                     antiquantScaleOptional, antiquantOffsetOptional, blockTableOptional,
///                                     queryPaddingSizeOptional, kvPaddingSizeOptional, keyAntiquantScaleOptional,
///                                     keyAntiquantOffsetOptional, valueAntiquantScaleOptional,
///                                     valueAntiquantOffsetOptional, keySharedPrefixOptional and
///                                     valueSharedPrefixOptional; written although it is const.
/// softmaxLse                     out  rank 0..8, any strides; may overlap query, key, value, pseShiftOptional,
///                                     attenMaskOptional, deqScale1Optional, quantScale1Optional, deqScale2Optional,
///                                     quantScale2Optional, quantOffset2Optional, antiquantScaleOptional,
///                                     antiquantOffsetOptional, blockTableOptional, queryPaddingSizeOptional,
///                                     kvPaddingSizeOptional, keyAntiquantScaleOptional, keyAntiquantOffsetOptional,
///                                     valueAntiquantScaleOptional, valueAntiquantOffsetOptional,
///                                     keySharedPrefixOptional and valueSharedPrefixOptional; written although it is
///                                     const; may be null. FLOAT.
/// workspaceSize                  out  bytes phase 2 needs; always 0.
/// executor                       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (query, key, value, inputLayout or attentionOut is null, tested in this order, a breach of
/// "softmaxLse: not NULL where softmaxLseFlag is true", executor or workspaceSize is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed); 561003 (a dtype
/// that is not computed yet); 161002 (dtypes that differ); 561003 (a breach of "quantisation, pages, padding, shared
/// prefixes, several keys: not computed yet"); 161002 (a private format, a rank not listed, a negative dimension,
/// stride or offset, a breach of "inputLayout: BSND, BNSD, BSH or BNSD_BSND, with the rank of query", a breach of
/// "numHeads: the heads of query, a multiple of numKeyValueHeads, which is 0 for as many", sparseMode not 0 or 1 or 2
/// or 3 or 4, innerPrecise not 0 or 1 or 2 or 3, a breach of "key, value: the batches of query, numKeyValueHeads heads,
/// one S_kv; key: the D of query", a breach of "pseShiftOptional: [B or 1, N, S_q, at least S_kv]", a breach of
/// "attenMaskOptional: at least [S_q, S_kv], with B or 1, or B or 1 and 1, before them", a breach of "actual lengths:
/// one, or one for each batch, from 0 to S", a breach of "attentionOut: query with the D of value", a breach of
/// "softmaxLse: [B, N, S_q, 1]"). When query has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: attentionOut: FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-3 (1 + s) times the weighed
/// mean of |value|, s being the largest |scaleValue| sum |query * key| + |pseShiftOptional| of the row, and 2^-110 of
/// the sum of |value|; softmaxLse: FLOAT 34 epsilon of the larger of the result and 1 + s, D / 1024 times that where
/// query has a larger D. FLOAT16 and BFLOAT16 are the nearest value for 99.5 % of random inputs. Same bits for any
/// number of threads. Callable from any thread. Source: aclnnFusedInferAttentionScoreV2 page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value, const aclTensor* pseShiftOptional,
    const aclTensor* attenMaskOptional, const aclIntArray* actualSeqLengthsOptional,
    const aclIntArray* actualSeqLengthsKvOptional, const aclTensor* deqScale1Optional,
    const aclTensor* quantScale1Optional, const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional,
    const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
    const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
    const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
    const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
    const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
    const aclIntArray* actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue, int64_t preTokens,
    int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise,
    int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
    const aclTensor* attentionOut, const aclTensor* softmaxLse, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_
