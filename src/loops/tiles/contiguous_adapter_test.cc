// SPDX-License-Identifier: Apache-2.0
//
// RunTile with kernels that only support contiguous rows, over operands of any strides and float dtypes.
#include "loops/tiles/contiguous_adapter.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "calls/element.h"
#include "testing/target_loop.h"

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
  // Results are the same where operands are too large for the cache.
  void Run(int64_t rows, int64_t columns, Strides a, Strides b, Strides out) {
    for (const bool is_large : {false, true}) RunOnce(rows, columns, a, b, out, is_large);
  }

  void RunOnce(int64_t rows, int64_t columns, Strides a, Strides b, Strides out, bool is_large) {
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
    tile.non_temporal = is_large;
    tile.operand[0] = {reinterpret_cast<std::byte*>(a_data.data()), a.row * 2, a.column * 2};
    tile.operand[1] = {reinterpret_cast<std::byte*>(b_data.data()), b.row * 4, b.column * 4};
    tile.operand[2] = {reinterpret_cast<std::byte*>(out_data.data()), out.row * 4, out.column * 4};
    calls = 0;
    RunTile({.run = Kernel, .inputs = 2}, NestOf(tile), tile);
    EXPECT_EQ(out_data, want) << rows << " x " << columns;
  }

  static LoopNest NestOf(const Tile& tile) {
    LoopNest nest;
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

// out = a + b + c in float; a and c may be repeated. Counts calls.
void FloatKernel(const Tile& tile) {
  ++calls;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t i = 0; i < tile.columns; ++i) {
      const float a = tile.Row<float>(0, row)[i * tile.operand[0].column_stride / 4];
      const float c = tile.Row<float>(2, row)[i * tile.operand[2].column_stride / 4];
      tile.Row<float>(3, row)[i] = a + tile.Row<float>(1, row)[i] + c;
    }
  }
}

// Operands of any dtype and layout for FloatKernel, filled with small integers.
class FloatTile : public ::testing::Test {
 protected:
  struct Operand {
    aclDataType dtype;
    Strides strides;
  };

  static void Check(int64_t rows, int64_t columns, const Operand (&operands)[4]) {
    const auto end = [&](const Operand& o) {
      return static_cast<size_t>((rows - 1) * o.strides.row + (columns - 1) * o.strides.column + 1);
    };
    std::vector<std::vector<double>> values;
    std::vector<std::vector<std::byte>> bytes;
    LoopNest nest;
    nest.rank = 2;
    nest.operands = 4;
    nest.shape[0] = columns;
    nest.shape[1] = rows;
    Tile tile{};
    tile.rows = rows;
    tile.columns = columns;
    View views[4];
    const View* pointers[4];
    for (int i = 0; i < 4; ++i) {
      const Operand& operand = operands[i];
      values.emplace_back();
      for (size_t k = 0; k < end(operand); ++k)
        values.back().push_back(static_cast<double>((k * 7 + static_cast<size_t>(i)) % 30));
      bytes.push_back(calls::Encode(operand.dtype, values.back()));
      const auto size = static_cast<int64_t>(calls::ElementBytes(operand.dtype));
      nest.element_bytes[i] = size;
      nest.strides[i][0] = operand.strides.column * size;
      nest.strides[i][1] = operand.strides.row * size;
      views[i].dtype = operand.dtype;
      pointers[i] = &views[i];
    }
    for (int i = 0; i < 4; ++i)
      tile.operand[i] = {bytes[static_cast<size_t>(i)].data(), nest.strides[i][1], nest.strides[i][0]};
    LaneCode code{.run = FloatKernel, .inputs = 3, .repeated = 0b101};
    SetConversions(pointers, ACL_FLOAT, ACL_FLOAT, &code);
    RunTile(code, nest, tile);
    std::vector<double> want = values[3];
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const auto at = [&](size_t i) {
          return static_cast<size_t>(r * operands[i].strides.row + c * operands[i].strides.column);
        };
        want[at(3)] = values[0][at(0)] + values[1][at(1)] + values[2][at(2)];
      }
    }
    EXPECT_EQ(calls::Decode(operands[3].dtype, bytes[3]), want) << rows << " x " << columns;
  }
};

TEST_F(FloatTile, ConvertsOperandsOfOtherDtypes) {
  testing::ForEachTarget([] {
    for (const int64_t rows : {1, 3, 40}) {
      for (const int64_t columns : {1, 7, 15, 16, 33, 100, 2100}) {
        const Strides plain{columns, 1};
        for (const aclDataType out : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
          Check(rows, columns, {{ACL_FLOAT16, plain}, {ACL_BF16, plain}, {ACL_FLOAT, plain}, {out, plain}});
          Check(rows, columns, {{ACL_BF16, {1, rows}}, {ACL_FLOAT, plain}, {ACL_FLOAT16, {0, 0}}, {out, {1, rows}}});
          Check(rows, columns,
                {{ACL_FLOAT, {0, 0}}, {ACL_FLOAT16, {1, 0}}, {ACL_BF16, {0, 1}}, {out, {3 * columns, 3}}});
        }
      }
    }
  });
}

TEST_F(FloatTile, HandsRepeatedElementsOverAsTheyAre) {
  const Strides plain{200, 1};
  calls = 0;
  Check(30, 200, {{ACL_FLOAT, {0, 0}}, {ACL_FLOAT, plain}, {ACL_FLOAT, {1, 0}}, {ACL_FLOAT, plain}});
  EXPECT_EQ(calls, 1);
  calls = 0;
  Check(100, 3, {{ACL_FLOAT, {0, 0}}, {ACL_FLOAT, {3, 1}}, {ACL_FLOAT, {1, 0}}, {ACL_FLOAT, {3, 1}}});
  EXPECT_EQ(calls, 1) << "short rows are packed";
  Check(100, 30, {{ACL_FLOAT, {1, 0}}, {ACL_FLOAT, {1, 0}}, {ACL_FLOAT, {0, 1}}, {ACL_FLOAT, {1, 100}}});
  Check(1000, 5, {{ACL_FLOAT, {0, 0}}, {ACL_FLOAT, {0, 0}}, {ACL_FLOAT, {0, 0}}, {ACL_FLOAT, {5, 1}}});
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
  RunTile({.run = Kernel, .inputs = 2}, NestOf(tile), tile);
  EXPECT_EQ(data, want);
}

}  // namespace
}  // namespace portacl::loops
