// SPDX-License-Identifier: Apache-2.0
//
// The last lines of a *_lanes.cc, which is compiled once per target: they define functions that call the one of a given
// target. Included once per target, after hwy/highway.h.
//
//   HWY_AFTER_NAMESPACE();
//
//   PORTACL_DISPATCH_LANES(portacl::ops::unary, Lanes, (Function function, int64_t target), FindLanes, function)
//
// defines portacl::ops::unary::Lanes(function, target), which returns what FindLanes(function) of `target` returns.
#ifndef PORTACL_SIMD_DISPATCH_H_
#define PORTACL_SIMD_DISPATCH_H_

#include <cstdint>

#include "hwy/highway.h"

namespace portacl::simd {

/// The entry of `functions` for `target`, a single HWY_* bit, or the fallback (the last entry) if that target was not
/// compiled.
template <class F>
F ChooseForTarget(const F (&functions)[HWY_MAX_DYNAMIC_TARGETS + 1], int64_t target) {
  constexpr int kFirstBit = HWY_HIGHEST_TARGET_BIT + 1 - HWY_MAX_DYNAMIC_TARGETS;
  for (int i = 0; i < HWY_MAX_DYNAMIC_TARGETS; ++i) {
    if (target == int64_t{1} << (kFirstBit + i) && functions[i] != nullptr) return functions[i];
  }
  return functions[HWY_MAX_DYNAMIC_TARGETS];
}

}  // namespace portacl::simd

// For a function whose name has no commas, under HWY_ONCE, in the namespace around HWY_NAMESPACE.
#define PORTACL_FOR_TARGET(function, target)                                  \
  ::portacl::simd::ChooseForTarget<decltype(&HWY_STATIC_DISPATCH(function))>( \
      {HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}, target)

#endif  // PORTACL_SIMD_DISPATCH_H_

#undef PORTACL_DISPATCH_LANES
#if HWY_ONCE
#define PORTACL_DISPATCH_LANES(space, name, parameters, find, ...)         \
  namespace space {                                                        \
  auto name parameters->decltype(HWY_STATIC_DISPATCH(find)(__VA_ARGS__)) { \
    return PORTACL_FOR_TARGET(find, target)(__VA_ARGS__);                  \
  }                                                                        \
  }
#else
#define PORTACL_DISPATCH_LANES(...)
#endif
