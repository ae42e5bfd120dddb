// SPDX-License-Identifier: Apache-2.0
// The value of an argument that is no tensor, from its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.h"
#include "exec/schema.h"

namespace portacl::tool {

// Throws UsageError that names the argument, what was expected and what came.
void ReadAttribute(const exec::Arg& arg, const std::string& text, calls::ArgumentSpec* spec);

// Parts between commas; none for an empty text.
std::vector<std::string> SplitList(std::string_view text);

// False when the text is no such number.
bool ParseInteger(std::string_view text, int64_t* value);
bool ParseReal(const std::string& text, double* value);

// "a number", "numbers, such as 1,2.5": what ReadAttribute() takes.
const char* ExpectedText(exec::ValueKind kind);

}  // namespace portacl::tool
