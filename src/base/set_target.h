// SPDX-License-Identifier: Apache-2.0
// Changes the instruction set for later calls, for programs that compare several.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl {

inline namespace v1 {

/// Calls planned from now on use `target`, one of UsableTargets(); 0: the default choice. Must not be called while
/// another thread calls the library.
PORTACL_EXPORT void SetActiveTarget(int64_t target) noexcept;

}  // namespace v1
}  // namespace portacl
