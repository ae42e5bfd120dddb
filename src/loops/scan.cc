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

constexpr int64_t kScannedBlock = 512;

template <class State>
void ScanBlock(const ScanParameters& parameters, State& state, const std::byte* from, std::byte* to, int64_t n) {
  using T = typename State::Element;
  alignas(64) std::byte cast[16 * kScannedBlock];
  alignas(64) T elements[kScannedBlock];
  alignas(64) T results[kScannedBlock];
  Convert(*parameters.cast, from, cast, n);
  Convert(*parameters.load, cast, reinterpret_cast<std::byte*>(elements), n);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = parameters.reverse ? n - 1 - i : i;
    if (parameters.exclusive) results[at] = state.Total();
    state.Add(elements[at]);
    if (!parameters.exclusive) results[at] = state.Total();
  }
  Convert(*parameters.store, reinterpret_cast<const std::byte*>(results), to, n);
}

template <class State>
void ScanRows(const Tile& tile) {
  const auto& parameters = *static_cast<const ScanParameters*>(tile.parameters);
  const TileOperand& self = tile.operand[0];
  const TileOperand& out = tile.operand[1];
  const int64_t blocks = (tile.columns + kScannedBlock - 1) / kScannedBlock;
  for (int64_t row = 0; row < tile.rows; ++row) {
    State state;
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t first = (parameters.reverse ? blocks - 1 - i : i) * kScannedBlock;
      ScanBlock(parameters, state, tile.Row<const std::byte>(0, row) + first * self.column_stride,
                tile.Row<std::byte>(1, row) + first * out.column_stride, std::min(kScannedBlock, tile.columns - first));
    }
  }
}

constexpr double kNsPerScanned = 1.5;

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
  Rows(plan, {{self, RowsAlong(from, axis)}, {out, RowsAlong(to, axis)}}, {.run = run, .ns_per_element = kNsPerScanned},
       parameters);
}

}  // namespace v1
}  // namespace portacl::loops
