// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/scan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "base/tuning.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/rows.h"

namespace portacl::loops::reductions {
namespace {

// float64 holds sums and products of FLOAT with a relative error of 2^-32, for any row that fits in memory. Integers
// wrap modulo 2^64.
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

// A sum of DOUBLE, with the sum of its rounding errors.
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
  const Conversion* cast;   // from the input to the dtype of out,
  const Conversion* load;   // then to the dtype of the computation,
  const Conversion* store;  // and back to the dtype of out
  bool exclusive;
  bool reverse;
};

// A sum waits for the one before it in its row, but not for those of other rows. Blocks are long, because processors
// prefetch sequentially.
constexpr int64_t kScannedRows = 4;
constexpr int64_t kScannedBlock = 1024;

// Scratch of a tile: blocks of elements, which are replaced by their results, and a block of elements after the first
// conversion. Rows are padded, so that the processor does not mistake a load for one from the address of a recent store
// (4 KiB aliasing).
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

// Where operands come from memory, the next block is prefetched line by line: while sums are computed, the hardware
// prefetcher sees no loads.
constexpr int64_t kFetchedElements = 64;
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
      if (parameters.cast->steps == 0) {
        Convert(*parameters.load, place(0, row), bytes_of(row), n);
      } else {
        Convert(*parameters.cast, place(0, row), cast, n);
        Convert(*parameters.load, cast, bytes_of(row), n);
      }
    }
    const int64_t step = parameters.reverse ? -1 : 1;
    for (int64_t done = 0; done < n; done += kFetchedElements) {
      const int64_t count = std::min(kFetchedElements, n - done);
      for (int part = 0; tile.is_large && part < 2 * kRows; ++part) {
        const TileOperand& operand = tile.operand[part % 2];
        const std::byte* const next =
            place(part % 2, part / 2) + done * operand.column_stride +
            (blocks == 1 ? kRows * operand.row_stride : step * kScannedBlock * operand.column_stride);
        for (int64_t at = 0; at < count * operand.column_stride; at += kLineBytes) __builtin_prefetch(next + at);
      }
      scan(states, elements, parameters.reverse ? n - 1 - done : done, step, count);
    }
    for (int64_t row = 0; row < kRows; ++row) Convert(*parameters.store, bytes_of(row), place(1, row), n);
  }
}

template <class State>
void ScanRows(const Tile& tile) {
  int64_t row = 0;
  for (; row + kScannedRows <= tile.rows; row += kScannedRows) ScanSomeRows<State, kScannedRows>(tile, row);
  for (; row < tile.rows; ++row) ScanSomeRows<State, 1>(tile, row);
}

// For other axes than the last: contiguous rows of columns, which are scanned side by side.
constexpr int64_t kScannedColumns = 1024;
// Columns that are scanned at a time; compilers keep them in registers.
constexpr int64_t kColumnsTogether = 8;

template <class State>
struct ColumnScratch {
  using T = typename State::Element;
  State states[kScannedColumns];
  T elements[kScannedColumns];
  std::byte cast[16 * kScannedColumns];
};

// May read beyond the last column, but ignores the results there.
template <bool kExclusive, class State>
void AddRow(ColumnScratch<State>& scratch, int64_t columns) {
  for (int64_t first = 0; first < columns; first += kColumnsTogether) {
    for (int64_t column = first; column < first + kColumnsTogether; ++column) {
      const auto element = scratch.elements[column];
      State& state = scratch.states[column];
      if (kExclusive) scratch.elements[column] = state.Total();
      state.Add(element);
      if (!kExclusive) scratch.elements[column] = state.Total();
    }
  }
}

template <class State>
void ScanColumns(const Tile& tile) {
  const auto& parameters = *static_cast<const ScanParameters*>(tile.parameters);
  auto& scratch = *static_cast<ColumnScratch<State>*>(tile.scratch);
  auto* const elements = reinterpret_cast<std::byte*>(scratch.elements);
  const auto add = parameters.exclusive ? AddRow<true, State> : AddRow<false, State>;
  std::fill_n(scratch.states, kScannedColumns, State());
  std::fill_n(scratch.elements, kScannedColumns, typename State::Element());
  for (int64_t i = 0; i < tile.rows; ++i) {
    const int64_t row = parameters.reverse ? tile.rows - 1 - i : i;
    Convert(*parameters.cast, tile.Row<std::byte>(0, row), scratch.cast, tile.columns);
    Convert(*parameters.load, scratch.cast, elements, tile.columns);
    add(scratch, tile.columns);
    Convert(*parameters.store, elements, tile.Row<std::byte>(1, row), tile.columns);
  }
}

// The functions for rows and for columns, for one number type.
struct ScanFunctions {
  LaneFunction rows;
  LaneFunction columns;
};
template <class State>
constexpr ScanFunctions FunctionsOf() {
  return {ScanRows<State>, ScanColumns<State>};
}

template <template <class> class Plain, class Extended>
ScanFunctions ScanFunctionsOf(aclDataType dtype) {
  if (FindDtype(dtype)->kind != DtypeKind::kFloating) return FunctionsOf<Plain<uint64_t>>();
  return dtype == ACL_DOUBLE ? FunctionsOf<Extended>() : FunctionsOf<Plain<double>>();
}

// The number of elements per position along `axis`: the product of the sizes of all later axes.
int64_t Neighbours(const View& view, int axis) {
  int64_t count = 1;
  for (int i = axis + 1; i < view.rank; ++i) count *= view.shape[i];
  return count;
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
  const ScanFunctions run = IsComplex(to.dtype) ? FunctionsOf<ComplexSum>()
                            : running.product   ? ScanFunctionsOf<RunningProduct, DoubleProduct>(to.dtype)
                                                : ScanFunctionsOf<RunningSum, DoubleSum>(to.dtype);
  if (Neighbours(to, axis) >= kColumnsTogether) {
    return Columns(plan, {self, out}, axis,
                   {.run = run.columns,
                    .ns_per_element = CurrentTuning().scan_ns,
                    .scratch_bytes = sizeof(ColumnScratch<ComplexSum>),
                    .columns = kScannedColumns},
                   parameters);
  }
  Rows(plan, {{self, RowsAlong(from, axis)}, {out, RowsAlong(to, axis)}},
       {.run = run.rows,
        .ns_per_element = CurrentTuning().scan_ns,
        .scratch_bytes = sizeof(ScanScratch<std::complex<double>>),
        .rows = kScannedRows},
       parameters);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
