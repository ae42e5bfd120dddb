// SPDX-License-Identifier: Apache-2.0
// The right answer of any operator whose room has a *_fuzz.h.
#pragma once

#include "testing/reference.h"

namespace portacl::testing {

// Gives a call what only its room knows, see reference.h.
void CompleteCall(Call& call, Random* random, int64_t elements);

// False when no room knows the operator.
bool ComputeReference(ReferenceCall& call);

}  // namespace portacl::testing
