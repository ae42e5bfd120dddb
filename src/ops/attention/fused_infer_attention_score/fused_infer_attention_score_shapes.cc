// SPDX-License-Identifier: Apache-2.0
//
// Checks that no word of the schema expresses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "ops/attention/fused_infer_attention_score/fused_infer_attention_score_spec.h"

namespace portacl::ops::fused_infer_attention_score {
namespace {

constexpr int kQuery = kFusedInferAttentionScoreV2.Index("query");
constexpr int kKey = kFusedInferAttentionScoreV2.Index("key");
constexpr int kValue = kFusedInferAttentionScoreV2.Index("value");
constexpr int kPseShift = kFusedInferAttentionScoreV2.Index("pseShiftOptional");
constexpr int kAttenMask = kFusedInferAttentionScoreV2.Index("attenMaskOptional");
constexpr int kHeads = kFusedInferAttentionScoreV2.Index("numHeads");
constexpr int kKeyHeads = kFusedInferAttentionScoreV2.Index("numKeyValueHeads");
constexpr int kInputLayout = kFusedInferAttentionScoreV2.Index("inputLayout");
constexpr int kSparseMode = kFusedInferAttentionScoreV2.Index("sparseMode");
constexpr int kSoftmaxLseFlag = kFusedInferAttentionScoreV2.Index("softmaxLseFlag");
constexpr int kAttentionOut = kFusedInferAttentionScoreV2.Index("attentionOut");
constexpr int kSoftmaxLse = kFusedInferAttentionScoreV2.Index("softmaxLse");
constexpr int kLengths[] = {kFusedInferAttentionScoreV2.Index("actualSeqLengthsOptional"),
                            kFusedInferAttentionScoreV2.Index("actualSeqLengthsKvOptional")};

// Arguments that must be null, or 0.
constexpr int kAbsent[] = {kFusedInferAttentionScoreV2.Index("deqScale1Optional"),
                           kFusedInferAttentionScoreV2.Index("quantScale1Optional"),
                           kFusedInferAttentionScoreV2.Index("deqScale2Optional"),
                           kFusedInferAttentionScoreV2.Index("quantScale2Optional"),
                           kFusedInferAttentionScoreV2.Index("quantOffset2Optional"),
                           kFusedInferAttentionScoreV2.Index("antiquantScaleOptional"),
                           kFusedInferAttentionScoreV2.Index("antiquantOffsetOptional"),
                           kFusedInferAttentionScoreV2.Index("blockTableOptional"),
                           kFusedInferAttentionScoreV2.Index("queryPaddingSizeOptional"),
                           kFusedInferAttentionScoreV2.Index("kvPaddingSizeOptional"),
                           kFusedInferAttentionScoreV2.Index("keyAntiquantScaleOptional"),
                           kFusedInferAttentionScoreV2.Index("keyAntiquantOffsetOptional"),
                           kFusedInferAttentionScoreV2.Index("valueAntiquantScaleOptional"),
                           kFusedInferAttentionScoreV2.Index("valueAntiquantOffsetOptional"),
                           kFusedInferAttentionScoreV2.Index("keySharedPrefixOptional"),
                           kFusedInferAttentionScoreV2.Index("valueSharedPrefixOptional"),
                           kFusedInferAttentionScoreV2.Index("actualSharedPrefixLenOptional")};
constexpr int kZero[] = {
    kFusedInferAttentionScoreV2.Index("blockSize"), kFusedInferAttentionScoreV2.Index("antiquantMode"),
    kFusedInferAttentionScoreV2.Index("keyAntiquantMode"), kFusedInferAttentionScoreV2.Index("valueAntiquantMode")};

std::string TextOf(std::span<const int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

std::string_view LayoutText(const exec::Arguments& arguments) {
  return arguments.value(kInputLayout).As<const char*>();
}

int64_t KeyHeads(const exec::Arguments& arguments) {
  const int64_t heads = arguments.value(kKeyHeads).integer();
  return heads == 0 ? arguments.value(kHeads).integer() : heads;
}

bool QueryOf(const exec::Arguments& arguments, HeadsView* query) {
  return HeadsOf(arguments.Tensor(kQuery), LayoutOf(LayoutText(arguments)), false, arguments.value(kHeads).integer(),
                 query);
}
bool KeysOf(const exec::Arguments& arguments, int arg, HeadsView* keys) {
  return HeadsOf(arguments.Tensor(arg), LayoutOf(LayoutText(arguments)), false, KeyHeads(arguments), keys);
}

bool Is(int64_t size, int64_t wanted, int64_t or_that) { return size == wanted || size == or_that; }

}  // namespace

aclnnStatus CheckLseGiven(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.value(kSoftmaxLseFlag).integer() == 0 || !arguments.IsNull(kSoftmaxLse)) return exec::kSuccess;
  return arguments.Refuse(step, kSoftmaxLse, "a tensor where softmaxLseFlag is true", "null");
}

aclnnStatus CheckFeatures(const exec::Arguments& arguments, const exec::Step& step) {
  for (const int arg : kAbsent) {
    if (!arguments.IsNull(arg))
      return arguments.Refuse(step, arg, "null, as the feature is not computed yet", "another");
  }
  for (const int arg : kZero) {
    const int64_t value = arguments.value(arg).integer();
    if (value != 0)
      return arguments.Refuse(step, arg, "0, as the feature is not computed yet", fmt::format("{}", value));
  }
  for (const int arg : {kKey, kValue}) {
    if (arguments.Count(arg) != 1)
      return arguments.Refuse(step, arg, "one tensor, as lists of several are not computed yet",
                              fmt::format("{} tensors", arguments.Count(arg)));
  }
  return exec::kSuccess;
}

aclnnStatus CheckLayout(const exec::Arguments& arguments, const exec::Step& step) {
  const std::string_view text = LayoutText(arguments);
  const Layout layout = LayoutOf(text);
  if (layout == Layout::kNone)
    return arguments.Refuse(step, kInputLayout, "BSND, BNSD, BSH or BNSD_BSND", std::string(text));
  const int wanted = layout == Layout::kBsh ? 3 : 4;
  for (const int arg : {kQuery, kKey, kValue, kAttentionOut}) {
    const View& view = arguments.Tensor(arg);
    if (view.rank != wanted)
      return arguments.Refuse(step, arg, fmt::format("rank {} in layout {}", wanted, text), TextOf(view.dims()));
  }
  return exec::kSuccess;
}

aclnnStatus CheckHeads(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t heads = arguments.value(kHeads).integer();
  const int64_t key_heads = arguments.value(kKeyHeads).integer();
  HeadsView query;
  if (!QueryOf(arguments, &query))
    return arguments.Refuse(step, kHeads, fmt::format("the heads of query {}", TextOf(arguments.Tensor(kQuery).dims())),
                            fmt::format("{}", heads));
  if (key_heads < 0 || (key_heads > 0 && heads % key_heads != 0))
    return arguments.Refuse(step, kKeyHeads, fmt::format("0, or a divisor of numHeads, {}", heads),
                            fmt::format("{}", key_heads));
  return exec::kSuccess;
}

aclnnStatus CheckKeys(const exec::Arguments& arguments, const exec::Step& step) {
  HeadsView query, key, value;
  QueryOf(arguments, &query);
  const auto refuse = [&](int arg, const std::string& expected) {
    return arguments.Refuse(step, arg, expected, TextOf(arguments.Tensor(arg).dims()), 0);
  };
  if (!KeysOf(arguments, kKey, &key) || key.batch.size != query.batch.size || key.column.size != query.column.size)
    return refuse(kKey, fmt::format("batch {}, {} heads and D {} in layout {}", query.batch.size, KeyHeads(arguments),
                                    query.column.size, LayoutText(arguments)));
  if (!KeysOf(arguments, kValue, &value) || value.batch.size != query.batch.size || value.row.size != key.row.size)
    return refuse(kValue, fmt::format("batch {}, {} heads and {} rows in layout {}", query.batch.size,
                                      KeyHeads(arguments), key.row.size, LayoutText(arguments)));
  return exec::kSuccess;
}

aclnnStatus CheckPseShift(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.IsNull(kPseShift)) return exec::kSuccess;
  const View& pse = arguments.Tensor(kPseShift);
  HeadsView query, key;
  QueryOf(arguments, &query);
  KeysOf(arguments, kKey, &key);
  if (pse.rank == 4 && Is(pse.shape[0], query.batch.size, 1) && pse.shape[1] == query.head.size &&
      pse.shape[2] == query.row.size && pse.shape[3] >= key.row.size)
    return exec::kSuccess;
  return arguments.Refuse(
      step, kPseShift,
      fmt::format("[{} or 1,{},{},at least {}]", query.batch.size, query.head.size, query.row.size, key.row.size),
      TextOf(pse.dims()));
}

