// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/fill_masked.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "loops/elements/conversion.h"
#include "loops/elements/store_scalar.h"
#include "loops/tiles/elementwise.h"
#include "simd/strided_copy.h"

namespace portacl::loops::moves {
namespace {

constexpr double kNsPerFilledElement = 0.2;

// Converts a value to the dtype of selfRef.
struct ValueOfTensor {
  const Conversion* conversion;
};

// Operands: selfRef, mask, value if it is a tensor, selfRef.
template <size_t kBytes, bool kOfTensor>
void SelectTile(const Tile& tile) {
  using T = typename simd::strided_copy::WordOf<kBytes>::Type;
  const int64_t columns = tile.columns;  // in a local: an element that is written could be tile.columns
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const self = tile.Row<const T>(0, row);
    const uint8_t* const mask = tile.Row<const uint8_t>(1, row);
    T* const out = tile.Row<T>(kOfTensor ? 3 : 2, row);
    alignas(T) std::byte element[kBytes];
    if constexpr (kOfTensor)
      Convert(*static_cast<const ValueOfTensor*>(tile.parameters)->conversion, tile.Row<const std::byte>(2, row),
              element, 1);
    else
      std::memcpy(element, tile.parameters, kBytes);
    T value;
    std::memcpy(&value, element, kBytes);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t c = 0; c < columns; ++c) {
      // With bit operations: compilers turn a conditional into a branch, which random masks mispredict.
      const T chosen = static_cast<T>(T{0} - static_cast<T>(mask[c] != 0));
      out[c] = static_cast<T>((value & chosen) | (self[c] & ~chosen));
    }
  }
}

template <bool kOfTensor>
LaneFunction SelectLanes(aclDataType dtype) {
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

}  // namespace

inline namespace v1 {

void FillMasked(exec::PlanBuilder& plan, int self, const OperandPart& mask, const aclScalar& value) {
  struct Value {
    alignas(16) std::byte bytes[16];
  } stored = {};
  const aclDataType dtype = plan.OperandView(self).dtype;
  StoreScalar(value, dtype, stored.bytes);
  Elementwise(plan, {self, mask, self}, {.run = SelectLanes<false>(dtype), .ns_per_element = kNsPerFilledElement},
              stored);
}

void FillMasked(exec::PlanBuilder& plan, int self, const OperandPart& mask, int value) {
  const aclDataType dtype = plan.OperandView(self).dtype;
  View element = plan.OperandView(value);
  element.rank = 0;
  Elementwise(plan, {self, mask, {value, element}, self},
              {.run = SelectLanes<true>(dtype), .ns_per_element = kNsPerFilledElement, .repeated = 0b100},
              ValueOfTensor{&ConversionOf(element.dtype, dtype)});
}

}  // namespace v1
}  // namespace portacl::loops::moves
