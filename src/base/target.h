// SPDX-License-Identifier: Apache-2.0
// The instruction set that kernels use: one of Highway's target bits (HWY_AVX3, HWY_SVE, ...). A smaller bit is a
// better target.
#pragma once

#include <hwy/detect_targets.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "base/visibility.h"

namespace portacl {

inline namespace v1 {

/// The target in use: the one that PORTACL_TARGET names (read once, at the first call), otherwise the best target that
/// this machine has and the lane files are compiled for.
PORTACL_EXPORT int64_t ActiveTarget() noexcept;

/// Changes whenever ActiveTarget() or CurrentSoc() may change, which happens only in tests. Checking that neither has
/// changed takes one load instead of two calls.
PORTACL_EXPORT extern std::atomic<uint64_t> settings_version;

/// The only instruction set for which this toolkit was built (PORTACL_NATIVE), if this machine lacks it; otherwise
/// nullptr.
PORTACL_EXPORT const char* MissingTarget() noexcept;

/// The names that PORTACL_TARGET accepts: "AVX3", "SSE4", ...
PORTACL_EXPORT const char* TargetName(int64_t target) noexcept;

/// All targets that this machine has and the lane files are compiled for, best first; never empty.
PORTACL_EXPORT std::span<const int64_t> UsableTargets() noexcept;

}  // namespace v1

/// Whether the lane code of a target rounds a * b + c once (HWY_NATIVE_FMA).
constexpr bool HasFusedMultiplyAdd(int64_t target) noexcept {
  return (target & (HWY_SSSE3 | HWY_SSE4 | HWY_EMU128 | HWY_SCALAR)) == 0;
}

/// Kernels resolved from now on use `target`; 0: the default choice. Only for tests; not while another thread calls.
void SetActiveTargetForTest(int64_t target) noexcept;

}  // namespace portacl
