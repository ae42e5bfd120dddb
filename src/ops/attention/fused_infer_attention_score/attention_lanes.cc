// SPDX-License-Identifier: Apache-2.0
//
// Attention of many rows: a block of keys and one of values are widened once for all rows, and both products are
// computed in register tiles of six rows. When the largest score of a row grows, the sums so far are rescaled.
#include <algorithm>
#include <cstring>

#include "simd/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/fused_infer_attention_score/attention_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "ops/attention/fused_infer_attention_score/decoding.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::fused_infer_attention_score::HWY_NAMESPACE {

// Registers per row of a tile: 24 of 32 in all, or 12 of 16.
#if HWY_TARGET == HWY_EMU128
inline constexpr int kTileVectors = 1;
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_AVX3
inline constexpr int kTileVectors = 2;
#else
inline constexpr int kTileVectors = 4;
#endif

// c = a b, or c += a b: six rows of `a` with n columns, n rows of `b` with kVectors registers. Strides in floats. The
// products of one call are summed first and then added to c, so that the rounding error is that of several short sums,
// not of one long one.
template <int kVectors, bool kAdd>
HWY_INLINE void MultiplyTile(int64_t n, const float* a, int64_t a_stride, const float* b, int64_t b_stride, float* c,
                             int64_t c_stride) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
#define PORTACL_ROW(r) FloatVector c##r##0 = hn::Zero(d), c##r##1 = c##r##0, c##r##2 = c##r##0, c##r##3 = c##r##0
  PORTACL_ROW(0);
  PORTACL_ROW(1);
  PORTACL_ROW(2);
  PORTACL_ROW(3);
  PORTACL_ROW(4);
  PORTACL_ROW(5);
#undef PORTACL_ROW
  for (int64_t i = 0; i < n; ++i) {
    const float* const row = b + i * b_stride;
    const FloatVector b0 = hn::LoadU(d, row);
    const FloatVector b1 = kVectors > 1 ? hn::LoadU(d, row + lanes) : b0;
    const FloatVector b2 = kVectors > 2 ? hn::LoadU(d, row + 2 * lanes) : b0;
    const FloatVector b3 = kVectors > 2 ? hn::LoadU(d, row + 3 * lanes) : b0;
#define PORTACL_ROW(r)                                                     \
  {                                                                        \
    const FloatVector factor = hn::Set(d, a[(r) * a_stride + i]);          \
    c##r##0 = hn::MulAdd(factor, b0, c##r##0);                             \
    if constexpr (kVectors > 1) c##r##1 = hn::MulAdd(factor, b1, c##r##1); \
    if constexpr (kVectors > 2) {                                          \
      c##r##2 = hn::MulAdd(factor, b2, c##r##2);                           \
      c##r##3 = hn::MulAdd(factor, b3, c##r##3);                           \
    }                                                                      \
  }
    PORTACL_ROW(0)
    PORTACL_ROW(1)
    PORTACL_ROW(2)
    PORTACL_ROW(3)
    PORTACL_ROW(4)
    PORTACL_ROW(5)
#undef PORTACL_ROW
  }
  const auto store = [&](FloatVector v, int64_t row, int64_t number) HWY_ATTR {
    float* const to = c + row * c_stride + number * lanes;
    hn::StoreU(kAdd ? hn::Add(hn::LoadU(d, to), v) : v, d, to);
  };
#define PORTACL_ROW(r)                              \
  store(c##r##0, r, 0);                             \
  if constexpr (kVectors > 1) store(c##r##1, r, 1); \
  if constexpr (kVectors > 2) store(c##r##2, r, 2), store(c##r##3, r, 3)
  PORTACL_ROW(0);
  PORTACL_ROW(1);
  PORTACL_ROW(2);
  PORTACL_ROW(3);
  PORTACL_ROW(4);
  PORTACL_ROW(5);
#undef PORTACL_ROW
}

// The same for any multiple of six rows and of a register.
template <bool kAdd>
HWY_NOINLINE void Multiply(int64_t rows, int64_t columns, int64_t n, const float* a, int64_t a_stride, const float* b,
                           int64_t b_stride, float* c, int64_t c_stride) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatLanes()));
  int64_t column = 0;
  for (; column + kTileVectors * lanes <= columns; column += kTileVectors * lanes) {
    for (int64_t row = 0; row < rows; row += kTileRows)
      MultiplyTile<kTileVectors, kAdd>(n, a + row * a_stride, a_stride, b + column, b_stride,
                                       c + row * c_stride + column, c_stride);
  }
  for (; kTileVectors > 1 && column < columns; column += lanes) {
    for (int64_t row = 0; row < rows; row += kTileRows)
      MultiplyTile<1, kAdd>(n, a + row * a_stride, a_stride, b + column, b_stride, c + row * c_stride + column,
                            c_stride);
  }
}

