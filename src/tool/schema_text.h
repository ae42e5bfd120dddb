// SPDX-License-Identifier: Apache-2.0
// Operators by name, and the parts of their schemas as text: for `portacl ops`, messages, and the table of the READMEs.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/soc.h"
#include "exec/bind.h"

namespace portacl::tool {

// "aclnnSoftmax", "Softmax" or "softmax". Throws UsageError with the nearest names.
const exec::OperatorEntry& FindOperator(const std::string& name);
// A family ("loss") or a room of one ("loss/logit").
bool IsFamily(const std::string& name);
// One operator, or those of a family; all if the name is empty.
std::vector<const exec::OperatorEntry*> FindOperators(const std::string& name);
std::vector<std::string> OperatorNames();
// The folder of the operator's family: "loss".
std::string_view FamilyOf(const exec::OperatorEntry& entry);
std::vector<std::string> ArgumentNames(const exec::Schema& schema);

// The dtypes that the first operand may have on a SoC: those of the first step about dtypes. Empty when no step limits
// them.
std::vector<std::string> DtypesOn(const exec::Schema& schema, SocFamily family);

// The documentation page of the operator; by default the one of its name.
inline std::string SourceText(const exec::Schema& schema) {
  if (*schema.source != '\0') return schema.source;
  return fmt::format("{} page of the CANN operator documentation", schema.api);
}

// "tensor", "list of tensors", "int64", ...
const char* KindText(exec::ValueKind kind);
// "in", "out", "in and out", "attribute"
const char* RoleText(exec::Role role);

}  // namespace portacl::tool
