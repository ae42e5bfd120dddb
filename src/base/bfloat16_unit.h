// SPDX-License-Identifier: Apache-2.0
// The instructions that multiply bfloat16. They do not form targets of their own: only few kernels use them, and all
// other kernels would be compiled once more without any benefit.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl {

/// Instructions that multiply bfloat16 and add float32: none, dot products of two terms (AVX512_BF16), matrix tiles
/// (AMX).
enum class Bfloat16Unit : uint8_t { kNone, kDots, kTiles };

inline namespace v1 {

/// The unit in use: the fastest one of the machine. kNone where ActiveTarget() is not the machine's best target, or
/// where float32 is faster. The first call requests tiles from the system, once for the process; if it refuses, tiles
/// are not used.
PORTACL_EXPORT Bfloat16Unit ActiveBfloat16Unit() noexcept;

}  // namespace v1

/// From now on no better unit than this one is used. Only for tests; not while another thread calls.
void LimitBfloat16UnitForTest(Bfloat16Unit most) noexcept;

}  // namespace portacl
