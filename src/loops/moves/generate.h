// SPDX-License-Identifier: Apache-2.0
//
// Generates elements that depend on their position, and on the elements of inputs at this position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/moves/stream.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::moves {

/// Elements in row-major order; blocks begin at multiples of kGeneratedBlock.
inline constexpr int64_t kGeneratedBlock = 1024;
struct GeneratedBlock {
  int64_t first;
  int64_t n;
  Stream stream;            // of the call
  std::byte* elements;      // to write; before, those of the first input, if there is one, converted to the same dtype
  const std::byte* second;  // those of the second input
  const uint8_t* bits;      // bit i % 8 of byte i / 8 is that of element first + i; at least 8 bytes follow
  int64_t refused = -1;     // set to the place of an element of the first input that is no valid number
};

struct Generator {
  void (*run)(GeneratedBlock& block, const void* parameters);
  aclDataType dtype;  // of the elements, which are then converted
  double ns_per_element = 1;
  const char* valid = nullptr;  // for the message where one is refused: "argument 'prob': expected elements from ..."
};

/// Numbers of PlanBuilder::Operand. The first two are broadcast to the output. `bits` has eight elements in a byte; it
/// may be an output, and must not share memory with `out`.
struct Inputs {
  int first = kNoInput;
  int second = kNoInput;
  int bits = kNoInput;
};

inline constexpr int64_t kAllElements = -1;
struct Generation {
  int out;
  Generator generator;
  Parameters parameters = {};
  Inputs inputs = {};
  int64_t count = kAllElements;  // only the first elements, in row-major order, are written
};

inline namespace v1 {

/// Plans out = the elements that the generator gives. Any strides.
PORTACL_EXPORT void Generate(exec::PlanBuilder& plan, const Generation& generation);

/// Plans `first`, and then `second`, which may read what the first has written.
PORTACL_EXPORT void GenerateBoth(exec::PlanBuilder& plan, const Generation& first, const Generation& second);

}  // namespace v1
}  // namespace portacl::loops::moves
