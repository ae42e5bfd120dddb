// SPDX-License-Identifier: Apache-2.0
//
// Checks of shapes and scalars of this room's operators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/dtype.h"
#include "ops/product/addmm/addmm_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::addmm {
namespace {

aclnnStatus CheckReal(const exec::Arguments& arguments, const exec::Step& step, const char* name) {
  const int arg = arguments.schema().Find(name);
  const aclDataType dtype = arguments.value(arg).As<const aclScalar*>()->dtype;
  if (kAll.Holds(dtype) && !kComplex.Holds(dtype)) return exec::kSuccess;
  return arguments.Refuse(step, arg, "a real number", dtype);
}

}  // namespace

aclnnStatus CheckRealBeta(const exec::Arguments& arguments, const exec::Step& step) {
  return CheckReal(arguments, step, "beta");
}

aclnnStatus CheckRealAlpha(const exec::Arguments& arguments, const exec::Step& step) {
  return CheckReal(arguments, step, "alpha");
}

aclnnStatus CheckBatches(const exec::Arguments& arguments, const exec::Step& step) {
  const View &first = arguments.Tensor(1), &second = arguments.Tensor(2);
  if (first.shape[0] == second.shape[0]) return exec::kSuccess;
  return arguments.Refuse(step, 2, fmt::format("a batch of {} (that of 'batch1')", first.shape[0]),
                          fmt::format("[{}]", fmt::join(second.dims(), ",")));
}

bool SummedShape(const exec::Arguments& arguments, Shape* shape) {
  Shape batch;
  if (!ProductShape(arguments, &batch) || batch.rank != 3) return false;
  SetShape(batch.span().subspan(1), shape);
  return true;
}

}  // namespace portacl::ops::addmm
