// SPDX-License-Identifier: Apache-2.0
// Finds names as users type them: in upper or lower case, without the common prefix, misspelt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portacl::tool {

// The exactly equal candidate; otherwise all that differ from it only in case, or by a missing `prefix`.
std::vector<std::string> Matches(std::string_view name, const std::vector<std::string>& candidates,
                                 std::string_view prefix);

// " (did you mean 'aclnnLogit' or 'aclnnLogitGrad'?)": the nearest candidates, at most three, the best first. "" if
// none is similar, that is, if about a third of the letters would have to change. Ignores case and `prefix`.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates, std::string_view prefix = "");

}  // namespace portacl::tool
