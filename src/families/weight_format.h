// SPDX-License-Identifier: Apache-2.0
// The format of the weights of matrix products.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"

namespace portacl::families {

/// Refuses private formats but FRACTAL_NZ, and, of that, storage that is said to be made of blocks: the elements of a
/// tensor whose format aclnnTransMatmulWeight has changed lie where its shape and strides say.
aclnnStatus CheckWeightFormat(const exec::Arguments& arguments, const exec::Step& step);

consteval exec::Step WeightFormat(const char* weight) {
  exec::Step step =
      exec::Custom("the weight: no private format but FRACTAL_NZ, without blocks of storage", CheckWeightFormat);
  step.refs = {exec::Ref(weight)};
  return step;
}

}  // namespace portacl::families
