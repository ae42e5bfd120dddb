// SPDX-License-Identifier: Apache-2.0
// What a schema says of an operator and its arguments: for `portacl ops`, for messages about arguments, and for the
// table of the READMEs.
#pragma once

#include <string>
#include <vector>

#include "base/product.h"
#include "exec/bind.h"

namespace portacl::tool {

// Throws UsageError with the nearest name.
const exec::OperatorEntry& FindOperator(const std::string& api);
std::vector<std::string> OperatorNames();
std::vector<std::string> ArgumentNames(const exec::Schema& schema);

// The dtypes that the first operand may have on a product: those of the first step about dtypes. Empty when no step
// limits them.
std::vector<std::string> DtypesOn(const exec::Schema& schema, Family family);

// "tensor", "list of tensors", "int64", ...
const char* KindText(exec::ValueKind kind);
// "in", "out", "in and out", "attribute"
const char* RoleText(exec::Role role);

}  // namespace portacl::tool
