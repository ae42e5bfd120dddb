// SPDX-License-Identifier: Apache-2.0
//
// The start, merge and finish functions of reductions, which run once per result.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/dtype.h"
#include "base/target.h"
#include "base/widening_target.h"
#include "families/complex_product.h"
#include "families/reduction_lanes.h"

namespace portacl::families {
namespace {

using loops::reductions::Reducer;
using loops::reductions::ReduceStates;

template <class T>
T* In(const ReduceStates& states, int plane) {
  return reinterpret_cast<T*>(states.planes[plane]);
}

const ReductionParameters& ParametersOf(const ReduceStates& states) {
  return *static_cast<const ReductionParameters*>(states.parameters);
}

template <class T>
constexpr T Lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T Highest() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

template <class T>
void Fill(const ReduceStates& states, T value) {
  std::fill_n(In<T>(states, 0), states.n, value);
}

// Sums; for DOUBLE, a second plane holds the sum of rounding errors.

template <class T>
void StartSum(const ReduceStates& states) {
  Fill(states, T{0});
}
void StartDoubleSum(const ReduceStates& states) {
  Fill(states, 0.0);
  std::fill_n(In<double>(states, 1), states.n, 0.0);
}

template <class T>
void MergeSum(const ReduceStates& states, std::byte* const* others) {
  const T* const other = reinterpret_cast<const T*>(others[0]);
  for (int64_t i = 0; i < states.n; ++i) In<T>(states, 0)[i] += other[i];
}
void MergeDoubleSum(const ReduceStates& states, std::byte* const* others) {
  const auto* const sums = reinterpret_cast<const double*>(others[0]);
  const auto* const rests = reinterpret_cast<const double*>(others[1]);
  for (int64_t i = 0; i < states.n; ++i) {
    double& sum = In<double>(states, 0)[i];
    const double total = sum + sums[i];
    const double added = total - sum;
    In<double>(states, 1)[i] += (sum - (total - added)) + (sums[i] - added) + rests[i];
    sum = total;
  }
}

// An infinite sum has a NaN as its rounding error, which must not be added.
double TotalOf(double sum, double rest) { return std::isfinite(sum) ? sum + rest : sum; }

void FinishSum(const ReduceStates& states, std::byte* const* results) {
  const double* const sums = In<double>(states, 0);
  auto* const to = reinterpret_cast<double*>(results[0]);
  if (!ParametersOf(states).mean) {
    std::copy_n(sums, states.n, to);
  } else if (states.count > 0 && (states.count & (states.count - 1)) == 0) {
    const double share = 1.0 / static_cast<double>(states.count);  // exact, and so gives the same quotient
    for (int64_t i = 0; i < states.n; ++i) to[i] = sums[i] * share;
  } else {
    for (int64_t i = 0; i < states.n; ++i) to[i] = sums[i] / static_cast<double>(states.count);
  }
}
void FinishDoubleSum(const ReduceStates& states, std::byte* const* results) {
  const double divisor = ParametersOf(states).mean ? static_cast<double>(states.count) : 1.0;
  for (int64_t i = 0; i < states.n; ++i) {
    const double sum = In<double>(states, 0)[i];
    const double rest = In<double>(states, 1)[i];
    double& result = reinterpret_cast<double*>(results[0])[i];
    result = TotalOf(sum, rest) / divisor;
    // Adds the error of the quotient; otherwise the sum would be rounded before it is divided.
    if (std::isfinite(result)) result += (std::fma(-result, divisor, sum) + rest) / divisor;
  }
}

// The low bits, as an integer of that dtype.
int64_t Wrapped(uint64_t bits, aclDataType dtype) {
  const int unused = 64 - 8 * static_cast<int>(ElementBytes(dtype));
  if (FindDtype(dtype)->kind == DtypeKind::kUnsigned) return static_cast<int64_t>(bits << unused >> unused);
  return static_cast<int64_t>(bits << unused) >> unused;
}

void FinishWhole(const ReduceStates& states, std::byte* const* results) {
  const ReductionParameters& parameters = ParametersOf(states);
  for (int64_t i = 0; i < states.n; ++i) {
    int64_t value = Wrapped(In<uint64_t>(states, 0)[i], parameters.whole);
    if (parameters.mean) value = states.count == 0 ? 0 : value / states.count;
    reinterpret_cast<int64_t*>(results[0])[i] = value;
  }
}

void FinishRoot(const ReduceStates& states, std::byte* const* results) {
  for (int64_t i = 0; i < states.n; ++i) reinterpret_cast<double*>(results[0])[i] = std::sqrt(In<double>(states, 0)[i]);
}
void FinishPower(const ReduceStates& states, std::byte* const* results) {
  const double exponent = 1 / ParametersOf(states).power;
  for (int64_t i = 0; i < states.n; ++i) {
    const double sum = In<double>(states, 0)[i];
    reinterpret_cast<double*>(results[0])[i] = states.count == 0 ? 0 : std::pow(sum, exponent);
  }
}

template <class T>
void StartProduct(const ReduceStates& states) {
  Fill(states, T{1});
}
template <class T>
void MergeProduct(const ReduceStates& states, std::byte* const* others) {
  const T* const other = reinterpret_cast<const T*>(others[0]);
  for (int64_t i = 0; i < states.n; ++i) In<T>(states, 0)[i] *= other[i];
}

template <class T, bool kGreater>
bool Displaces(T x, T state) {
  return (kGreater ? x > state : x < state) || (x != x && state == state);
}

template <class T, bool kGreater>
void StartExtreme(const ReduceStates& states) {
  Fill(states, kGreater ? Lowest<T>() : Highest<T>());
}
void StartZero(const ReduceStates& states) { Fill(states, 0.0f); }
void StartOne(const ReduceStates& states) { Fill(states, 1.0f); }

template <class T, bool kGreater>
void MergeExtreme(const ReduceStates& states, std::byte* const* others) {
  const T* const other = reinterpret_cast<const T*>(others[0]);
  for (int64_t i = 0; i < states.n; ++i) {
    T& state = In<T>(states, 0)[i];
    if (Displaces<T, kGreater>(other[i], state)) state = other[i];
  }
}

template <class T, bool kGreater>
void StartPlace(const ReduceStates& states) {
  StartExtreme<T, kGreater>(states);
  std::fill_n(In<int64_t>(states, 1), states.n, int64_t{0});  // used if no element is larger than the lowest value
}
template <class T, bool kGreater>
void MergePlace(const ReduceStates& states, std::byte* const* others) {
  const T* const other = reinterpret_cast<const T*>(others[0]);
  for (int64_t i = 0; i < states.n; ++i) {
    T& state = In<T>(states, 0)[i];
    if (!Displaces<T, kGreater>(other[i], state)) continue;
    state = other[i];
    In<int64_t>(states, 1)[i] = reinterpret_cast<const int64_t*>(others[1])[i];
  }
}

// Replaces -0 by 0, so that the result does not show which of two zeros came first.
template <class T>
void FinishCopy(const ReduceStates& states, std::byte* const* results) {
  for (int64_t i = 0; i < states.n; ++i) reinterpret_cast<T*>(results[0])[i] = In<T>(states, 0)[i] + T{0};
}
template <class T>
void FinishPlace(const ReduceStates& states, std::byte* const* results) {
  FinishCopy<T>(states, results);
  std::copy_n(In<int64_t>(states, 1), states.n, reinterpret_cast<int64_t*>(results[1]));
}

template <class T>
constexpr aclDataType kDtypeOf = std::is_same_v<T, float>    ? ACL_FLOAT
                                 : std::is_same_v<T, double> ? ACL_DOUBLE
                                                             : ACL_INT64;

template <class T, bool kGreater>
Reducer Extreme() {
  Reducer reducer{.start = StartExtreme<T, kGreater>,
                  .add_rows = nullptr,
                  .add_columns = nullptr,
                  .merge = MergeExtreme<T, kGreater>,
                  .finish = FinishCopy<T>,
                  .dtype = kDtypeOf<T>,
                  .result_dtype = {kDtypeOf<T>}};
  reducer.plane_bytes[0] = sizeof(T);
  return reducer;
}

template <class T, bool kGreater>
Reducer Place() {
  Reducer reducer = Extreme<T, kGreater>();
  reducer.start = StartPlace<T, kGreater>;
  reducer.merge = MergePlace<T, kGreater>;
  reducer.finish = FinishPlace<T>;
  reducer.planes = 2;
  reducer.result_dtype[1] = ACL_INT64;
  return reducer;
}

Reducer Real(void (*finish)(const ReduceStates&, std::byte* const*), aclDataType dtype) {
  return {.start = StartSum<double>,
          .add_rows = nullptr,
          .add_columns = nullptr,
          .merge = MergeSum<double>,
          .finish = finish,
          .dtype = dtype,
          .result_dtype = {ACL_DOUBLE}};
}

// A state of complex numbers is two states of DOUBLE.
ReduceStates PartsOf(ReduceStates states) {
  states.n *= 2;
  return states;
}
void StartComplexSum(const ReduceStates& states) { StartDoubleSum(PartsOf(states)); }
void MergeComplexSum(const ReduceStates& states, std::byte* const* others) { MergeDoubleSum(PartsOf(states), others); }
void FinishComplexSum(const ReduceStates& states, std::byte* const* results) {
  FinishDoubleSum(PartsOf(states), results);
}
void AddComplexRows(const loops::reductions::ReduceTile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    // A row of complex elements is treated as a matrix of two columns, with a row per element.
    loops::reductions::ReduceTile element = tile;
    element.rows = tile.columns;
    element.columns = 2;
    element.in = tile.in + row * tile.row_stride;
    element.row_stride = 2 * sizeof(double);
    for (int plane = 0; plane < 2; ++plane) element.planes[plane] = tile.planes[plane] + row * element.row_stride;
    SumFunctionsOf(Reduction::kSum, ACL_DOUBLE, ActiveTarget()).columns(element);
  }
}
void AddComplexColumns(const loops::reductions::ReduceTile& tile) {
  loops::reductions::ReduceTile parts = tile;
  parts.columns *= 2;
  SumFunctionsOf(Reduction::kSum, ACL_DOUBLE, ActiveTarget()).columns(parts);
}

Reducer ComplexSum() {
  return {.start = StartComplexSum,
          .add_rows = AddComplexRows,
          .add_columns = AddComplexColumns,
          .merge = MergeComplexSum,
          .finish = FinishComplexSum,
          .dtype = ACL_COMPLEX128,
          .result_dtype = {ACL_COMPLEX128},
          .planes = 2,
          .plane_bytes = {16, 16},
          .ns_per_element = 5};
}

Reducer SumOf(aclDataType dtype) {
  Reducer reducer = Real(FinishSum, dtype);
  if (dtype == ACL_DOUBLE) {
    reducer.start = StartDoubleSum;
    reducer.merge = MergeDoubleSum;
    reducer.finish = FinishDoubleSum;
    reducer.planes = 2;
  } else if (dtype == ACL_INT64) {
    reducer.start = StartSum<uint64_t>;
    reducer.merge = MergeSum<uint64_t>;
    reducer.finish = FinishWhole;
    reducer.result_dtype[0] = ACL_INT64;
  }
  return reducer;
}

Reducer ProductOf(aclDataType dtype) {
  Reducer reducer = Real(FinishSum, dtype);
  reducer.start = StartProduct<double>;
  reducer.merge = MergeProduct<double>;
  if (dtype == ACL_INT64) {
    reducer.start = StartProduct<uint64_t>;
    reducer.merge = MergeProduct<uint64_t>;
    reducer.finish = FinishWhole;
    reducer.result_dtype[0] = ACL_INT64;
  }
  return reducer;
}

template <class T>
Reducer ExtremeOf(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMaximum:
    case Reduction::kAnyTrue:
    case Reduction::kLargestMagnitude:
      return Extreme<T, true>();
    case Reduction::kMinimum:
    case Reduction::kAllTrue:
    case Reduction::kSmallestMagnitude:
      return Extreme<T, false>();
    case Reduction::kFirstMaximum:
      return Place<T, true>();
    default:
      return Place<T, false>();
  }
}

