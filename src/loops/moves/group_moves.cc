// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "loops/moves/combine_blocks.h"
#include "loops/moves/place_bits.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// The bits in which places differ.
struct DifferingBits {
  DifferingBits(const Move* moves, int64_t n) {
    uint64_t differ = 0;
    for (int64_t i = 1; i < n; ++i) {
      differ |= moves[i].place ^ moves[0].place;
      is_sorted = is_sorted && moves[i - 1].place <= moves[i].place;
    }
    if (differ == 0) return;
    first = std::countr_zero(differ);
    count = static_cast<int>(std::bit_width(differ)) - first;
  }

  int first = 0;
  int count = 0;
  bool is_sorted = true;
};

Move* Sort(Move* moves, Move* others, int64_t n, const DifferingBits& bits) {
  constexpr int kFewMoves = 2048;
  const int most = n < kFewMoves ? 8 : 11;
  const int digits = static_cast<int>(CeilDivide(bits.count, most));
  for (int digit = 0; digit < digits; ++digit) {
    const int shift = bits.first + bits.count * digit / digits, end = bits.first + bits.count * (digit + 1) / digits;
    const uint64_t mask = (uint64_t{1} << (end - shift)) - 1;
    int64_t starts[1 << 11];
    std::fill_n(starts, mask + 1, 0);
    for (int64_t i = 0; i < n; ++i) ++starts[moves[i].place >> shift & mask];
    int64_t start = 0;
    for (uint64_t i = 0; i <= mask; ++i) start += std::exchange(starts[i], start);
    for (int64_t i = 0; i < n; ++i) others[starts[moves[i].place >> shift & mask]++] = moves[i];
    std::swap(moves, others);
  }
  return moves;
}

}  // namespace

Move* SortMoves(Move* moves, Move* others, int64_t n) {
  const DifferingBits bits(moves, n);
  return bits.is_sorted ? moves : Sort(moves, others, n, bits);
}

Move* GroupMoves(Move* moves, Move* others, int64_t n) {
  const DifferingBits bits(moves, n);
  if (bits.is_sorted) return moves;
  // More places for each move cost more than to sort.
  constexpr int kMostPlacesEach = 256;
  if (bits.count > static_cast<int>(std::bit_width(static_cast<uint64_t>(n) * kMostPlacesEach)))
    return Sort(moves, others, n, bits);
  const int64_t places = int64_t{1} << bits.count;
  const PoolMemory memory(PlaceBits::Words(places) * static_cast<int64_t>(sizeof(uint64_t)));
  PlaceBits named(memory.As<uint64_t>(), places);
  const auto place_of = [=, mask = static_cast<uint64_t>(places) - 1](const Move& move) {
    return move.place >> bits.first & mask;
  };
  int64_t repetitions = 0;
  for (int64_t i = 0; i < n; ++i) repetitions += named.Name(place_of(moves[i])) ? 1 : 0;
  if (repetitions == 0) return moves;
  if (repetitions > n / 4) return Sort(moves, others, n, bits);  // the first ones, too, are at most half of the moves
  int64_t kept = 0, repeated = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (named.IsRepeated(place_of(moves[i]))) {
      others[repeated++] = moves[i];
    } else {
      moves[kept++] = moves[i];
    }
  }
  const Move* const sorted = Sort(others, others + repeated, repeated, bits);
  std::copy_n(sorted, repeated, moves + kept);
  return moves;
}

}  // namespace portacl::loops::moves
