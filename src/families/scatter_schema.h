// SPDX-License-Identifier: Apache-2.0
// What schemas of operators share that write or combine elements where a tensor of indices says.
#pragma once

#include "families/movement.h"
#include "families/reduction_schema.h"

namespace portacl::families {

/// The accuracy of an output whose elements may be sums, products or means: floats are rounded once, the others exact.
consteval exec::Accuracy CombinedAccuracy(const char* out, exec::DtypeSet dtypes) {
  exec::Accuracy accuracy = AccuracyOf(out, dtypes & kFloats4, kGroupedSumErrors);
  if ((dtypes - kFloats4).empty()) return accuracy;
  accuracy.items[accuracy.count++] = exec::Exact(out, dtypes - kFloats4);
  return accuracy;
}

}  // namespace portacl::families