Reducer MakeReducer(Reduction reduction, aclDataType dtype) {
  Reducer reducer;
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kNarrowSum:
    case Reduction::kSumOfNumbers:
    case Reduction::kNarrowSumOfNumbers:
      return SumOf(dtype);
    case Reduction::kSumOfMagnitudes:
    case Reduction::kNonZero:
      return Real(FinishSum, dtype);
    case Reduction::kSumOfSquares:
    case Reduction::kNarrowSumOfSquares:
      return Real(FinishRoot, dtype);
    case Reduction::kSumOfPowers:
      reducer = Real(FinishPower, dtype);
      reducer.ns_per_element = 20;
      return reducer;
    case Reduction::kProduct:
      return ProductOf(dtype);
    case Reduction::kVariance:
      return VarianceReducer(dtype);
    default:
      reducer = dtype == ACL_DOUBLE  ? ExtremeOf<double>(reduction)
                : dtype == ACL_INT64 ? ExtremeOf<int64_t>(reduction)
                                     : ExtremeOf<float>(reduction);
      reducer.dtype = dtype;
      if (reduction == Reduction::kLargestMagnitude || reduction == Reduction::kAnyTrue) reducer.start = StartZero;
      if (reduction == Reduction::kAllTrue) reducer.start = StartOne;
      return reducer;
  }
}

}  // namespace

