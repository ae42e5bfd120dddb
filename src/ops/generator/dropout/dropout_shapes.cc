// SPDX-License-Identifier: Apache-2.0
//
// Checks of attributes, and of the sizes of masks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/generator/dropout/dropout_spec.h"

namespace portacl::ops::dropout {
namespace {

int64_t ElementsOf(const View& view) {
  int64_t count = 0;
  CountElements(view.dims(), &count);
  return count;
}

// The bytes that a mask needs. False when int64 cannot hold the number of its bits.
bool CountBytes(const exec::Arguments& arguments, int64_t* bytes) {
  const int shape = arguments.schema().Find("shape");
  int64_t count = 0;
  if (shape < 0) count = ElementsOf(arguments.Tensor(0));
  if (shape >= 0 && !CountElements(arguments.Ints(shape), &count)) return false;
  *bytes = shape < 0 ? count / 8 + (count % 8 != 0 ? 1 : 0) : MaskBytes(count);
  return true;
}

}  // namespace

aclnnStatus CheckProbability(const exec::Arguments& arguments, const exec::Step& step) {
  const int prob = std::max(arguments.schema().Find("p"), arguments.schema().Find("prob"));
  const double value = arguments.value(prob).real();
  if (value >= 0 && value <= 1) return exec::kSuccess;
  return arguments.Refuse(step, prob, "a number from 0 to 1", fmt::format("{}", value));
}

aclnnStatus CheckScale(const exec::Arguments& arguments, const exec::Step& step) {
  const int scale = arguments.schema().Find("scale");
  const double value = arguments.value(scale).real();
  if (value == 0 || value >= 1) return exec::kSuccess;
  return arguments.Refuse(step, scale, "0, or a number from 1 on", fmt::format("{}", value));
}

aclnnStatus CheckCount(const exec::Arguments& arguments, const exec::Step& step) {
  const int shape = arguments.schema().Find("shape");
  int64_t bytes = 0;
  if (CountBytes(arguments, &bytes)) return exec::kSuccess;
  return arguments.Refuse(step, shape, "sizes whose product is a number of elements",
                          fmt::format("[{}]", fmt::join(arguments.Ints(shape), ",")));
}

aclnnStatus CheckMask(const exec::Arguments& arguments, const exec::Step& step) {
  int64_t bytes = 0;
  CountBytes(arguments, &bytes);
  const int mask = step.target.index;
  const int64_t found = ElementsOf(arguments.Tensor(mask));
  if (found >= bytes) return exec::kSuccess;
  return arguments.Refuse(step, mask, fmt::format("at least {} elements", bytes), fmt::format("{}", found));
}

bool MaskShape(const exec::Arguments& arguments, Shape* shape) {
  shape->rank = 1;
  return CountBytes(arguments, &shape->dims[0]);
}

}  // namespace portacl::ops::dropout
