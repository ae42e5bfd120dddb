// SPDX-License-Identifier: Apache-2.0
// The text of public headers, and of the functions that they declare, from the rows of operators.
#pragma once

#include <string>
#include <vector>

#include "exec/schema.h"

namespace portacl {

// All `schemas` have the same header, for example "aclnn_exp.h".
std::string HeaderText(const std::vector<const exec::Schema*>& schemas);

// The C functions of a room in `folder`, for example "pointwise/unary", and its Operators(). The function Plan<Name>
// plans the row k<Name>.
std::string FunctionText(const std::string& folder, const std::vector<const exec::Schema*>& rows);

}  // namespace portacl
