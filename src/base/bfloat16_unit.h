// SPDX-License-Identifier: Apache-2.0
// Which instructions multiply bfloat16. They are no target of their own: few kernels use them, all others would be
// compiled once more for nothing.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl {

/// Instructions that multiply bfloat16 and add float32: none, dot products of two terms (AVX512_BF16), matrix tiles
/// (AMX).
enum class Bfloat16Unit : uint8_t { kNone, kDots, kTiles };

inline namespace v1 {

/// The unit in use: the fastest one of the machine, none where ActiveTarget() is not its best or float32 is faster. The
/// first call asks the system for tiles, once for the process; where it refuses them, there are none.
PORTACL_EXPORT Bfloat16Unit ActiveBfloat16Unit() noexcept;

}  // namespace v1

/// No better unit than this is used from now on: this one, if the machine has a better one. Only for tests; not while
/// another thread calls.
void LimitBfloat16UnitForTest(Bfloat16Unit most) noexcept;

}  // namespace portacl
