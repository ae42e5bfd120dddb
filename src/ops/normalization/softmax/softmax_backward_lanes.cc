// SPDX-License-Identifier: Apache-2.0
//
// Gradients, over rows and over columns: one pass for the sum, and one for the results. Also the cross entropy over
// rows.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ops/normalization/softmax/softmax_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/softmax/softmax_backward_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "loops/elements/for_float.h"
#include "ops/normalization/softmax/softmax_element.h"
#include "simd/column_sum.h"
#include "simd/dispatch.h"
#include "simd/exp_of_any.h"
#include "simd/map.h"
#include "simd/prefetch.h"
#include "simd/row_products.h"
#include "simd/short_rows.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::softmax::HWY_NAMESPACE {

// Computes the terms of a sum over gradOutput only.
template <class T>
struct RowTerms {
  const simd::Stored<T>* x;

  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    return hn::Add(sum, simd::LoadFloats<T>(x + i));
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    return hn::Add(sum, simd::LoadFloats<T>(x + i, n));
  }
};

// A gradient: the terms of the sum, and the result from the sum.
struct OfSoftmax {
  template <class T>
  static HWY_INLINE float SumOfRow(const simd::Stored<T>* grad, const simd::Stored<T>* y, size_t n) {
    return simd::SumOfProducts<T>(grad, y, n);
  }
  struct Term {
    template <class D, class V>
    HWY_INLINE V operator()(D, V grad, V y) const {
      return hn::Mul(grad, y);
    }
  };
  template <class D, class V>
  HWY_INLINE V operator()(D, V grad, V y, V sum) const {
    return hn::Mul(y, hn::Sub(grad, sum));
  }
};
struct OfLogSoftmax {
  template <class T>
  static HWY_INLINE float SumOfRow(const simd::Stored<T>* grad, const simd::Stored<T>*, size_t n) {
    return static_cast<float>(simd::SumRow(n, RowTerms<T>{grad}));
  }
  struct Term {
    template <class D, class V>
    HWY_INLINE V operator()(D, V grad, V) const {
      return grad;
    }
  };
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V y, V sum) const {
    return hn::NegMulAdd(simd::ExpOfAny(d, y), sum, grad);
  }
};

template <class Gradient>
struct InRow {
  float sum;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V y) const {
    return Gradient()(d, grad, y, hn::Set(d, sum));
  }
};

#if HWY_TARGET <= HWY_AVX2
// Contiguous rows that fit a register, as many at a time as it has lanes; returns the number of rows computed. A zero
// is added to each term, as SumOfRow does: it makes -0 to 0.
template <class T, class Gradient>
HWY_INLINE int64_t GradientOfGroups(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  constexpr int64_t kLanes = HWY_LANES(float);
  const FloatLanes d;
  const auto n = static_cast<size_t>(tile.columns);
  const int64_t rows = loops::RowsInGroups(tile, kLanes, {0, 1, 2});
  if (rows == 0) return 0;
  HWY_ALIGN int32_t indices[kLanes * kLanes];
  HWY_ALIGN float terms[kLanes * (kLanes + 1)];
  simd::FillRowIndices(n, indices);
  const bool non_temporal = tile.non_temporal && simd::IsAlignedToRegister<T>(tile.Row<E>(2, 0));
  for (int64_t row = 0; row < rows; row += kLanes) {
    const E* const grad = tile.Row<E>(0, row);
    const E* const y = tile.Row<E>(1, row);
    E* const out = tile.Row<E>(2, row);
    for (size_t i = 0; i < n * kLanes; i += kLanes) {
      const FloatVector term = typename Gradient::Term()(d, simd::LoadFloats<T>(grad + i), simd::LoadFloats<T>(y + i));
      hn::Store(hn::Add(term, hn::Zero(d)), d, terms + i);
    }
    const FloatVector sums = simd::ReduceRows<simd::AddLanes>(terms, n);
    for (size_t i = 0; i < n * kLanes; i += kLanes) {
      const FloatVector result =
          Gradient()(d, simd::LoadFloats<T>(grad + i), simd::LoadFloats<T>(y + i), simd::SpreadRows(sums, indices + i));
      simd::StoreRegister(simd::StoredLanes<T>(), simd::FromFloats<T>(result), out + i, non_temporal);
    }
  }
  return rows;
}
#else
template <class T, class Gradient>
HWY_INLINE int64_t GradientOfGroups(const loops::Tile&) {
  return 0;
}
#endif

