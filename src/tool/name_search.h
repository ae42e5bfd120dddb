// SPDX-License-Identifier: Apache-2.0
// Names as users type them: in any case, without the prefix of all, misspelt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portacl::tool {

// The candidate of that very name; otherwise all that differ from it in case alone, or lack only `prefix` in it.
std::vector<std::string> Matches(std::string_view name, const std::vector<std::string>& candidates,
                                 std::string_view prefix);

// " (did you mean 'aclnnLogit' or 'aclnnLogitGrad'?)": the nearest candidates, at most three, the best first. "" when
// none is near: about a third of the letters would have to change. Neither case nor `prefix` counts.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates, std::string_view prefix = "");

}  // namespace portacl::tool
