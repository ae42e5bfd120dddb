// SPDX-License-Identifier: Apache-2.0
// The text of a public header, from the schemas of its operators.
#pragma once

#include <string>
#include <vector>

#include "exec/schema.h"

namespace portacl {

// All of `schemas` name the same header, "aclnn_exp.h".
std::string HeaderText(const std::vector<const exec::Schema*>& schemas);

}  // namespace portacl
