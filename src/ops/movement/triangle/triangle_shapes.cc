// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate shapes of this room's operators to each other.
#include "ops/movement/triangle/triangle_spec.h"

namespace portacl::ops::triangle {

aclnnStatus IsNoVector(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.Tensor(0).rank != 1) return exec::kSuccess;
  return arguments.Refuse(step, 0, "rank 0, or a rank from 2 to 8", "rank 1");
}

}  // namespace portacl::ops::triangle
