// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the loop of the masked fill.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "loops/elements/conversion.h"
#include "loops/elements/store_scalar.h"
#include "loops/moves/copy.h"
#include "loops/tiles/elementwise.h"
#include "ops/movement/fill/fill_spec.h"

namespace portacl::ops::fill {
namespace {

loops::moves::Box WholeOf(const exec::PlanBuilder& plan) {
  const int self = plan.Output("selfRef");
  loops::moves::Box box = loops::moves::BoxOf(plan, self, self);
  box.from = loops::moves::Box::kValue;
  return box;
}

void PlanFillScalar(exec::PlanBuilder& plan) {
  loops::moves::Box box = WholeOf(plan);
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), plan.Tensor("selfRef").dtype, box.value);
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanZero(exec::PlanBuilder& plan) {
  const loops::moves::Box box = WholeOf(plan);
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanZeroInplace(exec::PlanBuilder& plan) {
  std::vector<loops::moves::Box> boxes;
  for (int i = 0; i < plan.Count(0); ++i) {
    boxes.push_back(loops::moves::BoxOf(plan, plan.Operand(0, i), plan.Operand(0, i)));
    boxes.back().from = loops::moves::Box::kValue;
  }
  loops::moves::Copy(plan, boxes);
}

void PlanOne(exec::PlanBuilder& plan) {
  loops::moves::Box box = WholeOf(plan);
  aclScalar one;
  one.dtype = ACL_BOOL;
  one.bytes[0] = 1;
  loops::StoreScalar(one, plan.Tensor("selfRef").dtype, box.value);
  loops::moves::Copy(plan, std::span(&box, 1));
}

// Elements by their size only.
template <size_t kBytes>
struct Word;
template <>
struct Word<1> {
  using Type [[gnu::may_alias]] = uint8_t;
};
template <>
struct Word<2> {
  using Type [[gnu::may_alias]] = uint16_t;
};
template <>
struct Word<4> {
  using Type [[gnu::may_alias]] = uint32_t;
};
template <>
struct Word<8> {
  using Type [[gnu::may_alias]] = uint64_t;
};

// Converts a value to the dtype of selfRef.
struct ValueOfTensor {
  const loops::Conversion* conversion;
};

// Operands: selfRef, mask, value if it is a tensor, selfRef.
template <size_t kBytes, bool kOfTensor>
void SelectTile(const loops::Tile& tile) {
  using T = typename Word<kBytes>::Type;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const self = tile.Row<const T>(0, row);
    const uint8_t* const mask = tile.Row<const uint8_t>(1, row);
    T* const out = tile.Row<T>(kOfTensor ? 3 : 2, row);
    alignas(T) std::byte element[kBytes];
    if constexpr (kOfTensor)
      loops::Convert(*static_cast<const ValueOfTensor*>(tile.parameters)->conversion, tile.Row<const std::byte>(2, row),
                     element, 1);
    else
      std::memcpy(element, tile.parameters, kBytes);
    T value;
    std::memcpy(&value, element, kBytes);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t c = 0; c < tile.columns; ++c) {
      // With bit operations: compilers turn a conditional into a branch, which random masks mispredict.
      const T chosen = static_cast<T>(T{0} - static_cast<T>(mask[c] != 0));
      out[c] = static_cast<T>((value & chosen) | (self[c] & ~chosen));
    }
  }
}

template <bool kOfTensor>
loops::LaneFunction SelectLanes(aclDataType dtype) {
  switch (ElementBytes(dtype)) {
    case 1:
      return SelectTile<1, kOfTensor>;
    case 2:
      return SelectTile<2, kOfTensor>;
    case 4:
      return SelectTile<4, kOfTensor>;
    default:
      return SelectTile<8, kOfTensor>;
  }
}

constexpr double kNsPerElement = 0.2;

void PlanMaskedFillScalar(exec::PlanBuilder& plan) {
  struct Value {
    alignas(16) std::byte bytes[16];
  } value = {};
  const int self = plan.Output("selfRef");
  const aclDataType dtype = plan.OperandView(self).dtype;
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), dtype, value.bytes);
  loops::Elementwise(plan, {self, plan.Input("mask"), self},
                     {.run = SelectLanes<false>(dtype), .ns_per_element = kNsPerElement}, value);
}

void PlanMaskedFillTensor(exec::PlanBuilder& plan) {
  const int self = plan.Output("selfRef");
  const aclDataType dtype = plan.OperandView(self).dtype;
  View value = plan.Tensor("value");
  value.rank = 0;
  loops::Elementwise(plan, {self, plan.Input("mask"), {plan.Input("value"), value}, self},
                     {.run = SelectLanes<true>(dtype), .ns_per_element = kNsPerElement, .repeated = 0b100},
                     ValueOfTensor{&loops::ConversionOf(value.dtype, dtype)});
}

}  // namespace

}  // namespace portacl::ops::fill

#include "ops/movement/fill/fill_functions.inc"
