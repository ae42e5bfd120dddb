// SPDX-License-Identifier: Apache-2.0
// The right answer of any operator whose room has a *_fuzz.h.
#pragma once

#include "testing/reference.h"

namespace portacl::testing {

// False when no room knows the operator.
bool ComputeReference(ReferenceCall& call);

}  // namespace portacl::testing
