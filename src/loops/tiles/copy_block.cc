// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/copy_block.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/target.h"
#include "loops/elements/stride_lanes.h"
#include "simd/strided_copy.h"

namespace portacl::loops {
namespace {

// Always inlined: GCC removes calls of a function that only prefetches.
[[gnu::always_inline]] inline void Fetch(const TileOperand& block, int64_t rows, int64_t columns, int64_t slice,
                                         int64_t slices) {
  const bool transposed = block.row_stride < block.column_stride;
  const int64_t runs = transposed ? columns : rows;
  const int64_t stride = transposed ? block.column_stride : block.row_stride;
  const int64_t bytes = transposed ? rows * block.row_stride : columns * block.column_stride;
  for (int64_t run = runs * slice / slices; run < runs * (slice + 1) / slices; ++run) {
    for (int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(block.base + run * stride + at, 0, 2);
  }
}

// The functions of a target for elements of 1, 2, 4 and 8 bytes, by their stride.
struct StrideMoves {
  void Set(int64_t target) {
    for (int64_t size = 0; size < 4; ++size) {
      for (int64_t stride = 2; stride <= kMostLaneStride; ++stride) {
        gather[size][stride] = GatherLanes(1 << size, stride, target);
        scatter[size][stride] = ScatterLanes(1 << size, stride, target);
      }
    }
  }
  MoveFunction gather[4][kMostLaneStride + 1] = {};
  MoveFunction scatter[4][kMostLaneStride + 1] = {};
};

const StrideMoves& MovesOf(int64_t target) {
  constexpr size_t kMostTargets = 8;
  static const auto moves = [] {
    std::array<StrideMoves, kMostTargets> of_targets;
    for (size_t i = 0; i < UsableTargets().size(); ++i) of_targets[i].Set(UsableTargets()[i]);
    return of_targets;
  }();
  return moves[static_cast<size_t>(std::ranges::find(UsableTargets(), target) - UsableTargets().begin())];
}

// Null unless one side is contiguous, and elements of the other are a few elements apart.
MoveFunction FindMove(int64_t bytes, int64_t from_stride, int64_t to_stride) {
  const int64_t apart = from_stride + to_stride - bytes;
  if (apart <= bytes || apart > kMostLaneStride * bytes || (from_stride != bytes && to_stride != bytes)) return nullptr;
  if (bytes > 8 || !std::has_single_bit(static_cast<uint64_t>(bytes)) || apart % bytes != 0) return nullptr;
  const StrideMoves& moves = MovesOf(ActiveTarget());
  const auto& functions = to_stride == bytes ? moves.gather : moves.scatter;
  return functions[std::countr_zero(static_cast<uint64_t>(bytes))][apart / bytes];
}

}  // namespace

void CopyBlock(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to) {
  // The stride of a single row, often 0, has no meaning: with it, the loop over columns would wrongly become the outer
  // one.
  const int64_t to_row_stride = rows == 1 ? to.column_stride : to.row_stride;
  const int64_t from_row_stride = rows == 1 ? from.column_stride : from.row_stride;
  if (columns >= kShortRow && (rows == 1 || (!IsTransposed(from) && !IsTransposed(to)))) {
    if (const MoveFunction move = FindMove(bytes, from.column_stride, to.column_stride)) {
      for (int64_t r = 0; r < rows; ++r) move(from.base + r * from.row_stride, to.base + r * to.row_stride, columns);
      return;
    }
  }
  simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, to.base, to_row_stride, to.column_stride, from.base,
                    from_row_stride, from.column_stride);
}

void CopyTransposedBlock(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to,
                         int64_t slices, std::span<const TileOperand> next) {
  const int64_t step = (columns + slices - 1) / slices;
  for (int64_t slice = 0; slice < slices; ++slice) {
    const int64_t first = std::min(columns, slice * step);
    CopyBlock(bytes, rows, std::min(columns - first, step), BlockAt(from, 0, first), BlockAt(to, 0, first));
    for (const TileOperand& block : next) Fetch(block, rows, columns, slice, slices);
  }
}

}  // namespace portacl::loops
