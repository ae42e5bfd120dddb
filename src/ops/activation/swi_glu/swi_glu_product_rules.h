// SPDX-License-Identifier: Apache-2.0
//
// What Ascend310P asks of the operands beyond what the words of a schema can say.
#pragma once

#include <fmt/format.h>

#include "base/dtype.h"
#include "exec/arguments.h"

namespace portacl::ops::swi_glu {

/// Its forward operator has no empty tensors.
inline aclnnStatus NotEmptyOn310P(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.product().family != Family::kAscend310P) return exec::kSuccess;
  const int x = arguments.schema().Find("x");
  for (const int64_t size : arguments.Tensor(x).dims()) {
    if (size == 0) return arguments.Refuse(step, x, "a tensor with elements on Ascend310P", "an empty one");
  }
  return exec::kSuccess;
}

/// It copies a half in one piece for each index in front of `dim`, and the pieces begin at multiples of 64 bytes.
inline aclnnStatus HalvesAlignedOn310P(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.product().family != Family::kAscend310P) return exec::kSuccess;
  constexpr int64_t kAlignment = 64;
  const int x = arguments.schema().Find("x");
  const View& view = arguments.Tensor(x);
  const int64_t dim = arguments.value(arguments.schema().Find("dim")).integer();
  int64_t bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  for (int64_t axis = dim < 0 ? dim + view.rank : dim; axis < view.rank; ++axis) bytes *= view.shape[axis];
  bytes /= 2;
  if (bytes % kAlignment == 0) return exec::kSuccess;
  return arguments.Refuse(step, x, "halves of a multiple of 64 bytes from axis dim on (Ascend310P)",
                          fmt::format("{} bytes", bytes));
}

}  // namespace portacl::ops::swi_glu
