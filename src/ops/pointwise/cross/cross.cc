// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the product of two vectors.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "families/complex.h"
#include "families/stored_numbers.h"
#include "loops/moves/copy.h"
#include "loops/tiles/elementwise.h"
#include "ops/pointwise/cross/cross_spec.h"

namespace portacl::ops::cross {
namespace {

// Strides in bytes between the three elements of a vector, in self, other and out.
struct Steps {
  int64_t operand[3];
};

template <class Real>
struct Parts {
  using Stored = std::complex<Real>;
  using Computed = Complex128;
  static Computed Widen(Stored x) { return Computed(x); }
  static Stored Narrow(Computed x) { return static_cast<Stored>(x); }
};

template <class T>
T ProductOf(T x, T y) {
  if constexpr (kIsComplex<T>)
    return Multiply(x, y);
  else
    return x * y;
}

// Vectors computed at a time, in one-line loops that the compiler vectorises for contiguous elements.
constexpr int64_t kBlock = 128;

template <class Number>
void Load(const std::byte* from, int64_t stride, int64_t n, typename Number::Computed* to) {
  constexpr int64_t kBytes = sizeof(typename Number::Stored);
  if (stride == kBytes) {
    for (int64_t i = 0; i < n; ++i) to[i] = LoadNumber<Number>(from + i * kBytes);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = LoadNumber<Number>(from + i * stride);
  }
}

template <class Number>
void Store(const typename Number::Computed* from, int64_t stride, int64_t n, std::byte* to) {
  constexpr int64_t kBytes = sizeof(typename Number::Stored);
  if (stride == kBytes) {
    for (int64_t i = 0; i < n; ++i) StoreNumber<Number>(from[i], to + i * kBytes);
  } else {
    for (int64_t i = 0; i < n; ++i) StoreNumber<Number>(from[i], to + i * stride);
  }
}

template <class Number>
void RunCross(const loops::Tile& tile) {
  const Steps& steps = *static_cast<const Steps*>(tile.parameters);
  typename Number::Computed x[2][3][kBlock];
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t column = 0; column < tile.columns; column += kBlock) {
      const int64_t n = std::min(kBlock, tile.columns - column);
      const auto place = [&](int operand, int i) {
        const loops::TileOperand& o = tile.operand[operand];
        return o.base + row * o.row_stride + column * o.column_stride + i * steps.operand[operand];
      };
      for (int operand = 0; operand < 2; ++operand) {
        for (int i = 0; i < 3; ++i)
          Load<Number>(place(operand, i), tile.operand[operand].column_stride, n, x[operand][i]);
      }
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        typename Number::Computed product[kBlock];
        for (int64_t c = 0; c < n; ++c)
          product[c] = ProductOf(x[0][j][c], x[1][k][c]) - ProductOf(x[0][k][c], x[1][j][c]);
        Store<Number>(product, tile.operand[2].column_stride, n, place(2, i));
      }
    }
  }
}

loops::LaneFunction Find(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
      return RunCross<Half>;
    case ACL_BF16:
      return RunCross<Bfloat>;
    case ACL_FLOAT:
      return RunCross<Plain<float>>;
    case ACL_DOUBLE:
      return RunCross<Plain<double>>;
    case ACL_COMPLEX64:
      return RunCross<Parts<float>>;
    case ACL_COMPLEX128:
      return RunCross<Parts<double>>;
    case ACL_INT8:
    case ACL_UINT8:
      return RunCross<Plain<uint8_t>>;
    case ACL_INT16:
      return RunCross<Plain<uint16_t>>;
    case ACL_INT32:
      return RunCross<Plain<uint32_t>>;
    default:
      return RunCross<Plain<uint64_t>>;
  }
}

// The first element of each vector of an operand, as a tensor of its own.
loops::OperandPart FirstOf(const exec::PlanBuilder& plan, const char* name, int64_t dim, int64_t* step) {
  const int number = plan.Operand(plan.schema().Find(name));
  View view = loops::moves::PlainView(plan, number);
  const int axis = AxisIn(view, dim, plan.Tensor("out").rank);
  *step = view.strides[axis] * static_cast<int64_t>(FindDtype(view.dtype)->bytes);
  std::copy(view.shape + axis + 1, view.shape + view.rank, view.shape + axis);
  std::copy(view.strides + axis + 1, view.strides + view.rank, view.strides + axis);
  --view.rank;
  return {number, view};
}

void PlanLinalgCross(exec::PlanBuilder& plan) {
  const auto dim = plan.Attribute<int64_t>("dim");
  Steps steps;
  const loops::OperandPart self = FirstOf(plan, "self", dim, &steps.operand[0]);
  const loops::OperandPart other = FirstOf(plan, "other", dim, &steps.operand[1]);
  const loops::OperandPart out = FirstOf(plan, "out", dim, &steps.operand[2]);
  const loops::LaneFunction run = Find(plan.Tensor("out").dtype);
  loops::Elementwise(plan, {self, other, out}, {.run = run, .ns_per_element = 10, .any_strides = true}, steps);
}

}  // namespace

}  // namespace portacl::ops::cross

#include "ops/pointwise/cross/cross_functions.inc"
