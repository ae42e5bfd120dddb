// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/bitwise/bitwise_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/bitwise/bitwise_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/byte_lanes.h"
#include "families/pointwise.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::bitwise::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <Operation operation, class V>
HWY_INLINE V Combine(V x, V y) {
  if constexpr (operation == Operation::kAnd) return hn::And(x, y);
  if constexpr (operation == Operation::kOr) return hn::Or(x, y);
  if constexpr (operation == Operation::kXor) return hn::Xor(x, y);
}

// Each nonzero byte of BOOL counts as 1.
template <bool kBool, class D, class V>
HWY_INLINE V Bits(D d, V x) {
  if constexpr (kBool) return hn::Min(x, hn::Set(d, 1));
  return x;
}

template <Operation operation, bool kBool>
struct Combined {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return Combine<operation>(Bits<kBool>(d, x), Bits<kBool>(d, y));
  }
};
template <Operation operation, bool kBool>
struct CombinedWithScalar {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V) const {
    return Combine<operation>(Bits<kBool>(d, x), hn::BitCast(d, hn::Set(hn::Repartition<uint64_t, D>(), pattern)));
  }
  uint64_t pattern;
};

// Eight bytes of elements of this size, each with the low bits of the scalar.
uint64_t PatternOf(int64_t scalar, int64_t bytes) {
  const uint64_t ones = ~uint64_t{0} >> (64 - 8 * bytes);
  return (static_cast<uint64_t>(scalar) & ones) * (~uint64_t{0} / ones);
}

template <Operation operation, bool kBool>
HWY_ATTR void CombineTensors(const loops::Tile& tile) {
  families::HWY_NAMESPACE::MapBytes<2>(Combined<operation, kBool>(), tile);
}
template <Operation operation, bool kBool>
HWY_ATTR void CombineWithScalar(const loops::Tile& tile) {
  const int64_t scalar = static_cast<const families::Scalars<int64_t>*>(tile.parameters)->values[0];
  const uint64_t pattern = PatternOf(kBool ? scalar != 0 : scalar, tile.operand[0].column_stride);
  families::HWY_NAMESPACE::MapBytes<1>(CombinedWithScalar<operation, kBool>{pattern}, tile);
}

loops::LaneFunction FindLanes(Operation operation, bool with_scalar, bool is_bool) {
#define PORTACL_OPERATION(name)                                                     \
  {&CombineTensors<Operation::name, false>, &CombineTensors<Operation::name, true>, \
   &CombineWithScalar<Operation::name, false>, &CombineWithScalar<Operation::name, true>}
  static constexpr loops::LaneFunction kFunctions[][4] = {PORTACL_OPERATION(kAnd), PORTACL_OPERATION(kOr),
                                                          PORTACL_OPERATION(kXor)};
#undef PORTACL_OPERATION
  return kFunctions[static_cast<int>(operation)][2 * with_scalar + is_bool];
}

}  // namespace portacl::ops::bitwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::bitwise, Lanes,
                       (Operation operation, bool with_scalar, bool is_bool, int64_t target), FindLanes, operation,
                       with_scalar, is_bool)
