// SPDX-License-Identifier: Apache-2.0
// The step of operators whose output has the dtype of the input, or, for complex inputs, the dtype of its parts.
#pragma once

#include "base/dtype.h"
#include "exec/arguments.h"
#include "exec/schema.h"

namespace portacl::families {

constexpr aclDataType PartDtype(aclDataType dtype) {
  return dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}

/// Checks that `out` has the dtype of `self` or of its parts.
inline aclnnStatus CheckPart(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType self = arguments.Tensor(arguments.schema().Find("self")).dtype;
  const int out = arguments.schema().Find("out");
  const aclDataType dtype = arguments.Tensor(out).dtype;
  if (dtype == PartDtype(self)) return exec::kSuccess;
  return arguments.Refuse(step, out, DtypeName(PartDtype(self)), dtype);
}

}  // namespace portacl::families
