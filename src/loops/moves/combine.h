// SPDX-License-Identifier: Apache-2.0
//
// How elements that meet at one destination are combined. Floats are added, multiplied and averaged in float64 and
// rounded once; DOUBLE keeps what each step loses. Integers wrap modulo 2^n. For BOOL, adding and max are `or`,
// multiplying and min are `and`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/moves/place_lanes.h"

namespace portacl::loops::moves {

enum class Combine : uint8_t { kReplace, kAdd, kMultiply, kMax, kMin, kMean };

/// What elements are multiplied with before they are added.
struct Factor {
  double real = 1;    // for floating dtypes
  int64_t whole = 1;  // for the others

  bool IsOne() const { return real == 1 && whole == 1; }
};

/// Elements of a row or column, `step` bytes apart.
struct ElementRun {
  std::byte* first;
  int64_t step;
  int64_t count;
};

/// Pairs of an index and a source element, as two nested loops. The index names one of the states.
struct IndexedElements {
  const std::byte* index = nullptr;
  const std::byte* source = nullptr;
  std::byte* states = nullptr;
  uint32_t* counts = nullptr;  // elements combined so far; null: they are not counted
  int64_t size[2] = {};        // outer loop, inner loop
  int64_t index_step[2] = {};
  int64_t source_step[2] = {};
  int64_t state_step[2] = {};  // in states, as the next
  int64_t named_step = 0;      // in states, or in bytes where elements are replaced
  int64_t limit = 0;
  int64_t from_end = 0;  // added to negative indices
  bool is_wide = false;
  PlacesFunction narrow = nullptr;  // for indices without gaps
  bool includes_first = true;       // the state is a term; otherwise the first element replaces it
  Factor factor = {};
};

/// Source elements next to each other, and the numbers of the states to which they go.
struct ElementsAtStates {
  const uint32_t* places = nullptr;
  const std::byte* elements = nullptr;
  int64_t n = 0;
  std::byte* states = nullptr;
  uint32_t* counts = nullptr;  // as above
  bool includes_first = true;
  Factor factor = {};
};

/// An element at `source` that goes to `place`, both byte offsets.
struct Move {
  uint64_t place;
  uint64_t source;
};

/// A sequence of such moves, sorted by place.
struct Moves {
  const Move* begin;
  const Move* end;
  const std::byte* source;
  std::byte* out;
  bool includes_first;
  Factor factor;
};

/// Functions for a dtype and a way to combine. A state is the memory of one destination.
struct Combiner {
  int64_t state_bytes;
  void (*start)(const ElementRun& from, std::byte* states);
  void (*add)(const ElementRun& from, const Factor& factor, std::byte* states);
  void (*divide)(int64_t by, int64_t n, std::byte* states);  // null unless means are taken
  void (*store)(const std::byte* states, const ElementRun& to);
  bool (*scatter)(const IndexedElements& elements);  // returns false if an index names nothing
  void (*place)(const ElementsAtStates& elements);
  void (*gather)(const Moves& moves);  // combines single elements
};

/// The functions for a real dtype; `combine` is not kReplace.
const Combiner& CombinerOf(aclDataType dtype, Combine combine);

}  // namespace portacl::loops::moves
