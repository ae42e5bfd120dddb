// SPDX-License-Identifier: Apache-2.0
// What a schema says, in words: for `portacl ops`, for messages about arguments, and for the table of the READMEs.
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

std::vector<std::string> NamesIn(const exec::DtypeSet& dtypes);

// The dtypes that the first operand may have on a product: those of the first step about dtypes. Empty when no step
// limits them.
std::vector<std::string> DtypesOn(const exec::Schema& schema, Family family);

// "tensor", "list of tensors", "int64", ...
const char* KindText(exec::ValueKind kind);
// "in", "out", "in and out", "attribute"
const char* RoleText(exec::Role role);

// One check: "x, dy, out: dtype FLOAT, FLOAT16 or BFLOAT16".
std::string StepText(const exec::Schema& schema, const exec::Step& step, Family family);

}  // namespace portacl::tool
