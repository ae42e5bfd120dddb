// SPDX-License-Identifier: Apache-2.0
//
// How operands are compared that should be equal, or almost.
#include "ops/pointwise/comparison/equality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "families/scalar_lanes.h"
#include "loops/reductions/sum_all.h"
#include "loops/tiles/elementwise.h"
#include "ops/pointwise/comparison/comparison_spec.h"
#include "tensor/promote.h"

namespace portacl::ops::comparison {
namespace {

struct Tolerance {
  double relative, absolute;
  bool equal_nan;
};

// Without branches, so that compilers can vectorise the loop over elements.
template <class T>
bool IsClose(T x, T y, const Tolerance& tolerance) {
  if constexpr (std::is_same_v<T, Bool>) {
    return IsClose(uint8_t{IsTrue(x)}, uint8_t{IsTrue(y)}, tolerance);
  } else if constexpr (std::is_floating_point_v<T>) {
    const T distance = std::abs(x - y);
    const T limit = static_cast<T>(tolerance.absolute) + std::abs(static_cast<T>(tolerance.relative) * y);
    const bool both_nan = tolerance.equal_nan & (x != x) & (y != y);
    return (x == y) | both_nan | ((distance < std::numeric_limits<T>::infinity()) & (distance <= limit));
  } else {
    // The distance is exact modulo 2^64, and is less.
    const auto distance = x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
                                : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
    const double limit = tolerance.absolute + std::abs(tolerance.relative * static_cast<double>(y));
    return (x == y) | (static_cast<double>(distance) <= limit);
  }
}

template <class T>
void CloseTile(const loops::Tile& tile) {
  const Tolerance tolerance = *static_cast<const Tolerance*>(tile.parameters);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const x = tile.Row<const T>(0, row);
    const T* const y = tile.Row<const T>(1, row);
    Bool* const out = tile.Row<Bool>(2, row);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t c = 0; c < tile.columns; ++c) out[c] = ToBool(IsClose(x[c], y[c], tolerance));
  }
}

// Elements that are compared before the result is tested.
constexpr int64_t kBlock = 1024;

template <class T>
bool Differ(const T* x, const T* y, int64_t n) {
  if constexpr (std::is_integral_v<T>) return std::memcmp(x, y, static_cast<size_t>(n) * sizeof(T)) != 0;
  using Bits = std::conditional_t<sizeof(T) == 1, int8_t, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, n);
    Bits differs = 0;
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (std::is_same_v<T, Bool>)
        differs |= Bits{IsTrue(x[i]) != IsTrue(y[i])};
      else
        differs |= x[i] == y[i] ? Bits{0} : Bits{1};
    }
    if (differs != 0) return true;
  }
  return false;
}

// Adds 1 for a tile with a difference; after one, the chunk is decided.
template <class T>
void DifferTile(const loops::Tile& tile) {
  double& differences = *static_cast<double*>(tile.scratch);
  for (int64_t row = 0; row < tile.rows && differences == 0; ++row)
    differences += Differ(tile.Row<const T>(0, row), tile.Row<const T>(1, row), tile.columns) ? 1 : 0;
}

struct Compared {
  loops::LaneFunction run = nullptr;
  aclDataType dtype = ACL_FLOAT;
};

// The function for operands of this common dtype; those of 16 bits are compared as FLOAT.
template <template <class> class Lanes>
Compared Find(aclDataType dtype) {
  Compared found = {Lanes<float>::kRun};
  const auto use = [&]<class... T>(T...) {
    ((dtype == DtypeOf<T>() ? static_cast<void>(found = {Lanes<T>::kRun, dtype}) : static_cast<void>(0)), ...);
  };
  use(double(), int8_t(), int16_t(), int32_t(), int64_t(), uint8_t(), uint16_t(), uint32_t(), uint64_t(), Bool());
  return found;
}
template <class T>
struct CloseLanes {
  static constexpr loops::LaneFunction kRun = CloseTile<T>;
};
template <class T>
struct DifferLanes {
  static constexpr loops::LaneFunction kRun = DifferTile<T>;
};

int32_t StoreFalse(const exec::RunContext& context) {
  *context.Address(context.Parameters<int>()) = std::byte{0};
  return 0;
}

}  // namespace

void PlanIsClose(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const Compared compared = Find<CloseLanes>(plan.OperandView(self).dtype);
  loops::Elementwise(
      plan, {self, plan.Input("other"), plan.Output("out")},
      {.run = compared.run, .ns_per_element = 0.5, .dtype = compared.dtype, .result_dtype = ACL_BOOL},
      Tolerance{plan.Attribute<double>("rtol"), plan.Attribute<double>("atol"), plan.Attribute<bool>("equal_nan")});
}

void PlanEqual(exec::PlanBuilder& plan) {
  const View& self = plan.Tensor("self");
  const View& other = plan.Tensor("other");
  const int out = plan.Output("out");
  if (!std::ranges::equal(self.dims(), other.dims())) return plan.Run(StoreFalse, out, 1);
  const Compared compared = Find<DifferLanes>(PromoteDtypes(self.dtype, other.dtype));
  loops::reductions::Sum(plan, {plan.Input("self"), plan.Input("other")}, out,
                         {.run = compared.run, .ns_per_element = 0.1, .dtype = compared.dtype});
}

}  // namespace portacl::ops::comparison
