// SPDX-License-Identifier: Apache-2.0
// Another instruction set for the calls that follow, for programs that compare several.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl {

inline namespace v1 {

/// Calls planned from now on use `target`, one of UsableTargets(); 0: the ordinary choice. Not while another thread
/// calls.
PORTACL_EXPORT void SetActiveTarget(int64_t target) noexcept;

}  // namespace v1
}  // namespace portacl
