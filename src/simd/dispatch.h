// SPDX-License-Identifier: Apache-2.0
//
// Chooses among the copies of a function that foreach_target.h made, one per instruction set. Unlike Highway's own
// dynamic dispatch the target is given by the caller, so that phase 1 can store the pointer and a test can ask for
// each.
//
// Used in a *_lanes.cc under HWY_ONCE, in the namespace around HWY_NAMESPACE:
//   return PORTACL_FOR_TARGET(ScaleTile<float>, target);
#pragma once

#include <cstdint>

#include "hwy/highway.h"

namespace portacl::simd {

/// The entry of `functions` for `target`, a single HWY_* bit, or the fallback (the last entry) where that target was
/// not compiled.
template <class F>
F ChooseForTarget(const F (&functions)[HWY_MAX_DYNAMIC_TARGETS + 1], int64_t target) {
  constexpr int kFirstBit = HWY_HIGHEST_TARGET_BIT + 1 - HWY_MAX_DYNAMIC_TARGETS;
  for (int i = 0; i < HWY_MAX_DYNAMIC_TARGETS; ++i) {
    if (target == int64_t{1} << (kFirstBit + i) && functions[i] != nullptr) return functions[i];
  }
  return functions[HWY_MAX_DYNAMIC_TARGETS];
}

}  // namespace portacl::simd

#define PORTACL_FOR_TARGET(function, target)                                  \
  ::portacl::simd::ChooseForTarget<decltype(&HWY_STATIC_DISPATCH(function))>( \
      {HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}, target)
