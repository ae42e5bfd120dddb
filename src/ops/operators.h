// SPDX-License-Identifier: Apache-2.0
// The list of operators: what the tool, the whole-library tests and the fuzzers read to learn what this build holds.
#pragma once

#include <span>

#include "base/visibility.h"

namespace portacl {
namespace exec {
struct OperatorEntry;
}

inline namespace v1 {

// Every operator, whichever library CANN has it in, room by room in the order of their folders. The entries live as
// long as the process.
PORTACL_EXPORT std::span<const exec::OperatorEntry* const> Operators();

}  // namespace v1
}  // namespace portacl
