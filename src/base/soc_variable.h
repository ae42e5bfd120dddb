// SPDX-License-Identifier: Apache-2.0
// The report of an environment variable that names no known SoC.
#pragma once

#include "base/environment.h"

namespace portacl {

/// Calls RejectVariable(), and prints one line on the error stream: with a misspelt name the user would test another
/// card without noticing. `outcome`: "Ascend910B1 is imitated".
void RejectSoc(Variable variable, const char* outcome) noexcept;

}  // namespace portacl