loops::reductions::Reducer ReducerOf(Reduction reduction, aclDataType dtype, int64_t target) {
  if (dtype == ACL_COMPLEX128) return reduction == Reduction::kProduct ? ComplexProduct() : ComplexSum();
  Reducer reducer = MakeReducer(reduction, dtype);
  const bool is_sum = (reduction <= Reduction::kSumOfSquares && dtype != ACL_INT64 &&
                       !(reduction == Reduction::kSumOfNumbers && dtype == ACL_DOUBLE)) ||
                      (reduction == Reduction::kProduct && dtype == ACL_FLOAT);
  const bool is_variance = reduction == Reduction::kVariance;
  const bool is_narrow_extreme = !is_sum && !is_variance && (dtype == ACL_FLOAT16 || dtype == ACL_BF16);
  const AddFunctions add = is_variance                            ? VarianceFunctionsOf(dtype, target)
                           : reduction == Reduction::kSumOfPowers ? PowerFunctionsOf(target)
                           : is_sum                               ? SumFunctionsOf(reduction, dtype, target)
                           : is_narrow_extreme                    ? NarrowExtremeFunctionsOf(reduction, dtype, target)
                                                                  : AddFunctionsOf(reduction, dtype, target);
  reducer.add_rows = add.rows;
  reducer.add_columns = add.columns;
  // Rows are limited by widening. Sums that skip NaN are faster with the masks of wide registers.
  if (is_sum && dtype == ACL_FLOAT && reduction != Reduction::kSumOfNumbers && target == ActiveTarget())
    reducer.add_rows = SumFunctionsOf(reduction, dtype, WideningTarget()).rows;
  if (is_sum && dtype != ACL_DOUBLE && reducer.ns_per_element < 1) reducer.ns_per_element = 0.08;  // float32 lanes
  if (is_narrow_extreme) reducer.ns_per_element = 0.03;
  return reducer;
}

}  // namespace portacl::families