aclnnStatus CheckAttenMask(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.IsNull(kAttenMask) || arguments.value(kSparseMode).integer() >= 2) return exec::kSuccess;
  const View& mask = arguments.Tensor(kAttenMask);
  HeadsView query, key;
  QueryOf(arguments, &query);
  KeysOf(arguments, kKey, &key);
  const int axes = mask.rank;
  const bool has_size =
      axes >= 2 && axes <= 4 && mask.shape[axes - 2] >= query.row.size && mask.shape[axes - 1] >= key.row.size;
  const bool has_batch = axes < 3 || Is(mask.shape[0], query.batch.size, 1);
  if (has_size && has_batch && (axes < 4 || mask.shape[1] == 1)) return exec::kSuccess;
  return arguments.Refuse(step, kAttenMask,
                          fmt::format("at least [{0},{1}], [{2} or 1,{0},{1}] or [{2} or 1,1,{0},{1}]", query.row.size,
                                      key.row.size, query.batch.size),
                          TextOf(mask.dims()));
}

aclnnStatus CheckLengths(const exec::Arguments& arguments, const exec::Step& step) {
  HeadsView query, key;
  QueryOf(arguments, &query);
  KeysOf(arguments, kKey, &key);
  for (const bool is_key : {false, true}) {
    const int arg = kLengths[is_key];
    if (arguments.IsNull(arg)) continue;
    const std::span<const int64_t> lengths = arguments.Ints(arg);
    const auto batches = static_cast<size_t>(query.batch.size);
    if (lengths.size() != 1 && lengths.size() < batches)
      return arguments.Refuse(step, arg, fmt::format("1 or {} numbers", batches), fmt::format("{}", lengths.size()));
    const int64_t most = is_key ? key.row.size : query.row.size;
    for (const int64_t length : lengths.first(std::min(lengths.size(), std::max<size_t>(batches, 1)))) {
      if (length < 0 || length > most)
        return arguments.Refuse(step, arg, fmt::format("numbers from 0 to {}", most), fmt::format("{}", length));
    }
  }
  return exec::kSuccess;
}

