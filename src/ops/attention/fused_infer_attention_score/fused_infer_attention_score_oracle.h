// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/element.h"
#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::fused_infer_attention_score {

using calls::Dims;

// A tensor whose elements are accessed by batch, head, row and column.
struct OracleTensor {
  OracleTensor(const Dims& of, std::vector<double> elements, std::string_view layout, int64_t heads)
      : shape(of), values(std::move(elements)) {
    if (layout == "BSH") shape = {shape[0], shape[1], heads, heads == 0 ? 0 : shape[2] / heads};
    heads_first = layout == "BNSD" || layout == "BNSD_BSND";
  }
  double At(int64_t batch, int64_t head, int64_t row, int64_t column) const {
    const Dims index = heads_first ? Dims{batch, head, row, column} : Dims{batch, row, head, column};
    return values[calls::NumberOf(shape, index)];
  }
  int64_t Rows() const { return shape[heads_first ? 2 : 1]; }
  int64_t Columns() const { return shape[3]; }

  Dims shape;
  std::vector<double> values;
  bool heads_first = false;
};

// The element of an array that has one value per batch.
inline int64_t LengthOf(calls::OracleCall& call, std::string_view name, int64_t batch, int64_t otherwise) {
  if (call.Argument(name).null) return otherwise;
  const std::vector<int64_t>& lengths = call.Integers(name);
  return lengths.size() == 1 ? lengths[0] : lengths[static_cast<size_t>(batch)];
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnFusedInferAttentionScoreV2") return false;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::string_view layout = call.Argument("inputLayout").text;
  const int64_t heads = call.Integer("numHeads");
  const int64_t key_heads = call.Integer("numKeyValueHeads") == 0 ? heads : call.Integer("numKeyValueHeads");
  const OracleTensor query(call.Tensor("query").shape, call.Values("query"), layout, heads);
  const auto from_list = [&](std::string_view name) {
    const calls::TensorSpec& tensor = call.Tensors(name)[0];
    return OracleTensor(tensor.shape, calls::Decode(tensor.dtype, calls::ReadElements(tensor)), layout, key_heads);
  };
  const OracleTensor key = from_list("key"), value = from_list("value");
  const bool has_pse = !call.Argument("pseShiftOptional").null, has_mask = !call.Argument("attenMaskOptional").null;
  const int64_t mode = call.Integer("sparseMode");
  const int64_t queries = query.Rows(), keys = key.Rows();
  const int64_t batches = query.shape[0];
  const auto scale = static_cast<double>(static_cast<float>(call.Real("scaleValue")));
  const auto pre = static_cast<double>(call.Integer("preTokens")),
             next = static_cast<double>(call.Integer("nextTokens"));

  const auto is_masked = [&](int64_t b, int64_t i, int64_t j) {
    if (!has_mask) return false;
    if (mode < 2) {
      const Dims& shape = call.Tensor("attenMaskOptional").shape;
      Dims index(shape.size(), 0);
      index[shape.size() - 2] = i, index[shape.size() - 1] = j;
      if (shape.size() > 2) index[0] = std::min(b, shape[0] - 1);
      if (call.Values("attenMaskOptional")[calls::NumberOf(shape, index)] != 0) return true;
    }
    if (queries == 1) return false;
    const int64_t shift =
        LengthOf(call, "actualSeqLengthsKvOptional", b, keys) - LengthOf(call, "actualSeqLengthsOptional", b, queries);
    const auto distance = static_cast<double>(j - i), from_end = static_cast<double>(j - i - shift);
    if (mode == 0) return distance < -pre || distance > next;
    if (mode == 2) return distance > 0;
    if (mode == 3) return from_end > 0;
    return mode == 4 && (from_end < -pre || from_end > next);
  };
  struct Row {
    std::vector<double> out, terms;
    double lse, lse_term;
  };
  const auto compute = [&](int64_t b, int64_t h, int64_t i) {
    const int64_t columns = value.Columns();
    Row row{std::vector<double>(static_cast<size_t>(columns)), std::vector<double>(static_cast<size_t>(columns)), kInf,
            0};
    if (i >= LengthOf(call, "actualSeqLengthsOptional", b, queries)) return row;
    const int64_t of_key = h / (heads / key_heads);
    std::vector<long double> scores;
    std::vector<int64_t> places;
    long double most = -static_cast<long double>(kInf), size = 0;
    bool is_huge = false;
    for (int64_t j = 0; j < LengthOf(call, "actualSeqLengthsKvOptional", b, keys); ++j) {
      if (is_masked(b, i, j)) continue;
      long double score = 0, of_score = 0;
      for (int64_t d = 0; d < query.Columns(); ++d) {
        const long double product = static_cast<long double>(query.At(b, h, i, d)) * key.At(b, of_key, j, d);
        score += product, of_score += std::abs(product);
      }
      // float32 can represent neither the sum nor its order of magnitude.
      is_huge = is_huge || (std::isfinite(of_score) && of_score > 0x1p126L);
      score *= scale, of_score *= std::abs(scale);
      if (has_pse) {
        const Dims& shape = call.Tensor("pseShiftOptional").shape;
        const double pse =
            call.Values("pseShiftOptional")[calls::NumberOf(shape, {std::min(b, shape[0] - 1), h, i, j})];
        score += pse;
        if (std::isfinite(pse)) of_score += std::abs(pse);
      }
      is_huge = is_huge || (std::isfinite(of_score) && of_score > 0x1p126L);
      if (score == -static_cast<long double>(kInf)) continue;
      if (std::isfinite(of_score)) size = std::max(size, of_score);
      if (std::isnan(score) || score > most) most = score;
      scores.push_back(score), places.push_back(j);
    }
    if (scores.empty() && !is_huge) return row;
    // With scores of this size, the smallest rounding error changes the result completely.
    is_huge = is_huge || size > 0x1p16L;
    long double sum = 0;
    for (long double& score : scores) sum += score = std::exp(score - most);
    row.lse = static_cast<double>(most + std::log(sum));
    row.lse_term =
        is_huge ? kInf : static_cast<double>(1 + size) * std::max(1.0, static_cast<double>(query.Columns()) / 1024);
    for (int64_t c = 0; c < columns; ++c) {
      long double mean = 0, magnitude = 0, values = 0;
      bool is_known = !is_huge;
      for (size_t j = 0; j < scores.size(); ++j) {
        const long double v = value.At(b, of_key, places[j], c);
        // It is unspecified whether a weight this small is 0 in float32.
        if (!std::isfinite(v) && scores[j] < 1e-20L) is_known = false;
        mean += scores[j] * v / sum;
        if (std::isfinite(v)) magnitude += scores[j] * std::abs(v), values += std::abs(v);
      }
      if (magnitude > 0x1p126L) is_known = false;
      row.out[static_cast<size_t>(c)] = static_cast<double>(mean);
      row.terms[static_cast<size_t>(c)] =
          is_known ? static_cast<double>(0.125L * (1 + size) * magnitude / sum + 0x1p-110L * values) : kInf;
      if (std::isnan(row.terms[static_cast<size_t>(c)])) row.terms[static_cast<size_t>(c)] = 0;
    }
    return row;
  };

  const bool has_lse = !call.Argument("softmaxLse").null && call.Integer("softmaxLseFlag") != 0;
  const bool heads_first = layout == "BNSD";
  for (int64_t b = 0; b < batches; ++b) {
    std::vector<Row> rows;
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < queries; ++i) rows.push_back(compute(b, h, i));
    }
    for (const Row& row : rows) {
      if (!has_lse) break;
      call.Values("softmaxLse").push_back(row.lse);
      call.Terms("softmaxLse").push_back(row.lse_term);
    }
    for (int64_t n = 0; n < heads * queries; ++n) {
      const Row& row = rows[static_cast<size_t>(heads_first ? n : n % heads * queries + n / heads)];
      call.Values("attentionOut").insert(call.Values("attentionOut").end(), row.out.begin(), row.out.end());
      call.Terms("attentionOut").insert(call.Terms("attentionOut").end(), row.terms.begin(), row.terms.end());
    }
  }
  return true;
}

