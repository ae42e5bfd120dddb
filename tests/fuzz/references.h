// SPDX-License-Identifier: Apache-2.0
// The right answer of any operator whose room has a *_fuzz.h.
#pragma once

#include "testing/reference.h"

namespace portacl::fuzz {

// False when no room knows the operator.
bool ComputeReference(testing::ReferenceCall& call);

}  // namespace portacl::fuzz
