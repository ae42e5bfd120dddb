// SPDX-License-Identifier: Apache-2.0
// libportacl_gloo.so, which stands beside the library that this is in and is opened when it is first asked for.
#pragma once

#include <string>

#include "hccl/gloo_table.h"

namespace portacl::hccl {

/// NULL: there is none, or it cannot be opened, and why.
const GlooTable* OpenGloo(std::string* why);

}  // namespace portacl::hccl
