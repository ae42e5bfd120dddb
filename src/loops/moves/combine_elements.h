// SPDX-License-Identifier: Apache-2.0
//
// Single elements go anywhere in a contiguous output: those that go to one place are combined in their order, or the
// last of them stays. There are three ways: through a state for each element of the output, through states for one span
// of it at a time, or, where few of many elements are named, one by one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/moves/combine.h"
#include "loops/moves/combine_lanes.h"
#include "loops/moves/placed_elements.h"

namespace portacl::loops::moves {

/// The output, and how what is there is combined with what comes.
struct CombinedElements {
  const Combiner* combiner;  // null: elements are replaced
  RowLanes lanes;
  Combine combine;
  bool includes_self;
  Factor factor;
  aclDataType dtype;
  int64_t bytes;            // per element
  int64_t elements;         // of the output, at most kMostPlaces
  const std::byte* before;  // what the output begins with; may be the output
  std::byte* out;

  /// Whether lanes may add two elements.
  bool AddsPlainly() const { return combine == Combine::kAdd && includes_self && factor.IsOne(); }
};

/// Whether it is worth a state for each of the elements to combine as many positions.
inline bool NamesMany(int64_t positions, int64_t elements) {
  constexpr int64_t kMostStates = 16;
  return elements / kMostStates <= positions;
}

/// Combines in one thread. Throws std::bad_alloc, as the others do.
void CombineInAll(const CombinedElements& of, const PlacedElements& placed);
/// Combines or replaces; what goes to a span is one thread's work.
void CombineInSpans(const CombinedElements& of, const PlacedElements& placed);
void ReplaceInSpans(const CombinedElements& of, const PlacedElements& placed);
/// Combines in time that follows the number of placed elements alone, if the output begins with what it has.
void CombineOneByOne(const CombinedElements& of, const PlacedElements& placed);

}  // namespace portacl::loops::moves
