// SPDX-License-Identifier: Apache-2.0
//
// Generates elements that depend on their position alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::moves {

struct Generator {
  /// Writes the elements [first, first + n) in row-major order to contiguous `elements`; `first` is a multiple of 4. If
  /// there is an input, `elements` holds its elements before, converted to `dtype`.
  void (*run)(int64_t first, int64_t n, const void* parameters, std::byte* elements);
  aclDataType dtype;  // of `elements`, which are then converted
  double ns_per_element = 1;
};

inline namespace v1 {

/// Plans out = the elements that `generator` gives for their positions and for the elements of an input, if there is
/// one, which is broadcast to `out` (numbers of PlanBuilder::Operand). Any strides.
inline constexpr int kNoInput = -1;
PORTACL_EXPORT void Generate(exec::PlanBuilder& plan, int out, const Generator& generator, const Parameters& parameters,
                             int in = kNoInput);

}  // namespace v1
}  // namespace portacl::loops::moves
