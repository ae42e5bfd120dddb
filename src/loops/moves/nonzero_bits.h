// SPDX-License-Identifier: Apache-2.0
//
// Which elements of an operand are not zero: one bit each, and how many there are before each block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/moves/compact_lanes.h"
#include "loops/moves/sequence.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {

/// The operand that is tested. NaN is not zero, -0 is.
struct Tested {
  Tested() = default;
  /// The operand is broadcast to `shape`.
  Tested(const exec::PlanBuilder& plan, int number, std::span<const int64_t> shape);

  int operand = 0;
  Sequence elements;
  uint64_t significant = 0;  // bits of an element, without the sign of floats
};

/// Found in a run, in several threads.
class NonzeroBits {
 public:
  static constexpr int64_t kBlock = 16 << 10;
  static constexpr int64_t kPiece = 2 << 10;  // fits on the stack

  /// Throws std::bad_alloc.
  NonzeroBits(const Tested& tested, const exec::RunContext& context);

  int64_t count() const { return count_; }
  int64_t blocks() const { return blocks_; }

  /// Calls f(piece, scratch) for every piece with bits that are set, in several threads unless `is_serial`. A thread has
  /// `scratch_bytes` of scratch.
  struct Piece {
    const uint8_t* bits = nullptr;
    int64_t begin = 0;   // number of the first element
    int64_t size = 0;    // elements
    int64_t before = 0;  // bits that are set before this piece
    int64_t count = 0;   // bits that are set in it
  };
  template <class F>
  void ForEachPiece(bool is_serial, int64_t scratch_bytes, const F& f) const {
    ForEachChunk({.count = blocks_, .is_serial = is_serial, .scratch_bytes = scratch_bytes},
                 [&](int64_t block, std::byte* scratch) {
                   Piece piece{.before = before_.As<int64_t>()[block]};
                   const int64_t end = std::min(elements_, (block + 1) * kBlock);
                   for (piece.begin = block * kBlock; piece.begin < end; piece.begin += kPiece) {
                     piece.size = std::min(kPiece, end - piece.begin);
                     piece.bits = bits_.As<uint8_t>() + piece.begin / 8;
                     piece.count = lanes_.count(piece.bits, kPiece);
                     if (piece.count != 0) f(piece, scratch);
                     piece.before += piece.count;
                   }
                 });
  }

  /// The numbers of the elements, relative to the first of the piece; `positions` has room for kPiece + kPositionsSlack.
  void Positions(const Piece& piece, uint32_t* positions) const { lanes_.positions(piece.bits, kPiece, positions); }

 private:
  CompactLanes lanes_;
  int64_t elements_;
  int64_t blocks_;
  int64_t count_ = 0;
  PoolMemory bits_;
  PoolMemory before_;
};

}  // namespace portacl::loops::moves
