// SPDX-License-Identifier: Apache-2.0
// Parses arguments that are not tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.h"
#include "exec/schema.h"

namespace portacl::tool {

// Throws UsageError that names the argument, what was expected and the text.
void ReadAttribute(const exec::Arg& arg, const std::string& text, calls::ArgumentSpec* spec);

// Parts between commas; empty for an empty text.
std::vector<std::string> SplitList(std::string_view text);

// Return false if the text is not a valid number.
bool ParseInteger(std::string_view text, int64_t* value);
bool ParseReal(const std::string& text, double* value);

// "a number", "numbers, such as 1,2.5": the values that ReadAttribute() accepts.
const char* ExpectedText(exec::ValueKind kind);

}  // namespace portacl::tool
