// SPDX-License-Identifier: Apache-2.0
// The report of an environment variable that names no known SoC.
#pragma once

#include "base/environment.h"

namespace portacl {

/// RejectVariable(), and one line on the error stream: a misspelt name would let the user test another card unawares.
/// `outcome`: "Ascend910B1 is imitated".
void RejectSoc(Variable variable, const char* outcome) noexcept;

}  // namespace portacl
