// SPDX-License-Identifier: Apache-2.0
#include "loops/scan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "loops/conversion.h"
#include "loops/rows.h"

namespace portacl::loops {
namespace {

// float64 holds sums and products of FLOAT to a part in 2^32, however long a row memory has. Integers count modulo
// 2^64.
template <class T>
struct RunningSum {
  using Element = T;
  T sum = 0;
  void Add(T x) { sum += x; }
  T Total() const { return sum; }
};
template <class T>
struct RunningProduct {
  using Element = T;
  T product = 1;
  void Add(T x) { product *= x; }
  T Total() const { return product; }
};

// Of DOUBLE, with what is rounded off.
struct DoubleSum {
  using Element = double;
  double sum = 0;
  double rest = 0;
  void Add(double x) {
    const double total = sum + x;
    const double added = total - sum;
    rest += (sum - (total - added)) + (x - added);
    sum = total;
  }
  double Total() const { return std::isfinite(sum) ? sum + rest : sum; }
};
struct ComplexSum {
  using Element = std::complex<double>;
  DoubleSum real;
  DoubleSum imag;
  void Add(Element x) { real.Add(x.real()), imag.Add(x.imag()); }
  Element Total() const { return {real.Total(), imag.Total()}; }
};
struct DoubleProduct {
  using Element = double;
  double product = 1;
  double rest = 0;
  void Add(double x) {
    const double total = product * x;
    rest = std::fma(rest, x, std::fma(product, x, -total));
    product = total;
  }
  double Total() const { return std::isfinite(product) && std::isfinite(rest) ? product + rest : product; }
};

struct ScanParameters {
  const Conversion* cast;   // of elements to the dtype of out,
  const Conversion* load;   // to what is computed in,
  const Conversion* store;  // and back
  bool exclusive;
  bool reverse;
};

// One sum waits for the one before it, those of other rows do not. Blocks are long, because processors fetch ahead in
// order.
constexpr int64_t kScannedRows = 4;
constexpr int64_t kScannedBlock = 1024;

// What a tile needs: blocks of elements, which their results replace, and one of elements that are half converted. The
// rows are no multiple of the distance apart at which processors take a load for the one before it stored.
template <class T>
struct ScanScratch {
  T elements[kScannedRows][kScannedBlock + 8];
  std::byte cast[16 * kScannedBlock];
};

template <bool kExclusive, int64_t kRows, class State, class T>
void ScanElements(State (&kept)[kRows], T (*elements)[kScannedBlock + 8], int64_t at, int64_t step, int64_t n) {
  State states[kRows];
  for (int64_t row = 0; row < kRows; ++row) states[row] = kept[row];
  for (int64_t i = 0; i < n; ++i, at += step) {
#pragma GCC unroll 4
    for (int64_t row = 0; row < kRows; ++row) {
      const T element = elements[row][at];
      if (kExclusive) elements[row][at] = states[row].Total();
      states[row].Add(element);
      if (!kExclusive) elements[row][at] = states[row].Total();
    }
  }
  for (int64_t row = 0; row < kRows; ++row) kept[row] = states[row];
}

template <class State, int64_t kRows>
void ScanSomeRows(const Tile& tile, int64_t first_row) {
  using T = typename State::Element;
  const auto& parameters = *static_cast<const ScanParameters*>(tile.parameters);
  auto& [elements, cast] = *static_cast<ScanScratch<T>*>(tile.scratch);
  const auto bytes_of = [&](int64_t row) { return reinterpret_cast<std::byte*>(elements[row]); };
  const auto scan = parameters.exclusive ? ScanElements<true, kRows, State, T> : ScanElements<false, kRows, State, T>;
  State states[kRows];
  const int64_t blocks = (tile.columns + kScannedBlock - 1) / kScannedBlock;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t first = (parameters.reverse ? blocks - 1 - i : i) * kScannedBlock;
    const int64_t n = std::min(kScannedBlock, tile.columns - first);
    const auto place = [&](int operand, int64_t row) {
      return tile.Row<std::byte>(operand, first_row + row) + first * tile.operand[operand].column_stride;
    };
    for (int64_t row = 0; row < kRows; ++row) {
      Convert(*parameters.cast, place(0, row), cast, n);
      Convert(*parameters.load, cast, bytes_of(row), n);
    }
    scan(states, elements, parameters.reverse ? n - 1 : 0, parameters.reverse ? -1 : 1, n);
    for (int64_t row = 0; row < kRows; ++row) Convert(*parameters.store, bytes_of(row), place(1, row), n);
  }
}

template <class State>
void ScanRows(const Tile& tile) {
  int64_t row = 0;
  for (; row + kScannedRows <= tile.rows; row += kScannedRows) ScanSomeRows<State, kScannedRows>(tile, row);
  for (; row < tile.rows; ++row) ScanSomeRows<State, 1>(tile, row);
}

constexpr double kNsPerScanned = 0.6;

template <template <class> class Plain, class Extended>
LaneFunction ScanFunction(aclDataType dtype) {
  if (FindDtype(dtype)->kind != DtypeKind::kFloating) return ScanRows<Plain<uint64_t>>;
  return dtype == ACL_DOUBLE ? ScanRows<Extended> : ScanRows<Plain<double>>;
}

}  // namespace

inline namespace v1 {

void Scan(exec::PlanBuilder& plan, int self, int axis, int out, const Running& running) {
  const View& from = plan.OperandView(self);
  const View& to = plan.OperandView(out);
  const aclDataType computed = IsComplex(to.dtype)                                 ? ACL_COMPLEX128
                               : FindDtype(to.dtype)->kind == DtypeKind::kFloating ? ACL_DOUBLE
                                                                                   : ACL_INT64;
  const ScanParameters parameters{&ConversionOf(from.dtype, to.dtype), &ConversionOf(to.dtype, computed),
                                  &ConversionOf(computed, to.dtype), running.exclusive, running.reverse};
  const LaneFunction run = IsComplex(to.dtype) ? ScanRows<ComplexSum>
                           : running.product   ? ScanFunction<RunningProduct, DoubleProduct>(to.dtype)
                                               : ScanFunction<RunningSum, DoubleSum>(to.dtype);
  Rows(plan, {{self, RowsAlong(from, axis)}, {out, RowsAlong(to, axis)}},
       {.run = run,
        .ns_per_element = kNsPerScanned,
        .scratch_bytes = sizeof(ScanScratch<std::complex<double>>),
        .rows = kScannedRows},
       parameters);
}

}  // namespace v1
}  // namespace portacl::loops
