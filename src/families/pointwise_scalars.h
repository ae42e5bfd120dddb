// SPDX-License-Identifier: Apache-2.0
// The scalars of a call as parameters of lane code.
#pragma once

#include <complex>
#include <cstddef>

#include "families/pointwise.h"

namespace portacl::families {

/// A buffer for scalars of any dtype.
struct ScalarBlock {
  alignas(16) std::byte bytes[sizeof(Scalars<std::complex<double>>)] = {};
};

/// The scalars rounded to FLOAT; of a list of scalars, the one with this number.
Scalars<float> ReadSingles(const exec::PlanBuilder& plan, const ScalarChange& change, size_t element = 0);

/// The scalars in the computed `dtype`. With `single`, real scalars are rounded to FLOAT first.
ScalarBlock ScalarsFor(const exec::PlanBuilder& plan, aclDataType dtype, bool single, const ScalarChange& change,
                       size_t element = 0);

/// Plans the formula for each tensor of the lists of a call, whose tensors all have the same dtype.
void PlanPointwiseOfLists(exec::PlanBuilder& plan, KernelFinder find, const ScalarChange& change);

/// The dtype to try next if a formula has no kernel for `dtype`; ACL_DT_UNDEFINED if there is none.
aclDataType NextWider(aclDataType dtype);

}  // namespace portacl::families
