// SPDX-License-Identifier: Apache-2.0
// The promised errors of an operator as text: for `portacl ops`, headers and documents.
#pragma once

#include <string>

#include "exec/schema.h"

namespace portacl::tool {

// "ULP" or "epsilon"
const char* UnitText(const exec::ErrorBound& bound);

// "1.5 ULP (2.1 without fused multiply-add)"
std::string LimitText(const exec::ErrorBound& bound);
// "out", one of its parts, or "result where reduction is 1 or 2"
std::string OutputText(const exec::ErrorBound& bound);

// All promised errors: "FLOAT 1.5 ULP (2.1 without fused multiply-add), FLOAT16 and BFLOAT16 1
// ULP". The headers have the same text after "Accuracy: ".
std::string AccuracyText(const exec::Schema& schema);

}  // namespace portacl::tool
