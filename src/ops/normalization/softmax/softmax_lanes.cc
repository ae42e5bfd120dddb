// SPDX-License-Identifier: Apache-2.0
//
// Softmax and its logarithm, over rows and over columns: one pass for the largest element, one for the sum of
// exponentials, and one for the results.
#include "ops/normalization/softmax/softmax_lanes.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/softmax/softmax_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "loops/elements/for_float.h"
#include "ops/normalization/softmax/softmax_element.h"
#include "ops/normalization/softmax/softmax_short_rows.h"
#include "simd/column_sum.h"
#include "simd/dispatch.h"
#include "simd/log_of_any.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::softmax::HWY_NAMESPACE {

// Computes exponentials, stores them in scratch if kKeeps, and returns their sum.
template <class T, bool kKeeps>
struct Exponentials {
  const simd::Stored<T>* x;
  float most;
  float* scratch;
  const simd::Stored<T>* next;  // a row to prefetch for a later pass: of this tile, or where the next probably is

  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    const FloatLanes d;
    FloatVector difference = hn::Undefined(d);
    const FloatVector e = simd::ExpBelow<kIsNarrow<T>>(d, simd::LoadFloats<T>(x + i), hn::Set(d, most), difference);
    if constexpr (kKeeps) {
      hn::StoreU(e, d, scratch + i);
      hwy::Prefetch(next + i);
    }
    return hn::Add(sum, e);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    const FloatLanes d;
    FloatVector difference = hn::Undefined(d);
    const FloatVector of_all =
        simd::ExpBelow<kIsNarrow<T>>(d, simd::LoadFloats<T>(x + i, n), hn::Set(d, most), difference);
    const FloatVector e = hn::IfThenElseZero(hn::FirstN(d, n), of_all);
    if constexpr (kKeeps) hn::StoreU(e, d, scratch + i);
    return hn::Add(sum, e);
  }
};

// Processes each row on its own, without scratch.
template <class T>
HWY_INLINE void SoftmaxOfLongRows(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const E* const x = tile.Row<E>(0, row);
    const float most = simd::LargestOf(n, Elements<T>{x});
    const double sum = simd::SumRow(n, Exponentials<T, false>{x, most, nullptr, nullptr});
    simd::Map<T>(ShareOf<T>(most, sum), n, tile.non_temporal, tile.Row<E>(1, row), x);
  }
}

template <class T>
HWY_ATTR void SoftmaxRows(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  if (SoftmaxOfShortRows<T>(tile)) return;
  const auto n = static_cast<size_t>(tile.columns);
  auto* const scratch = static_cast<float*>(tile.scratch);
  // Each pass over several rows: the rows of a pass do not depend on each other.
  float most[loops::kMostRowsTogether];
  double sums[loops::kMostRowsTogether];
  const int64_t together = loops::RowsTogether(tile.columns);
  const typename simd::Quotients<T>::Lanes lanes;
  const bool are_whole = simd::AreWhole(lanes, tile.Row<E>(1, 0), tile.operand[1].row_stride, n);
  if (!KeepsRow(tile.columns)) {
    SoftmaxOfLongRows<T>(tile);
  } else {
    for (int64_t first = 0; first < tile.rows; first += together) {
      const int64_t end = first + together < tile.rows ? first + together : tile.rows;
      for (int64_t row = first; row < end; ++row)
        most[row - first] = simd::LargestOf(n, Elements<T>{tile.Row<E>(0, row)});
      for (int64_t row = first; row < end; ++row) {
        sums[row - first] = simd::SumRow(
            n, Exponentials<T, true>{tile.Row<E>(0, row), most[row - first], scratch + (row - first) * tile.columns,
                                     tile.Row<E>(0, row + together)});
      }
      for (int64_t row = first; row < end; ++row) {
        const auto quotients = simd::QuotientsOf<T>(scratch + (row - first) * tile.columns, sums[row - first], n);
        if (are_whole) {
          simd::StoreWholeRow(lanes, tile.Row<E>(1, row), n, tile.non_temporal, quotients);
        } else {
          simd::StoreRow(lanes, tile.Row<E>(1, row), n, tile.non_temporal, false, quotients);
        }
      }
    }
  }
  if (tile.non_temporal) hwy::FlushStream();
}

struct LogInRow {
  float most;
  float log_sum;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return LogOf()(d, x, hn::Set(d, most), hn::Set(d, log_sum));
  }
};

struct LogOnePlus {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::Log1p(d, x);
  }
};

