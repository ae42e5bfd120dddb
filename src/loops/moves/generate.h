// SPDX-License-Identifier: Apache-2.0
//
// Elements that follow from their number alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::moves {

struct Generator {
  /// Writes the elements [first, first + n) in row-major order, one after the other; `first` is a multiple of 4. Where
  /// there is an input, it finds the elements of that in their place, converted to `dtype`.
  void (*run)(int64_t first, int64_t n, const void* parameters, std::byte* elements);
  aclDataType dtype;  // of what it writes; then they are converted
  double ns_per_element = 1;
};

inline namespace v1 {

/// Plans out = the elements that `generator` gives for the numbers of its own, and for those of an input that is
/// broadcast to it (numbers of PlanBuilder::Operand). Any strides.
inline constexpr int kNoInput = -1;
PORTACL_EXPORT void Generate(exec::PlanBuilder& plan, int out, const Generator& generator, const Parameters& parameters,
                             int in = kNoInput);

}  // namespace v1
}  // namespace portacl::loops::moves