// The working memory for many rows.
template <class T>
struct Prompt {
  using E = Stored<T>;

  explicit Prompt(const Work& of)
      : work(of),
        padded_rows(Padded(of.rows, kTileRows)),
        value_depth(Padded(of.value_depth, static_cast<int64_t>(hn::Lanes(FloatLanes())))) {
    states = reinterpret_cast<RowState*>(work.scratch);
    q = reinterpret_cast<float*>(work.scratch + Padded(padded_rows * int64_t{sizeof(RowState)}));
    s = q + padded_rows * Padded(work.depth);
    sums = s + padded_rows * kKeyBlock;
    keys = sums + padded_rows * Padded(work.value_depth);
    values = keys + kKeyBlock * work.depth;
    dense = reinterpret_cast<E*>(values + kKeyBlock * Padded(work.value_depth));
    transposed = dense + kKeyBlock * Padded(std::max(work.depth, work.value_depth));
    rest = reinterpret_cast<std::byte*>(transposed + kKeyBlock * Padded(std::max(work.depth, work.value_depth)));
  }

  HWY_INLINE void Begin() const {
    for (int64_t r = 0; r < padded_rows; ++r) {
      states[r] = RowState();
      float* const to = q + r * Padded(work.depth);
      if (r < work.rows) {
        WidenRow<T>(Dense(work.query.At(work.first_row + r, work.group), work.query.column, work.depth, dense),
                    work.depth, work.depth, to);
      } else {
        std::fill_n(to, work.depth, 0.0f);
      }
    }
    std::fill_n(sums, padded_rows * Padded(work.value_depth), 0.0f);
  }

  // Transposes the keys to floats, one column per key.
  HWY_INLINE void TransposeKeys(int64_t key, int64_t n) const {
    const KeyOperand from =
        DenseRows({work.key.base + key * work.key.row, work.key.row, work.key.column}, n, work.depth, dense);
    if (n < kKeyBlock) std::fill_n(transposed, kKeyBlock * work.depth, E{0});
    portacl::simd::Transpose<sizeof(E)>(work.depth, n, reinterpret_cast<std::byte*>(transposed),
                                        kKeyBlock * int64_t{sizeof(E)}, from.base, from.row);
    WidenRow<T>(transposed, kKeyBlock * work.depth, kKeyBlock * work.depth, keys);
  }

  HWY_INLINE void WidenValues(int64_t key, int64_t n) const {
    const KeyOperand from = DenseRows({work.value.base + key * work.value.row, work.value.row, work.value.column}, n,
                                      work.value_depth, dense);
    for (int64_t k = 0; k < n; ++k)
      WidenRow<T>(reinterpret_cast<const E*>(from.base + k * from.row), work.value_depth, value_depth,
                  values + k * Padded(work.value_depth));
  }

  HWY_INLINE void MultiplyQueries(int64_t row, int64_t rows) const {
    constexpr int64_t kTerms = kScoreTerms;
    const int64_t q_stride = Padded(work.depth);
    const float* const from = q + row * q_stride;
    float* const to = s + row * kKeyBlock;
    Multiply<false>(rows, kKeyBlock, std::min(kTerms, work.depth), from, q_stride, keys, kKeyBlock, to, kKeyBlock);
    for (int64_t i = kTerms; i < work.depth; i += kTerms)
      Multiply<true>(rows, kKeyBlock, std::min(kTerms, work.depth - i), from + i, q_stride, keys + i * kKeyBlock,
                     kKeyBlock, to, kKeyBlock);
  }

  // The first row whose query is this one or a later one.
  HWY_INLINE int64_t RowOf(int64_t query) const {
    if (query <= work.first_row / work.group) return 0;
    return query > (work.first_row + work.rows) / work.group ? work.rows
                                                             : std::min(query * work.group - work.first_row, work.rows);
  }

