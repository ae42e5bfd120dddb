// SPDX-License-Identifier: Apache-2.0
// Which operators have the same signature: the operators of a family differ by a formula, and whatever does not depend
// on it is tested with one of them.
#pragma once

#include <span>
#include <vector>

#include "exec/bind.h"

namespace portacl::calls {

// The same kinds and roles of arguments, in the same order, and the same rules for shapes.
bool HaveSameSignature(const exec::Schema& a, const exec::Schema& b);

// The first operator of each signature, in the given order.
std::vector<const exec::OperatorEntry*> OneOfEachSignature(std::span<const exec::OperatorEntry* const> entries);

}  // namespace portacl::calls