bool AttentionOutShape(const exec::Arguments& arguments, Shape* shape) {
  HeadsView query, value;
  if (!QueryOf(arguments, &query) || !KeysOf(arguments, kValue, &value)) return false;
  const int64_t batch = query.batch.size, rows = query.row.size, heads = query.head.size, depth = value.column.size;
  switch (LayoutOf(LayoutText(arguments))) {
    case Layout::kBsh:
      *shape = {3, {batch, rows, heads * depth}};
      break;
    case Layout::kBnsd:
      *shape = {4, {batch, heads, rows, depth}};
      break;
    default:
      *shape = {4, {batch, rows, heads, depth}};
  }
  return true;
}

bool SoftmaxLseShape(const exec::Arguments& arguments, Shape* shape) {
  HeadsView query;
  if (!QueryOf(arguments, &query)) return false;
  *shape = {4, {query.batch.size, query.head.size, query.row.size, 1}};
  return true;
}

aclnnStatus CheckResult(const exec::Arguments& arguments, const exec::Step& step) {
  const int arg = step.target.index;
  Shape wanted;
  const bool is_lse = arg == kSoftmaxLse;
  if (arguments.IsNull(arg) || (is_lse && arguments.value(kSoftmaxLseFlag).integer() == 0) ||
      !step.custom_shape(arguments, &wanted))
    return exec::kSuccess;
  const View& view = arguments.Tensor(arg);
  if (std::ranges::equal(view.dims(), wanted.span())) return exec::kSuccess;
  return arguments.Refuse(step, arg, TextOf(wanted.span()), TextOf(view.dims()));
}

}  // namespace portacl::ops::fused_infer_attention_score
