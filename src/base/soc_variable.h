// SPDX-License-Identifier: Apache-2.0
// What is said of an environment variable that names SoCs in vain.
#pragma once

#include "base/environment.h"

namespace portacl {

/// RejectVariable(), and one line on the error stream: whoever names a card in vain would test another one unawares.
/// `outcome`: "Ascend910B1 is imitated".
void RejectSoc(Variable variable, const char* outcome) noexcept;

}  // namespace portacl
