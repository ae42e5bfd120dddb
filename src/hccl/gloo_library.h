// SPDX-License-Identifier: Apache-2.0
// Opens libportacl_gloo.so, which lies beside the library that contains this code, when it is first used.
#pragma once

#include <string>

#include "hccl/gloo_table.h"

namespace portacl::hccl {

/// Returns NULL, and the reason in `why`, when the library is missing or cannot be opened.
const GlooTable* OpenGloo(std::string* why);

}  // namespace portacl::hccl
