// SPDX-License-Identifier: Apache-2.0
//
// The axes of query, key, value and attentionOut by their meaning, whatever inputLayout calls them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/view.h"

namespace portacl::ops::fused_infer_attention_score {

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
  int64_t stride = 0;  // elements
};

struct HeadsView {
  Axis batch, head, row, column;
};

/// False where the rank is another, or an axis does not hold so many heads.
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