  // Skips rows that use none of these keys, unless another row of the register tile does.
  HWY_INLINE void AddKeys(int64_t key, int64_t n) const {
    const int64_t begin = RowOf(key - work.high) / kTileRows * kTileRows;
    const int64_t end = RowOf(key + n - work.low);
    if (begin >= end) return;
    const int64_t rows = Padded(end - begin, kTileRows);
    TransposeKeys(key, n);
    MultiplyQueries(begin, rows);
    for (int64_t r = begin; r < std::min(begin + rows, work.rows); ++r) {
      Exponentials<T>(work, work.first_row + r, key, n, s + r * kKeyBlock, &states[r]);
      Rescale(states[r].factor, value_depth, sums + r * Padded(work.value_depth));
    }
    WidenValues(key, n);
    Multiply<true>(rows, value_depth, n, s + begin * kKeyBlock, kKeyBlock, values, Padded(work.value_depth),
                   sums + begin * Padded(work.value_depth), Padded(work.value_depth));
  }

  HWY_INLINE void End() const {
    for (int64_t r = 0; r < work.rows; ++r) {
      const float* const of_row = sums + r * Padded(work.value_depth);
      if (AreFinite(of_row, value_depth)) {
        StoreResult<T>(work, work.first_row + r, states[r].most, states[r].sum, of_row);
        continue;
      }
      Work row = work;
      row.first_row += r;
      row.rows = 1;
      row.scratch = rest;
      Decode<T, true>(row);
    }
  }

  const Work& work;
  int64_t padded_rows;
  int64_t value_depth;
  RowState* states;
  float* q;
  float* s;
  float* sums;
  float* keys;
  float* values;
  E* dense;
  E* transposed;
  std::byte* rest;
};

template <class T>
HWY_ATTR void RunPrompt(const Work& work) {
  const Prompt<T> prompt(work);
  prompt.Begin();
  for (int64_t key = work.first_key; key < work.end_key; key += kKeyBlock)
    prompt.AddKeys(key, std::min(kKeyBlock, work.end_key - key));
  prompt.End();
}

template <class T>
HWY_ATTR void RunDecoding(const Work& work) {
  if (!Decode<T, false>(work)) Decode<T, true>(work);
}

template <class T>
HWY_ATTR void Merge(const Work& work, int64_t parts) {
  const int64_t floats = PartialFloats(work.value_depth);
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* const sums = reinterpret_cast<float*>(work.scratch);
  const int64_t padded = Padded(work.value_depth);
  for (int64_t r = 0; r < work.rows; ++r) {
    const auto part_of = [&](int64_t part) { return work.partial + (part * work.rows + r) * floats; };
    float most = -kInfinity;
    for (int64_t part = 0; part < parts; ++part) {
      if (!(part_of(part)[0] <= most) && part_of(part)[1] != 0) most = part_of(part)[0];
    }
    double sum = 0;
    std::fill_n(sums, padded, 0.0f);
    for (int64_t part = 0; part < parts; ++part) {
      const float* const from = part_of(part);
      if (from[1] == 0) continue;
      const auto factor = from[0] == most ? 1.0f : static_cast<float>(std::exp(double{from[0]} - double{most}));
      if (factor == 0) continue;
      sum += double{from[1]} * double{factor};
      for (int64_t i = 0; i < work.value_depth; i += lanes) {
        const auto n = static_cast<size_t>(std::min(lanes, work.value_depth - i));
        const FloatVector v = simd::LoadTail(d, from + 2 + i, n);
        hn::StoreU(hn::MulAdd(v, hn::Set(d, factor), hn::LoadU(d, sums + i)), d, sums + i);
      }
    }
    StoreResult<T>(work, work.first_row + r, most, sum, sums);
  }
}

template <class T>
AttentionLanes LanesOfType() {
  return {RunDecoding<T>, RunPrompt<T>, Merge<T>};
}
AttentionLanes FindLanes(aclDataType dtype) {
  return dtype == ACL_FLOAT16 ? LanesOfType<hwy::float16_t>() : LanesOfType<hwy::bfloat16_t>();
}

}  // namespace portacl::ops::fused_infer_attention_score::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::fused_infer_attention_score, LanesOf, (aclDataType dtype, int64_t target),
                       FindLanes, dtype)
