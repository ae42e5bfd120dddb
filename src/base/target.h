// SPDX-License-Identifier: Apache-2.0
// The instruction set the kernels use: one of Highway's target bits (HWY_AVX3, HWY_SVE, ...). A smaller bit is a better
// target.
#pragma once

#include <hwy/detect_targets.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "base/visibility.h"

namespace portacl {

inline namespace v1 {

/// The target in use: the best one that this machine has and our lane files are compiled for, or the one PORTACL_TARGET
/// names (read once, at the first call).
PORTACL_EXPORT int64_t ActiveTarget() noexcept;

/// Changes whenever ActiveTarget() or CurrentSoc() may change, which they do in tests only: to find that neither
/// has changed takes one load instead of two calls.
PORTACL_EXPORT extern std::atomic<uint64_t> settings_version;

/// The instruction set for which alone this toolkit was built (PORTACL_NATIVE) and which this machine lacks; nullptr:
/// everything runs here.
PORTACL_EXPORT const char* MissingTarget() noexcept;

/// "AVX3", "SSE4", ...: the names PORTACL_TARGET takes.
PORTACL_EXPORT const char* TargetName(int64_t target) noexcept;

/// All targets this machine has and our lane files are compiled for, best first; never empty.
PORTACL_EXPORT std::span<const int64_t> UsableTargets() noexcept;

}  // namespace v1

/// Whether the lane code of a target rounds a * b + c once (HWY_NATIVE_FMA).
constexpr bool HasFusedMultiplyAdd(int64_t target) noexcept {
  return (target & (HWY_SSSE3 | HWY_SSE4 | HWY_EMU128 | HWY_SCALAR)) == 0;
}

/// Kernels resolved from now on use `target`, 0: the ordinary choice. Only for tests; not while another thread calls.
void SetActiveTargetForTest(int64_t target) noexcept;

}  // namespace portacl
