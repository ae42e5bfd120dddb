// SPDX-License-Identifier: Apache-2.0
// What an operator promises of its results, in words: for `portacl ops`, headers and documents.
#pragma once

#include <string>

#include "exec/schema.h"

namespace portacl::tool {

// "ULP" or "epsilon"
const char* UnitText(const exec::ErrorBound& bound);

// "1.5 ULP (2.1 without fused multiply-add)"
std::string LimitText(const exec::ErrorBound& bound);
// "out", one of its parts, "result where reduction is 1 or 2"
std::string OutputText(const exec::ErrorBound& bound);

// What the operator promises of its results: "FLOAT 1.5 ULP (2.1 without fused multiply-add), FLOAT16 and BFLOAT16 1
// ULP". The headers say the same behind "Accuracy: ".
std::string AccuracyText(const exec::Schema& schema);

}  // namespace portacl::tool
