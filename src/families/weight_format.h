// SPDX-License-Identifier: Apache-2.0
// The format of the weights of matrix products.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"

namespace portacl::families {

/// Refuses private formats other than FRACTAL_NZ, and FRACTAL_NZ whose storage shape has blocks: aclnnTransMatmulWeight
/// changes the format alone, so the elements of its result are where shape and strides say.
aclnnStatus CheckWeightFormat(const exec::Arguments& arguments, const exec::Step& step);

consteval exec::Step WeightFormat(const char* weight) {
  exec::Step step =
      exec::Custom("the weight: no private format but FRACTAL_NZ, without blocks of storage", CheckWeightFormat);
  step.refs = {exec::Ref(weight)};
  return step;
}

}  // namespace portacl::families
