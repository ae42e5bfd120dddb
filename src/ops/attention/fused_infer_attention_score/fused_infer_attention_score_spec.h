// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnFusedInferAttentionScoreV2: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::fused_infer_attention_score {

using exec::Attribute;
using exec::OptionalAttribute;
using exec::OptionalIn;
using exec::ValueKind;

/// Refuses arguments that request a feature which is not computed.
aclnnStatus CheckFeatures(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckLayout(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckHeads(const exec::Arguments& arguments, const exec::Step& step);
/// Checks key and value.
aclnnStatus CheckKeys(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckPseShift(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckAttenMask(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckLengths(const exec::Arguments& arguments, const exec::Step& step);
/// Checks the output that Step::Accepts names.
aclnnStatus CheckResult(const exec::Arguments& arguments, const exec::Step& step);
bool AttentionOutShape(const exec::Arguments& arguments, Shape* shape);
bool SoftmaxLseShape(const exec::Arguments& arguments, Shape* shape);
/// softmaxLse must be given if softmaxLseFlag is true.
aclnnStatus CheckLseGiven(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kListed = families::kNarrow | exec::DtypeSet{ACL_INT8};

PORTACL_ROW(
    FusedInferAttentionScoreV2, opapi_transformer, "aclnn_fused_infer_attention_score_v2.h",
    exec::MakeRecipe(
        {.formula = "for each query and head the softmax-weighted mean of the rows of value; the scores are scaleValue "
                    "* query * key + pseShiftOptional, over the keys that are not masked",
         .special = "A key counts for a query i where attenMaskOptional is 0 and sparseMode lets it: 0 and 1 use the "
                    "mask as given, 0 within keys i - preTokens to i + nextTokens where there is a mask. With a mask, "
                    "whose elements are not read, 2 takes keys up to i, 3 up to i + S_kv - S_q, 4 from i + S_kv - S_q "
                    "- preTokens to i + S_kv - S_q + nextTokens; S_q and S_kv are the actual lengths of the batch "
                    "where these are given, else the sizes of query and key. Where query has one row neither numbers "
                    "of tokens nor modes 2 to 4 count. actualSeqLengthsKvOptional and actualSeqLengthsOptional are the "
                    "numbers of keys and queries in each batch, one for all or one each. Query head h uses head h / "
                    "(numHeads / numKeyValueHeads) of key and value. A row without keys, or with scores of -inf alone, "
                    "is 0, and softmaxLse inf there; a NaN or inf among the scores makes it NaN. Weights below 2^-126 "
                    "of the largest are 0, and elements of value with weight 0 do not count.",
         .accuracy = {exec::Ulp("attentionOut", families::kNarrow, 0.51)
                          .OfTerm("2^-3 (1 + s) times the weighted mean of |value|, s being the largest |scaleValue| "
                                  "sum |query * key| + |pseShiftOptional| of the row, and 2^-110 of the sum of |value|")
                          .NearestBut(0.005),  // with scores of thousands, weights have fewer correct bits
                      exec::Epsilon("softmaxLse", {ACL_FLOAT}, 34)
                          .OfTerm("1 + s, D / 1024 times that where query has a larger D")},
         .socs = families::kMost},
        {exec::In("query"),
         exec::InList("key"),
         exec::InList("value"),
         OptionalIn("pseShiftOptional"),
         OptionalIn("attenMaskOptional"),
         OptionalAttribute("actualSeqLengthsOptional", ValueKind::kIntArray),
         OptionalAttribute("actualSeqLengthsKvOptional", ValueKind::kIntArray),
         OptionalIn("deqScale1Optional"),
         OptionalIn("quantScale1Optional"),
         OptionalIn("deqScale2Optional"),
         OptionalIn("quantScale2Optional"),
         OptionalIn("quantOffset2Optional"),
         OptionalIn("antiquantScaleOptional"),
         OptionalIn("antiquantOffsetOptional"),
         OptionalIn("blockTableOptional"),
         OptionalIn("queryPaddingSizeOptional"),
         OptionalIn("kvPaddingSizeOptional"),
         OptionalIn("keyAntiquantScaleOptional"),
         OptionalIn("keyAntiquantOffsetOptional"),
         OptionalIn("valueAntiquantScaleOptional"),
         OptionalIn("valueAntiquantOffsetOptional"),
         OptionalIn("keySharedPrefixOptional"),
         OptionalIn("valueSharedPrefixOptional"),
         OptionalAttribute("actualSharedPrefixLenOptional", ValueKind::kIntArray),
         Attribute("numHeads", ValueKind::kInt64),
         Attribute("scaleValue", ValueKind::kDouble),
         Attribute("preTokens", ValueKind::kInt64),
         Attribute("nextTokens", ValueKind::kInt64),
         exec::NotConst(Attribute("inputLayout", ValueKind::kString)),
         Attribute("numKeyValueHeads", ValueKind::kInt64),
         Attribute("sparseMode", ValueKind::kInt64),
         Attribute("innerPrecise", ValueKind::kInt64),
         Attribute("blockSize", ValueKind::kInt64),
         Attribute("antiquantMode", ValueKind::kInt64),
         Attribute("softmaxLseFlag", ValueKind::kBool),
         Attribute("keyAntiquantMode", ValueKind::kInt64),
         Attribute("valueAntiquantMode", ValueKind::kInt64),
         exec::Const(exec::Out("attentionOut")),
         exec::Const(exec::OptionalOut("softmaxLse"))},
        {exec::NotNull("query", "key", "value", "inputLayout", "attentionOut"),
         exec::Custom("softmaxLse: not NULL where softmaxLseFlag is true", CheckLseGiven).Status(exec::kNullPointer),
         exec::NotNull("executor", "workspaceSize"),
         exec::OnSocs(),
         families::Dtypes({"query"}, kListed),
         families::ComputedDtypes({"query"}, kListed, families::kNarrow),
         exec::SameDtype("query", "key", "value", "pseShiftOptional", "attentionOut"),
         exec::DtypeOneOf({"attenMaskOptional"}, {ACL_BOOL, ACL_INT8, ACL_UINT8}),
         exec::DtypeOneOf({"softmaxLse"}, {ACL_FLOAT}),
         exec::Custom("quantisation, pages, padding, shared prefixes, several keys: not computed yet", CheckFeatures)
             .Status(exec::kNoKernel),
         exec::PlainFormat("query", "key", "value", "pseShiftOptional", "attenMaskOptional", "attentionOut",
                           "softmaxLse"),
         exec::Rank({"query", "key", "value", "attentionOut"}, 3, 4),
         exec::MaxRank("pseShiftOptional", "attenMaskOptional", "softmaxLse"),
         exec::MaxRank("deqScale1Optional", "quantScale1Optional", "deqScale2Optional", "quantScale2Optional",
                       "quantOffset2Optional", "antiquantScaleOptional", "antiquantOffsetOptional",
                       "blockTableOptional"),
         exec::MaxRank("queryPaddingSizeOptional", "kvPaddingSizeOptional", "keyAntiquantScaleOptional",
                       "keyAntiquantOffsetOptional", "valueAntiquantScaleOptional", "valueAntiquantOffsetOptional",
                       "keySharedPrefixOptional", "valueSharedPrefixOptional"),
         exec::Custom("inputLayout: BSND, BNSD, BSH or BNSD_BSND, with the rank of query", CheckLayout),
         exec::Custom("numHeads: the heads of query, a multiple of numKeyValueHeads, which is 0 for as many",
                      CheckHeads),
         exec::ValueOneOf("sparseMode", {0, 1, 2, 3, 4}),
         exec::ValueOneOf("innerPrecise", {0, 1, 2, 3}),
         exec::Custom("key, value: the batches of query, numKeyValueHeads heads, one S_kv; key: the D of query",
                      CheckKeys),
         exec::Custom("pseShiftOptional: [B or 1, N, S_q, at least S_kv]", CheckPseShift),
         exec::Custom("attenMaskOptional: at least [S_q, S_kv], with B or 1, or B or 1 and 1, before them",
                      CheckAttenMask),
         exec::Custom("actual lengths: one, or one for each batch, from 0 to S", CheckLengths),
         exec::Custom("attentionOut: query with the D of value", CheckResult)
             .Accepts("attentionOut", AttentionOutShape),
         exec::Custom("softmaxLse: [B, N, S_q, 1]", CheckResult).Accepts("softmaxLse", SoftmaxLseShape),
         exec::EmptySucceeds("query")}));

// The axes of query, key, value and attentionOut by their meaning, whatever their order in inputLayout.
enum class Layout : uint8_t { kBsnd, kBnsd, kBsh, kBnsdToBsnd, kNone };

inline Layout LayoutOf(std::string_view text) {
  if (text == "BSND") return Layout::kBsnd;
  if (text == "BNSD") return Layout::kBnsd;
  if (text == "BSH") return Layout::kBsh;
  if (text == "BNSD_BSND") return Layout::kBnsdToBsnd;
  return Layout::kNone;
}

struct Axis {
  int64_t size = 0;
  int64_t stride = 0;  // in elements
};

struct HeadsView {
  Axis batch, head, row, column;
};

/// False for another rank, or if an axis is not `heads` long, or no multiple of it.
inline bool HeadsOf(const View& view, Layout layout, bool is_result, int64_t heads, HeadsView* result) {
  if (layout == Layout::kNone || view.rank != (layout == Layout::kBsh ? 3 : 4) || heads <= 0) return false;
  const auto axis = [&](int number) { return Axis{view.shape[number], view.step(number)}; };
  const bool heads_first = layout == Layout::kBnsd || (layout == Layout::kBnsdToBsnd && !is_result);
  if (layout == Layout::kBsh) {
    const Axis all = axis(2);
    if (all.size % heads != 0) return false;
    const int64_t depth = all.size / heads;
    *result = {axis(0), {heads, depth * all.stride}, axis(1), {depth, all.stride}};
  } else {
    *result = {axis(0), axis(heads_first ? 1 : 2), axis(heads_first ? 2 : 1), axis(3)};
  }
  return result->head.size == heads;
}

}  // namespace portacl::ops::fused_infer_attention_score
