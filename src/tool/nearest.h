// SPDX-License-Identifier: Apache-2.0
// The name that a misspelt one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portacl::tool {

// " (did you mean 'aclnnLogitGrad'?)", or "" when no candidate is near: more than about a third of the letters would
// have to change. Case does not count.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace portacl::tool
