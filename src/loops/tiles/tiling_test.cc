// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/tiling.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/tuning.h"

namespace portacl::loops {
namespace {

// One operand of single bytes at distinct addresses, so that an address identifies an element.
LoopNest NestOf(const std::vector<int64_t>& shape_inner_first, int64_t gap) {
  LoopNest nest;
  nest.operands = 1;
  nest.element_bytes[0] = 1;
  int64_t stride = 1;
  for (const int64_t size : shape_inner_first) {
    nest.strides[0][nest.rank] = stride;
    nest.shape[nest.rank++] = size;
    stride = stride * size + gap;
  }
  return nest;
}

TEST(CeilDivide, RoundsUpNumbersOfEitherSign) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (const int64_t b : {1, 2, 3, 7}) {
      const int64_t quotient = CeilDivide(a, b);
      EXPECT_TRUE(quotient * b >= a && (quotient - 1) * b < a) << a << " / " << b << " gave " << quotient;
    }
  }
}

// How often tiles visit each offset, if threads take `chunks` chunks at a time.
std::map<int64_t, int> Visits(const LoopNest& nest, const Tiling& tiling, int64_t chunks) {
  std::map<int64_t, int> visits;
  std::byte origin{};
  std::byte* const addresses[] = {&origin};
  for (int64_t chunk = 0; chunk < tiling.chunks; chunk += chunks) {
    const int64_t first = chunk * tiling.tiles_per_chunk;
    const int64_t end = std::min(first + chunks * tiling.tiles_per_chunk, tiling.tiles);
    TileWalk walk(nest, tiling, first);
    for (int64_t i = first; i < end;) {
      Tile tile;
      i += walk.Next(addresses, end - i, &tile);
      const TileOperand& operand = tile.operand[0];
      for (int64_t r = 0; r < tile.rows; ++r) {
        for (int64_t c = 0; c < tile.columns; ++c) {
          ++visits[operand.base - &origin + r * operand.row_stride + c * operand.column_stride];
        }
      }
    }
  }
  return visits;
}

TEST(Tiling, VisitsEveryElementOnce) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1}, {63}, {64}, {65}, {1000}, {7, 5}, {130, 9}, {3, 4, 5}, {2, 1, 2, 3, 2, 2, 2, 3}, {200, 3, 2, 2}};
  for (const auto& shape : shapes) {
    // The second kernel is so slow that a chunk has at most 64 elements, so all ways of cutting occur with small
    // shapes.
    for (const double ns : {0.1, 1e9}) {
      const LoopNest nest = NestOf(shape, 3);
      const Tiling tiling = MakeTiling(nest, ns);
      for (const int64_t chunks : {1, 2, 1000}) {
        const auto visits = Visits(nest, tiling, chunks);
        EXPECT_EQ(static_cast<int64_t>(visits.size()), nest.Elements());
        for (const auto& [offset, count] : visits) EXPECT_EQ(count, 1) << "offset " << offset;
      }
    }
  }
}

TEST(Tiling, KeepsSmallWorkInOneChunk) { EXPECT_EQ(MakeTiling(NestOf({1000, 40}, 0), 0.1).chunks, 1); }

TEST(Tiling, SharesALongRow) {
  const Tiling tiling = MakeTiling(NestOf({1 << 24}, 0), 0.01);
  EXPECT_EQ(tiling.chunks, 256);
  EXPECT_EQ(tiling.tile_columns % 64, 0);
}

TEST(Tiling, MakesSquareTilesWhereAnOperandIsTransposed) {
  LoopNest nest = NestOf({4096, 4096}, 0);
  nest.operands = 2;
  nest.element_bytes[1] = 4;
  nest.strides[1][0] = 4 * 4096;
  nest.strides[1][1] = 4;
  const Tiling tiling = MakeTiling(nest, 0.1);
  EXPECT_EQ(tiling.tile_columns, 64);
  EXPECT_EQ(tiling.tile_rows, 64);
}

TEST(Tiling, GathersManySmallTilesIntoOneChunk) {
  const Tiling tiling = MakeTiling(NestOf({3, 4, 1 << 20}, 1), 0.01);
  EXPECT_GT(tiling.tiles_per_chunk, 1000);
  EXPECT_GT(tiling.chunks, 10);
}

TEST(Tiling, CountsTheSlowerOfMemoryAndArithmetic) {
  const LoopNest nest = NestOf({25000}, 0);
  EXPECT_EQ(CostNs(nest, 0.001), static_cast<int64_t>(25000 / CurrentTuning().core_bytes_per_ns));
  EXPECT_EQ(CostNs(nest, 2), 50000);
}

TEST(Tiling, CountsNoBytesForABroadcastOperand) {
  LoopNest nest = NestOf({10}, 0);
  nest.operands = 2;
  nest.element_bytes[1] = 4;
  nest.strides[1][0] = 0;
  EXPECT_EQ(BytesPerElement(nest), 1);
}

}  // namespace
}  // namespace portacl::loops
