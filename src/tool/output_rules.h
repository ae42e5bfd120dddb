// SPDX-License-Identifier: Apache-2.0
// Infers dtypes and shapes of outputs that the user does not specify, from the schema's steps and the inputs.
#pragma once

#include <map>
#include <vector>

#include "calls/call.h"

namespace portacl::tool {

// Describes every output of the call. `dtypes` and `shapes`, by argument, have precedence; in a list, the last shape is
// also that of the tensors behind. If the inputs are incompatible, an output gets the shape of the first input, and
// phase 1 reports the mistake. Throws UsageError for a shape that no step determines.
void DescribeOutputs(calls::Call& call, const std::map<int, aclDataType>& dtypes,
                     const std::map<int, std::vector<calls::Dims>>& shapes);

}  // namespace portacl::tool