template <class T>
HWY_ATTR void LogSoftmaxRows(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  // The logarithms of several rows at a time.
  float most[loops::kMostRowsTogether];
  float log_sum[loops::kMostRowsTogether];
  const int64_t together = loops::RowsTogether(tile.columns);
  for (int64_t first = LogSoftmaxOfGroups<T>(tile); first < tile.rows; first += together) {
    const int64_t end = first + together < tile.rows ? first + together : tile.rows;
    for (int64_t row = first; row < end; ++row)
      most[row - first] = simd::LargestOf(n, Elements<T>{tile.Row<E>(0, row)});
    for (int64_t row = first; row < end; ++row)
      log_sum[row - first] = SumOfOthers<T>(tile.Row<E>(0, row), n, most[row - first]);
    simd::Map<float>(LogOnePlus(), static_cast<size_t>(end - first), false, log_sum, log_sum);
    for (int64_t row = first; row < end; ++row)
      simd::Map<T>(LogInRow{most[row - first], log_sum[row - first]}, n, tile.non_temporal, tile.Row<E>(1, row),
                   tile.Row<E>(0, row));
  }
  if (tile.non_temporal) hwy::FlushStream();
}

// Over columns: kernels of an element and the values of its column.

struct Larger {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V most) const {
    return hn::Max(x, most);
  }
};
template <bool kNarrow>
struct ExpOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V most) const {
    V difference = hn::Undefined(d);
    return simd::ExpBelow<kNarrow>(d, x, most, difference);
  }
};
// The sum over the elements below the largest, and the count of the others.
template <bool kNarrow>
struct ExpOfSmaller {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V most) const {
    V difference = hn::Undefined(d);
    const V e = simd::ExpBelow<kNarrow>(d, x, most, difference);
    return hn::IfThenZeroElse(hn::Eq(difference, hn::Zero(d)), e);
  }
};
struct IsLargest {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V most) const {
    return hn::IfThenElseZero(hn::Eq(hn::Sub(x, most), hn::Zero(d)), hn::Set(d, 1));
  }
};
struct Itself {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V) const {
    return x;
  }
};
template <bool kNarrow>
struct QuotientOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V e, V divisor, V rest) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return hn::Div(e, divisor);
    } else {
      return simd::ScaledQuotient<kNarrow>(d, e, divisor, rest);
    }
  }
};
template <bool kNarrow>
struct ShareInColumn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V most, V divisor, V rest) const {
    return QuotientOf<kNarrow>()(d, ExpOf<kNarrow>()(d, x, most), divisor, rest);
  }
};
constexpr size_t kColumns = kMostColumns;

// A tile of complete columns.
template <class T>
struct Columns {
  explicit Columns(const loops::Tile& of)
      : tile(of), rows(static_cast<size_t>(of.rows)), columns(static_cast<size_t>(of.columns)) {}

  const T* In(size_t row) const { return tile.Row<T>(0, static_cast<int64_t>(row)); }
  T* Out(size_t row) const { return tile.Row<T>(1, static_cast<int64_t>(row)); }
  simd::RowsOf<T> AllIn() const { return {In(0), tile.operand[0].row_stride / ptrdiff_t{sizeof(T)}}; }

  HWY_INLINE void FindLargest(T* most) const {
    for (size_t column = 0; column < columns; ++column) most[column] = -std::numeric_limits<T>::infinity();
    for (size_t row = 0; row < rows; ++row) simd::Map<T>(Larger(), columns, false, most, In(row), most);
  }

  const loops::Tile& tile;
  size_t rows;
  size_t columns;
};

#if HWY_TARGET <= HWY_AVX2
// Columns that one register holds, whose largest element and sum stay in registers. The same results: in memory, each
// value would be stored by some lanes of a register and wait to be loaded by all.
template <bool kNarrow>
HWY_INLINE void SoftmaxOfRegister(const loops::Tile& tile) {
  const FloatLanes d;
  const Columns<float> all(tile);
  const size_t lanes = hn::Lanes(d);
  auto* const scratch = static_cast<float*>(tile.scratch);
  FloatVector most = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (size_t row = 0; row < all.rows; ++row) most = hn::Max(simd::LoadTail(d, all.In(row), all.columns), most);
  simd::RegisterSums sums(all.columns);
  const auto exponential = [&](size_t row) HWY_ATTR {
    const FloatVector e = ExpOf<kNarrow>()(d, simd::LoadTail(d, all.In(row), all.columns), most);
    hn::StoreU(e, d, scratch + row * lanes);
    return e;
  };
  sums.AddRows(all.rows, exponential);
  FloatVector rest = hn::Undefined(d);
  const FloatVector reciprocal = sums.Reciprocals(double{simd::kQuotientScale}, &rest);
  for (size_t row = 0; row < all.rows; ++row) {
    const FloatVector e = hn::LoadU(d, scratch + row * lanes);
    simd::StoreTail(d, QuotientOf<kNarrow>()(d, e, reciprocal, rest), all.Out(row), all.columns);
  }
}
#endif