// Shapes with about as many elements as query had in the generated call.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnFusedInferAttentionScoreV2") return;
  const auto draw = [&](int64_t low, int64_t high) { return random == nullptr ? low : random->Between(low, high); };
  const auto chance = [&](double of) { return random != nullptr && random->Chance(of); };
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const std::string_view name = call.schema().args[i].name;
    if (call.schema().args[i].optional && name != "pseShiftOptional" && name != "attenMaskOptional" &&
        name != "softmaxLse" && !name.starts_with("actualSeq"))
      call.arguments()[i].null = true;
  }
  for (const char* const name : {"blockSize", "antiquantMode", "keyAntiquantMode", "valueAntiquantMode"})
    call.argument(name).integer = 0;
  // The elements of the query, divided into rows of up to 64.
  const Dims drawn = call.tensor("query").shape;
  int64_t elements = calls::ElementCount(drawn);
  const bool is_empty = elements == 0;
  const auto take = [&](int64_t most) {
    const int64_t size = draw(1, std::max<int64_t>(1, std::min(most, elements)));
    elements = std::max<int64_t>(1, elements / size);
    return size;
  };
  const int64_t depth = random == nullptr ? 4 : take(chance(0.1) ? 2100 : 70),
                key_heads = random == nullptr ? 1 : take(3);
  const int64_t group = random == nullptr ? 2 : take(4), batches = random == nullptr ? 2 : take(3);
  const int64_t rows = is_empty ? 0 : std::min<int64_t>(elements, 40), keys = draw(3, 90);
  const int64_t value_depth = chance(0.3) ? draw(1, 40) : depth;
  const char* const layouts[] = {"BSND", "BNSD", "BSH", "BNSD_BSND"};
  const std::string_view layout = layouts[draw(0, 3)];
  const auto shape_of = [&](bool is_result, int64_t heads, int64_t count, int64_t columns) -> Dims {
    if (layout == "BSH") return {batches, count, heads * columns};
    if (layout == "BNSD" || (layout == "BNSD_BSND" && !is_result)) return {batches, heads, count, columns};
    return {batches, count, heads, columns};
  };
  const int64_t heads = key_heads * group;
  call.argument("inputLayout").text = layout;
  call.argument("numHeads").integer = heads;
  call.argument("numKeyValueHeads").integer = group == 1 && chance(0.5) ? 0 : key_heads;
  call.tensor("query").shape = shape_of(false, heads, rows, depth);
  for (const char* const name : {"key", "value"}) call.argument(name).tensors.resize(1);
  call.tensor("key").shape = shape_of(false, key_heads, keys, depth);
  call.tensor("value").shape = shape_of(false, key_heads, keys, value_depth);
  call.tensor("attentionOut").shape = shape_of(true, heads, rows, value_depth);
  call.tensor("pseShiftOptional").shape = {chance(0.5) ? 1 : batches, heads, rows, keys + (chance(0.2) ? 3 : 0)};
  Dims& mask = call.tensor("attenMaskOptional").shape;
  mask = {rows + (chance(0.3) ? 2 : 0), keys + (chance(0.3) ? 1 : 0)};
  const int64_t mask_axes = draw(2, 4);
  if (mask_axes == 4) mask.insert(mask.begin(), 1);
  if (mask_axes > 2) mask.insert(mask.begin(), chance(0.5) ? 1 : batches);
  call.tensor("softmaxLse").shape = {batches, heads, rows, 1};
  call.argument("softmaxLseFlag").integer = call.argument("softmaxLse").null ? 0 : 1;
  call.argument("scaleValue").real = 1 / std::sqrt(static_cast<double>(depth));
  call.argument("preTokens").integer = chance(0.3) ? draw(0, 20) : 65535;
  call.argument("nextTokens").integer = chance(0.3) ? draw(0, 20) : 65535;
  for (const bool is_key : {false, true}) {
    std::vector<int64_t>& lengths =
        call.argument(is_key ? "actualSeqLengthsKvOptional" : "actualSeqLengthsOptional").integers;
    const int64_t most = is_key ? keys : rows;
    const int64_t count = chance(0.5) ? 1 : batches;
    lengths.clear();
    for (int64_t b = 0; b < count; ++b) lengths.push_back(draw(std::min<int64_t>(most, 1), most));
  }
}

}  // namespace portacl::ops::fused_infer_attention_score
