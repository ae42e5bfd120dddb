// SPDX-License-Identifier: Apache-2.0
// The list of operators, from which the tool, the whole-library tests and the fuzzers learn what this build contains.
#pragma once

#include <span>
#include <string_view>

#include "base/visibility.h"

namespace portacl {
namespace exec {
struct OperatorEntry;
}

inline namespace v1 {

// Every operator, whatever its library in CANN, room by room in the order of their folders. The entries live as long as
// the process.
PORTACL_EXPORT std::span<const exec::OperatorEntry* const> Operators();

// The folder of its room, "loss/logit"; empty for an entry that Operators() does not hold.
PORTACL_EXPORT std::string_view RoomOf(const exec::OperatorEntry& entry);

}  // namespace v1
}  // namespace portacl
