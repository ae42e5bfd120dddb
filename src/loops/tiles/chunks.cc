// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/chunks.h"

#include "tensor/view.h"

namespace portacl::loops {

inline namespace v1 {

bool MustBeSerial(const exec::PlanBuilder& builder, int output) {
  return MayOverlapItself(builder.OperandView(output));
}

}  // namespace v1
}  // namespace portacl::loops
