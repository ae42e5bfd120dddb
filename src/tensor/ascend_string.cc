// SPDX-License-Identifier: Apache-2.0
// Members of the text of graphs, which clients bind by their mangled names: the code of libgraph.
#include "aclnn/opdev/ascend_string.h"

#include <string_view>

#define EXPORT __attribute__((visibility("default")))

namespace ge {

EXPORT AscendString::AscendString(const char* name) {
  if (name != nullptr) name_ = std::make_shared<std::string>(name);
}

EXPORT const char* AscendString::GetString() const { return name_ == nullptr ? "" : name_->c_str(); }

EXPORT bool AscendString::operator<(const AscendString& other) const {
  return std::string_view(GetString()) < std::string_view(other.GetString());
}

}  // namespace ge