// kNarrow: elements and results have 16 bits.
template <class T, bool kNarrow>
HWY_ATTR void SoftmaxColumns(const loops::Tile& tile) {
  const Columns<T> all(tile);
#if HWY_TARGET <= HWY_AVX2
  if constexpr (std::is_same_v<T, float>) {
    if (all.columns <= hn::Lanes(FloatLanes()) && KeepsColumns(tile.rows, sizeof(T)))
      return SoftmaxOfRegister<kNarrow>(tile);
  }
#endif
  const size_t rows = all.rows, columns = all.columns;
  const bool keeps = KeepsColumns(tile.rows, sizeof(T));
  auto* const scratch = static_cast<T*>(tile.scratch);
  HWY_ALIGN T most[kColumns];
  simd::ColumnSums<kColumns> sums(columns);
  all.FindLargest(most);
  if (keeps) {
    for (size_t first = 0; first < rows; first += 4) {
      const size_t end = first + 4 < rows ? first + 4 : rows;
      for (size_t row = first; row < end; ++row)
        simd::Map<T>(ExpOf<kNarrow>(), columns, false, scratch + row * columns, all.In(row), most);
      const simd::RowsOf<T> kept = {scratch, static_cast<ptrdiff_t>(columns)};
      simd::AddColumns<T>(Itself(), first, end, columns, kept, kept, &sums);
    }
  } else {
    simd::AddColumns<T>(ExpOf<kNarrow>(), 0, rows, columns, all.AllIn(), {most, 0}, &sums);
  }
  HWY_ALIGN T divisor[kColumns];
  HWY_ALIGN T rest[kColumns];
  for (size_t column = 0; column < columns; ++column) {
    const double sum = sums.Of(column);
    if constexpr (std::is_same_v<T, double>) {
      divisor[column] = sum, rest[column] = 0;
    } else {
      const double reciprocal = double{simd::kQuotientScale} / sum;
      divisor[column] = static_cast<float>(reciprocal);
      rest[column] = static_cast<float>(reciprocal - double{divisor[column]});
    }
  }
  for (size_t row = 0; row < rows; ++row) {
    if (keeps) {
      simd::Map<T>(QuotientOf<kNarrow>(), columns, tile.non_temporal, all.Out(row), scratch + row * columns, divisor,
                   rest);
    } else {
      simd::Map<T>(ShareInColumn<kNarrow>(), columns, tile.non_temporal, all.Out(row), all.In(row), most, divisor,
                   rest);
    }
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T, bool kNarrow>
HWY_ATTR void LogSoftmaxColumns(const loops::Tile& tile) {
  const Columns<T> all(tile);
  const size_t columns = all.columns;
  HWY_ALIGN T most[kColumns];
  HWY_ALIGN T log_sum[kColumns];
  simd::ColumnSums<kColumns> smaller(columns);
  simd::ColumnSums<kColumns> largest(columns);
  all.FindLargest(most);
  simd::AddColumns<T>(ExpOfSmaller<kNarrow>(), 0, all.rows, columns, all.AllIn(), {most, 0}, &smaller);
  simd::AddColumns<T>(IsLargest(), 0, all.rows, columns, all.AllIn(), {most, 0}, &largest);
  for (size_t column = 0; column < columns; ++column) {
    const double others = smaller.Of(column) + (largest.Of(column) - 1);
    log_sum[column] = std::is_same_v<T, double> ? static_cast<T>(std::log1p(others)) : static_cast<T>(others);
  }
  if constexpr (std::is_same_v<T, float>) simd::Map<T>(LogOnePlus(), columns, false, log_sum, log_sum);
  for (size_t row = 0; row < all.rows; ++row)
    simd::Map<T>(LogOf(), columns, tile.non_temporal, all.Out(row), all.In(row), most, log_sum);
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindRows(Function function, aclDataType dtype) {
  const bool is_log = function == Function::kLogSoftmax;
  if (!is_log && function != Function::kSoftmax) return BackwardRowLanes(function, dtype, HWY_TARGET);
  return loops::ForFloat(dtype, [=]<class T>() { return is_log ? LogSoftmaxRows<T> : SoftmaxRows<T>; });
}

loops::LaneFunction FindColumns(Function function, aclDataType dtype) {
  const bool is_log = function == Function::kLogSoftmax;
  if (!is_log && function != Function::kSoftmax) return BackwardColumnLanes(function, dtype, HWY_TARGET);
  switch (dtype) {
    case ACL_FLOAT:
      return is_log ? LogSoftmaxColumns<float, false> : SoftmaxColumns<float, false>;
    case ACL_DOUBLE:
      return is_log ? LogSoftmaxColumns<double, false> : SoftmaxColumns<double, false>;
    default:
      return is_log ? LogSoftmaxColumns<float, true> : SoftmaxColumns<float, true>;
  }
}

}  // namespace portacl::ops::softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::softmax, RowLanes, (Function function, aclDataType dtype, int64_t target),
                       FindRows, function, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::softmax, ColumnLanes, (Function function, aclDataType dtype, int64_t target),
                       FindColumns, function, dtype)
