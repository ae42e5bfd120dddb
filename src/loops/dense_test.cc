// SPDX-License-Identifier: Apache-2.0
//
// RunTile with a kernel that only knows contiguous rows, over operands of any strides.
#include "loops/dense.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace portacl::loops {
namespace {

int calls;

// out = 2 a + b with a in int16, b and out in int32, as lane code would see it.
void Kernel(const Tile& tile) {
  ++calls;
  ASSERT_EQ(tile.operand[0].column_stride, 2);
  ASSERT_EQ(tile.operand[1].column_stride, 4);
  ASSERT_EQ(tile.operand[2].column_stride, 4);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const int16_t* a = tile.Row<int16_t>(0, row);
    const int32_t* b = tile.Row<int32_t>(1, row);
    int32_t* out = tile.Row<int32_t>(2, row);
    for (int64_t i = 0; i < tile.columns; ++i) out[i] = 2 * a[i] + b[i];
  }
}

struct Strides {
  int64_t row;  // in elements
  int64_t column;
};

class DenseTile : public ::testing::Test {
 protected:
  void Run(int64_t rows, int64_t columns, Strides a, Strides b, Strides out) {
    std::vector<int16_t> a_data(Extent(rows, columns, a));
    std::vector<int32_t> b_data(Extent(rows, columns, b));
    std::vector<int32_t> out_data(Extent(rows, columns, out), -1);
    for (size_t i = 0; i < a_data.size(); ++i) a_data[i] = static_cast<int16_t>(i * 7 % 1000);
    for (size_t i = 0; i < b_data.size(); ++i) b_data[i] = static_cast<int32_t>(i * 100003);
    std::vector<int32_t> want = out_data;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        want[At(out, r, c)] = 2 * a_data[At(a, r, c)] + b_data[At(b, r, c)];
      }
    }
    Tile tile{};
    tile.rows = rows;
    tile.columns = columns;
    tile.operand[0] = {reinterpret_cast<std::byte*>(a_data.data()), a.row * 2, a.column * 2};
    tile.operand[1] = {reinterpret_cast<std::byte*>(b_data.data()), b.row * 4, b.column * 4};
    tile.operand[2] = {reinterpret_cast<std::byte*>(out_data.data()), out.row * 4, out.column * 4};
    calls = 0;
    RunTile(Kernel, NestOf(tile), 2, tile);
    EXPECT_EQ(out_data, want) << rows << " x " << columns;
  }

  static Nest NestOf(const Tile& tile) {
    Nest nest;
    nest.rank = 2;
    nest.operands = 3;
    nest.shape[0] = tile.columns;
    nest.shape[1] = tile.rows;
    for (int i = 0; i < nest.operands; ++i) {
      nest.element_bytes[i] = i == 0 ? 2 : 4;
      nest.strides[i][0] = tile.operand[i].column_stride;
      nest.strides[i][1] = tile.operand[i].row_stride;
    }
    return nest;
  }

  static size_t At(Strides strides, int64_t row, int64_t column) {
    return static_cast<size_t>(row * strides.row + column * strides.column);
  }
  static size_t Extent(int64_t rows, int64_t columns, Strides strides) {
    return At(strides, rows - 1, columns - 1) + 1;
  }
};

TEST_F(DenseTile, HandsContiguousRowsOverInOneCall) {
  Run(10, 100, {100, 1}, {0, 1}, {130, 1});
  EXPECT_EQ(calls, 1);
}

TEST_F(DenseTile, PacksShortRows) {
  Run(100, 3, {3, 1}, {5, 1}, {4, 1});
  EXPECT_EQ(calls, 1);
}

TEST_F(DenseTile, GathersAndScattersAnyStrides) {
  for (const int64_t rows : {1, 2, 15, 16, 17, 100}) {
    for (const int64_t columns : {1, 2, 63, 64, 65, 1025}) {
      Run(rows, columns, {1, rows}, {columns, 1}, {columns, 1});         // transposed input
      Run(rows, columns, {2 * columns, 2}, {columns, 1}, {columns, 1});  // every other element
      Run(rows, columns, {columns, 1}, {1, rows}, {3 * columns, 3});     // output with gaps
      Run(rows, columns, {0, 0}, {0, 1}, {columns, 1});                  // one element, one row for all
      Run(rows, columns, {1, 0}, {columns, 1}, {1, rows});               // one column for all, transposed output
    }
  }
}

TEST_F(DenseTile, WorksInPlaceOnStridedOperands) {
  std::vector<int16_t> a(3000, 1);
  std::vector<int32_t> data(6000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int32_t>(i);
  std::vector<int32_t> want = data;
  for (size_t i = 0; i < data.size(); i += 2) want[i] += 2;
  Tile tile{};
  tile.rows = 1;
  tile.columns = 3000;
  tile.operand[0] = {reinterpret_cast<std::byte*>(a.data()), 0, 2};
  tile.operand[1] = {reinterpret_cast<std::byte*>(data.data()), 0, 8};
  tile.operand[2] = tile.operand[1];
  RunTile(Kernel, NestOf(tile), 2, tile);
  EXPECT_EQ(data, want);
}

}  // namespace
}  // namespace portacl::loops