template <class T, class Gradient>
HWY_ATTR void GradientRows(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  float sums[loops::kMostRowsTogether];
  const int64_t together = loops::GradientRowsTogether(tile.columns);
  const int64_t rows = tile.rows;
  const bool non_temporal = tile.non_temporal;
  constexpr auto kBytes = static_cast<ptrdiff_t>(sizeof(E));
  const ptrdiff_t grad_stride = tile.operand[0].row_stride / kBytes, y_stride = tile.operand[1].row_stride / kBytes;
  const ptrdiff_t out_stride = tile.operand[2].row_stride / kBytes;
  int64_t first = GradientOfGroups<T, Gradient>(tile);
  const E* grad = tile.Row<E>(0, first);
  const E* y = tile.Row<E>(1, first);
  E* out = tile.Row<E>(2, first);
  for (; first < rows; first += together) {
    const int64_t count = HWY_MIN(together, rows - first);
    for (int64_t row = 0; row < count; ++row)
      sums[row] = Gradient::template SumOfRow<T>(grad + row * grad_stride, y + row * y_stride, n);
    for (int64_t row = 0; row < count; ++row) {
      simd::Map<T>(InRow<Gradient>{sums[row]}, n, non_temporal, out, grad, y);
      grad += grad_stride, y += y_stride, out += out_stride;
    }
  }
  if (non_temporal) hwy::FlushStream();
}

#if HWY_TARGET <= HWY_AVX2
// Columns that one register holds, whose sums stay in registers.
template <class Gradient>
HWY_INLINE void GradientOfRegister(const loops::Tile& tile) {
  const FloatLanes d;
  const auto rows = static_cast<size_t>(tile.rows), columns = static_cast<size_t>(tile.columns);
  const auto load = [&](int operand, size_t row) HWY_ATTR {
    return simd::LoadTail(d, tile.Row<float>(operand, static_cast<int64_t>(row)), columns);
  };
  simd::RegisterSums sums(columns);
  sums.AddRows(rows, [&](size_t row) HWY_ATTR { return typename Gradient::Term()(d, load(0, row), load(1, row)); });
  const FloatVector sum = sums.Rounded();
  for (size_t row = 0; row < rows; ++row)
    simd::StoreTail(d, Gradient()(d, load(0, row), load(1, row), sum), tile.Row<float>(2, static_cast<int64_t>(row)),
                    columns);
}
#endif

template <class Gradient>
HWY_INLINE void GradientColumns(const loops::Tile& tile) {
#if HWY_TARGET <= HWY_AVX2
  if (static_cast<size_t>(tile.columns) <= hn::Lanes(FloatLanes())) return GradientOfRegister<Gradient>(tile);
#endif
  constexpr size_t kColumns = kMostColumns;
  const auto rows = static_cast<size_t>(tile.rows), columns = static_cast<size_t>(tile.columns);
  const auto all_of = [&](int operand) {
    return simd::RowsOf<float>{tile.Row<float>(operand, 0), tile.operand[operand].row_stride / ptrdiff_t{4}};
  };
  simd::ColumnSums<kColumns> sums(columns);
  simd::AddColumns<float>(typename Gradient::Term(), 0, rows, columns, all_of(0), all_of(1), &sums);
  HWY_ALIGN float sum[kColumns];
  for (size_t column = 0; column < columns; ++column) sum[column] = static_cast<float>(sums.Of(column));
  for (int64_t row = 0; row < tile.rows; ++row)
    simd::Map<float>(Gradient(), columns, tile.non_temporal, tile.Row<float>(2, row), tile.Row<float>(0, row),
                     tile.Row<float>(1, row), sum);
  if (tile.non_temporal) hwy::FlushStream();
}

