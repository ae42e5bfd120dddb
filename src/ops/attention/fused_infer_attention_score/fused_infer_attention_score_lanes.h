// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions: attention of several rows, all of the same head of key and value.
//
// The rows of such a head come from all query heads that share it: row r belongs to query r / group and to head r %
// group of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::ops::fused_infer_attention_score {

/// Number of keys whose scores are computed before value is read.
inline constexpr int64_t kKeyBlock = 64;
/// Rows of a register tile.
inline constexpr int64_t kTileRows = 6;
/// Rows of floats are padded to a multiple of this, the lanes of the largest register.
inline constexpr int64_t kPadding = 64;

constexpr int64_t Padded(int64_t size, int64_t step = kPadding) { return (size + step - 1) / step * step; }

/// Strides in bytes along query, head of the group, and element. A null base: the operand is absent.
struct RowOperand {
  std::byte* base = nullptr;
  int64_t query = 0;
  int64_t head = 0;
  int64_t column = 0;

  std::byte* At(int64_t row, int64_t group) const { return base + row / group * query + row % group * head; }
};

struct KeyOperand {
  const std::byte* base = nullptr;
  int64_t row = 0;
  int64_t column = 0;
};

struct Work {
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t group = 1;
  int64_t first_key = 0;
  int64_t end_key = 0;
  int64_t queries = 0;  // later ones have no keys
  int64_t depth = 0;
  int64_t value_depth = 0;
  float scale = 1;
  int64_t low = 0;  // query i takes keys i + low to i + high
  int64_t high = 0;
  RowOperand query, pse, mask, out, lse;
  KeyOperand key, value;
  std::byte* scratch = nullptr;
  float* partial = nullptr;  // receives intermediate state instead of results if the run covers a part of the keys only
};

/// Floats of a row of Work::partial: the largest score, the sum of exponentials, and the weighted sum of value.
constexpr int64_t PartialFloats(int64_t value_depth) { return 2 + value_depth; }

/// Scratch for a run over a few rows: queries, scores and sums, in this order, and gathered keys.
constexpr int64_t DecodingBytes(int64_t rows, int64_t depth, int64_t value_depth) {
  const int64_t floats = rows * (Padded(depth) + kKeyBlock + Padded(value_depth) + 4);
  return 4 * Padded(floats) + 2 * kKeyBlock * (Padded(depth) + Padded(value_depth)) + 256;
}

/// The same for many rows: keys and values are widened once for all of them.
constexpr int64_t PromptBytes(int64_t rows, int64_t depth, int64_t value_depth) {
  const int64_t padded = Padded(rows, kTileRows);
  const int64_t floats =
      padded * (Padded(depth) + kKeyBlock + Padded(value_depth) + 4) + kKeyBlock * (depth + Padded(value_depth));
  return 4 * Padded(floats) + 4 * kKeyBlock * Padded(std::max(depth, value_depth)) + 256 +
         DecodingBytes(1, depth, value_depth);
}

struct AttentionLanes {
  void (*decode)(const Work& work);  // few rows: each key and value is read once, and widened when it is loaded
  void (*prompt)(const Work& work);  // many rows
  // Merges `parts` runs over parts of the keys, stored consecutively in work.partial, in their order.
  void (*merge)(const Work& work, int64_t parts);
};

/// The functions for FLOAT16 or BFLOAT16 and an instruction set (a HWY_* bit).
AttentionLanes LanesOf(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::fused_infer_attention_score
