// SPDX-License-Identifier: Apache-2.0
// Schemas as JSON: for `portacl ops --json`, and for bindings of other languages.
#pragma once

#include "exec/schema.h"
#include "tool/text.h"

namespace portacl::tool {

// `one_soc`: only the limits of the current SoC.
Json AsJson(const exec::Schema& schema, bool one_soc);

// All operators, with the limits of every SoC.
Json OperatorsAsJson();

}  // namespace portacl::tool
