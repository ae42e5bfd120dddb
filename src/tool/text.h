// SPDX-License-Identifier: Apache-2.0
// How the commands print quantities and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "calls/call.h"

namespace portacl::tool {

using Json = nlohmann::ordered_json;  // keys in the order in which they are added

void Print(const Json& json);

// The text with control characters and invalid UTF-8 written as \xNN, so that text from files cannot control the
// terminal.
std::string Printable(std::string_view text);

std::string SecondsText(double seconds);                  // "12.3 us"
std::string BytesText(double bytes);                      // "1.5 MiB"
std::string TensorText(const calls::TensorSpec& tensor);  // "FLOAT16 [2,3]"

}  // namespace portacl::tool