// The same for 16-bit elements in whole registers: the values of columns are in the order in which WidenFirst and
// WidenSecond split a register.
template <class T, class Gradient>
HWY_INLINE void GradientNarrowColumns(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const hn::ScalableTag<E> d;
  const FloatLanes df;
  const size_t whole = hn::Lanes(d), half = hn::Lanes(df);
  const auto columns = static_cast<size_t>(tile.columns);
  simd::ColumnSums<kMostColumns> sums(columns);
  const auto load = [&](int operand, int64_t row, size_t column) HWY_ATTR {
    const E* const from = tile.Row<E>(operand, row) + column;
    return columns - column >= whole ? hn::LoadU(d, from) : simd::LoadTail(d, from, columns - column);
  };
  const auto add_rows = [&](auto count, int64_t row) HWY_ATTR {
    for (size_t column = 0; column < columns; column += whole) {
      // Rows are far apart in memory, and few hardware prefetchers follow them.
      for (int i = 0; tile.is_large && i < count; ++i) {
        for (const int operand : {0, 1})
          portacl::simd::PrefetchSecond(
              reinterpret_cast<const std::byte*>(tile.Row<E>(operand, row + count + i) + column));
      }
      const auto add = [&](const auto& widen, double* sum) HWY_ATTR {
        const auto term = [&](int64_t i) HWY_ATTR {
          return simd::Evaluate(df, typename Gradient::Term(), widen(load(0, row + i, column)),
                                widen(load(1, row + i, column)));
        };
        auto v = term(0);
        if constexpr (count == 4) v = hn::Add(hn::Add(v, term(1)), hn::Add(term(2), term(3)));
        simd::AddToDoubles(v, sum);
      };
      add([](auto v) HWY_ATTR { return simd::WidenFirst<T>(v); }, sums.sum + column);
      add([](auto v) HWY_ATTR { return simd::WidenSecond<T>(v); }, sums.sum + column + half);
    }
  };
  int64_t row = 0;
  for (; row + 4 <= tile.rows; row += 4) add_rows(std::integral_constant<int, 4>(), row);
  for (; row < tile.rows; ++row) add_rows(std::integral_constant<int, 1>(), row);
  HWY_ALIGN float sum[kMostColumns + simd::ColumnSums<kMostColumns>::kPadding] = {};
  for (size_t i = 0; i < (columns + whole - 1) / whole * whole; ++i) sum[i] = static_cast<float>(sums.Of(i));
  const auto gradient = [&](int64_t of, size_t column) HWY_ATTR {
    const auto grad = load(0, of, column), y = load(1, of, column);
    const auto first =
        simd::Evaluate(df, Gradient(), simd::WidenFirst<T>(grad), simd::WidenFirst<T>(y), hn::LoadU(df, sum + column));
    const auto second = simd::Evaluate(df, Gradient(), simd::WidenSecond<T>(grad), simd::WidenSecond<T>(y),
                                       hn::LoadU(df, sum + column + half));
    return simd::NarrowResults<T>(first, second);
  };
  for (row = 0; row < tile.rows; ++row) {
    E* const out = tile.Row<E>(2, row);
    const bool streams = tile.non_temporal && HWY_TARGET != HWY_EMU128 && simd::ElementsToAligned(d, out) == 0;
    size_t column = 0;
    for (; column + whole <= columns; column += whole)
      simd::StoreRegister(d, gradient(row, column), out + column, streams);
    if (column < columns) simd::StoreTail(d, gradient(row, column), out + column, columns - column);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T, class Gradient>
HWY_ATTR void BackwardColumns(const loops::Tile& tile) {
  if constexpr (std::is_same_v<T, float>)
    GradientColumns<Gradient>(tile);
  else
    GradientNarrowColumns<T, Gradient>(tile);
}

// Computes the terms of the loss.
template <class T>
struct LossTerms {
  const simd::Stored<T>* x;
  const simd::Stored<T>* labels;
  float most;
  float log_sum;

  PORTACL_LANE_INLINE FloatVector Of(FloatVector v, FloatVector label) const {
    const FloatLanes d;
    return hn::Mul(label, hn::Sub(hn::Set(d, log_sum), hn::Sub(v, hn::Set(d, most))));
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    return hn::Add(sum, Of(simd::LoadFloats<T>(x + i), simd::LoadFloats<T>(labels + i)));
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    const FloatVector terms = Of(simd::LoadFloats<T>(x + i, n), simd::LoadFloats<T>(labels + i, n));
    return hn::Add(sum, hn::IfThenElseZero(hn::FirstN(FloatLanes(), n), terms));
  }
};

template <class T>
struct LessLabel {
  ShareOf<T> share;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V label) const {
    return hn::Sub(share(d, x), label);
  }
};

template <class T>
HWY_ATTR void CrossEntropy(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const E* const x = tile.Row<E>(0, row);
    const E* const labels = tile.Row<E>(1, row);
    const float most = simd::LargestOf(n, Elements<T>{x});
    const double log_sum = std::log1p(SumOfOthers<T>(x, n, most));
    const double loss = simd::SumRow(n, LossTerms<T>{x, labels, most, static_cast<float>(log_sum)});
    const FloatVector rounded = hn::Set(FloatLanes(), static_cast<float>(loss));
    simd::StoreTail(simd::StoredLanes<T>(), simd::FromFloats<T>(rounded), tile.Row<E>(2, row), 1);
    simd::Map<T>(LessLabel<T>{ShareOf<T>(most, std::exp(log_sum))}, n, tile.non_temporal, tile.Row<E>(3, row), x,
                 labels);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindGradientRows(Function function, aclDataType dtype) {
  const bool is_log = function == Function::kLogSoftmaxBackward;
  return loops::ForFloat(
      dtype, [=]<class T>() { return is_log ? GradientRows<T, OfLogSoftmax> : GradientRows<T, OfSoftmax>; });
}
loops::LaneFunction FindGradientColumns(Function function, aclDataType dtype) {
  const bool is_log = function == Function::kLogSoftmaxBackward;
  return loops::ForFloat(
      dtype, [=]<class T>() { return is_log ? BackwardColumns<T, OfLogSoftmax> : BackwardColumns<T, OfSoftmax>; });
}
loops::LaneFunction FindCrossEntropy(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return CrossEntropy<T>; });
}

}  // namespace portacl::ops::softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::softmax, BackwardRowLanes, (Function function, aclDataType dtype, int64_t target),
                       FindGradientRows, function, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::softmax, BackwardColumnLanes,
                       (Function function, aclDataType dtype, int64_t target), FindGradientColumns, function, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::softmax, CrossEntropyLanes, (aclDataType dtype, int64_t target), FindCrossEntropy,
                       dtype)
