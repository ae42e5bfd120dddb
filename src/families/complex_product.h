// SPDX-License-Identifier: Apache-2.0
//
// The product of complex elements along axes.
#pragma once

#include "loops/reductions/reduce_axes.h"

namespace portacl::families {

/// For elements of COMPLEX128. For zeros, infinities and NaN see families/complex.h.
loops::reductions::Reducer ComplexProduct();

}  // namespace portacl::families
