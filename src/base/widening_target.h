// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl {
inline namespace v1 {

/// The target of loops that mainly widen values: the target in use, but AVX2 where AVX-512 is executed in halves
/// (base/tuning.h), unless PORTACL_TARGET names one.
PORTACL_EXPORT int64_t WideningTarget() noexcept;

}  // namespace v1
}  // namespace portacl
