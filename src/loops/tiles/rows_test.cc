// SPDX-License-Identifier: Apache-2.0
//
// The row engine with lane code that needs whole rows: out = the reversed row of x where the mask is set.
#include "loops/tiles/rows.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "exec/schema.h"
#include "testing/device_array.h"
#include "testing/thread_count.h"

namespace portacl::loops {
namespace {

using calls::Dims;
using calls::TensorBuilder;

constexpr exec::SchemaOf kReverse({.api = "aclnnReverseRows"},
                                  {exec::In("x"), exec::In("mask"), exec::Attribute("scratch", exec::ValueKind::kInt64),
                                   exec::Out("out")},
                                  {exec::NotNull("x", "mask", "out"), exec::NotNull("executor", "workspaceSize"),
                                   exec::MaxRank("x", "mask", "out"), exec::ShapeIs("out", exec::SameShapeAs("x"))});

std::atomic<int64_t> g_largest_tile{0};

// Operands of the tile: x, mask, out. out may be x, so the row is copied to scratch before it is overwritten.
void Reverse(const Tile& tile) {
  int64_t largest = g_largest_tile.load();
  while (largest < tile.rows && !g_largest_tile.compare_exchange_weak(largest, tile.rows)) {
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tile.scratch) % 64, 0u);
  auto* const row = static_cast<int32_t*>(tile.scratch);
  for (int64_t r = 0; r < tile.rows; ++r) {
    EXPECT_TRUE(tile.operand[0].column_stride == 4 && tile.operand[1].column_stride == 1);
    std::memcpy(row, tile.Row<int32_t>(0, r), static_cast<size_t>(tile.columns) * 4);
    for (int64_t i = 0; i < tile.columns; ++i) {
      const bool reversed = tile.Row<uint8_t>(1, r)[i] != 0;
      tile.Row<int32_t>(2, r)[i] = row[reversed ? tile.columns - 1 - i : i];
    }
  }
}

void PlanReverse(exec::PlanBuilder& plan) {
  Rows(plan, {0, 1, 2}, {.run = Reverse, .ns_per_element = 0.3, .scratch_bytes = plan.Attribute<int64_t>("scratch")});
}

struct Layout {
  Dims strides;
  int64_t offset = 0;
};

class RowEngine : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }

  static void Run(const aclTensor* x, const aclTensor* mask, int64_t scratch, const aclTensor* out) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(exec::MakePlan(kReverse, {x, mask, scratch, out}, &bytes, &executor, PlanReverse), 0);
    ASSERT_EQ(exec::RunPlan(kReverse, nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  }

  // Compares whole blocks, as bytes between the elements of a view must not change.
  static void Check(const Dims& shape, const Layout& x, const Dims& mask_shape, const Layout& mask, const Layout& out,
                    bool in_place = false, int64_t more_scratch = 0) {
    SCOPED_TRACE(::testing::PrintToString(shape) + ::testing::PrintToString(x.strides));
    const auto extent = [](const Dims& dims, const Layout& layout) {
      return static_cast<size_t>(calls::ViewExtent(dims, layout.strides, layout.offset));
    };
    std::vector<int32_t> x_block(extent(shape, x));
    std::iota(x_block.begin(), x_block.end(), 1);
    std::vector<uint8_t> mask_block(extent(mask_shape, mask));
    for (size_t i = 0; i < mask_block.size(); ++i) mask_block[i] = static_cast<uint8_t>(i * 7 % 3 == 1 ? i : 0);
    std::vector<int32_t> out_block(in_place ? x_block : std::vector<int32_t>(extent(shape, out), -5));
    const testing::DeviceArray<int32_t> device_x(x_block);
    const testing::DeviceArray<uint8_t> device_mask(mask_block);
    const testing::DeviceArray<int32_t> device_out(out_block);
    TensorBuilder builder(ACL_INT32, shape);
    const auto tensor = [&](const Layout& layout, const int32_t* data) {
      return builder.Strides(layout.strides).Offset(layout.offset).Data(data).Build();
    };
    Run(tensor(x, device_x.data()).get(),
        TensorBuilder(ACL_BOOL, mask_shape)
            .Strides(mask.strides)
            .Offset(mask.offset)
            .Data(device_mask.data())
            .Build()
            .get(),
        shape.back() * 4 + more_scratch, tensor(out, in_place ? device_x.data() : device_out.data()).get());
    const auto place = [](const Dims& index, const Layout& layout) {
      int64_t at = layout.offset;
      for (size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * layout.strides[axis];
      return static_cast<size_t>(at);
    };
    Dims index(shape.size(), 0);
    for (int64_t left = calls::ElementCount(shape); left > 0; --left) {
      Dims of_mask = index;
      for (size_t axis = 0; axis < index.size(); ++axis) of_mask[axis] = mask_shape[axis] == 1 ? 0 : index[axis];
      Dims from = index;
      if (mask_block[place(of_mask, mask)] != 0) from.back() = shape.back() - 1 - index.back();
      out_block[place(index, out)] = x_block[place(from, x)];
      for (size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
    EXPECT_TRUE((in_place ? device_x : device_out).ToHost() == out_block);
  }

  static Layout Plain(const Dims& shape) { return {calls::ContiguousStrides(shape), 0}; }
};

TEST_F(RowEngine, HandsOutWholeRowsOfEveryLength) {
  for (const int64_t columns : {1, 2, 7, 16, 33, 1000, 5000}) {
    for (const int64_t rows : {1, 3, 16, 100}) {
      const Dims shape = {rows, columns};
      Check(shape, Plain(shape), shape, Plain(shape), Plain(shape));
    }
  }
}

TEST_F(RowEngine, GathersManyShortRowsInOneTile) {
  const Dims shape = {50000, 3};
  g_largest_tile = 0;
  Check(shape, Plain(shape), shape, Plain(shape), Plain(shape));
  EXPECT_GT(g_largest_tile.load(), 1000);
  EXPECT_EQ(g_largest_tile.load() % 16, 0);
}

TEST_F(RowEngine, TakesFewRowsOfManyMatricesTogether) {
  for (const int64_t rows : {2, 3, 4}) {
    const Dims shape = {3, 9, rows, 20};
    const Dims mask = {3, 1, rows, 20};
    g_largest_tile = 0;
    Check(shape, Plain(shape), mask, Plain(mask), Plain(shape));
    EXPECT_EQ(g_largest_tile.load(), rows < 4 ? 9 : rows);
  }
}

TEST_F(RowEngine, BroadcastsInputsAlongAnyAxes) {
  const Dims shape = {3, 4, 5, 6};
  for (int axes = 0; axes < 16; ++axes) {
    Dims mask = shape;
    for (size_t axis = 0; axis < 4; ++axis) mask[axis] = (axes >> axis & 1) != 0 ? 1 : shape[axis];
    Check(shape, Plain(shape), mask, Plain(mask), Plain(shape));
  }
}

TEST_F(RowEngine, TakesRowsThatAreNotContiguous) {
  for (const Dims& shape : {Dims{2, 3, 4, 6}, {1, 1, 70, 50}, {2, 1, 3, 900}, {3, 40, 1, 1}}) {
    const Layout plain = Plain(shape);
    Layout transposed{{0, 0, 0, 0}, 3};  // the first axis is the densest
    int64_t stride = 1;
    for (size_t axis = 0; axis < 4; ++axis) {
      transposed.strides[axis] = stride;
      stride *= shape[axis];
    }
    Layout spread{plain.strides, 2};
    for (int64_t& value : spread.strides) value *= 3;
    Check(shape, transposed, shape, plain, plain);
    Check(shape, plain, shape, transposed, spread);
    Check(shape, spread, shape, spread, transposed);
    Check(shape, {{0, 0, 0, 0}, 1}, shape, {{0, 0, 0, 0}, 0}, plain);
    Check(shape, plain, shape, {{0, shape[3], 0, 1}, 0}, transposed);
  }
}

TEST_F(RowEngine, WritesInPlace) {
  for (const Dims& shape : {Dims{4, 7}, {3, 700}, {200, 300}}) {
    const Layout plain = Plain(shape);
    const Layout spread{{2 * shape[1], 2}, 1};
    const Layout transposed{{1, shape[0]}, 0};
    for (const Layout& layout : {plain, spread, transposed}) Check(shape, layout, shape, plain, layout, true);
  }
}

TEST_F(RowEngine, TakesScratchOfAnySize) {
  const Dims shape = {50, 200};
  for (const int64_t more : {0, 1, 40 << 10, 3 << 20}) {
    Check(shape, Plain(shape), shape, Plain(shape), Plain(shape), false, more);
    Check(shape, {{1, 50}, 0}, shape, Plain(shape), Plain(shape), false, more);
  }
}

TEST_F(RowEngine, SplitsRowsAmongThreads) {
  const testing::ThreadCount threads(4);
  for (const Dims& shape : {Dims{3000, 500}, {100, 20000}, {200000, 5}}) {
    Check(shape, Plain(shape), shape, Plain(shape), Plain(shape));
    Check(shape, {{1, shape[0]}, 0}, {1, shape[1]}, {{0, 1}, 0}, Plain(shape), false, 1 << 17);
  }
}

// Elements that share bytes must all be written by one thread.
TEST_F(RowEngine, WritesAnOutputThatSharesBytesWithOneThread) {
  const testing::ThreadCount threads(4);
  const Dims shape = {4000, 256};
  std::vector<int32_t> values(4000 * 256);
  std::iota(values.begin(), values.end(), 0);
  const testing::DeviceArray<int32_t> x(values);
  const testing::DeviceArray<uint8_t> mask(std::vector<uint8_t>(256, 0));
  const testing::DeviceArray<int32_t> out(size_t{256});
  Run(TensorBuilder(ACL_INT32, shape).Data(x.data()).Build().get(),
      TensorBuilder(ACL_BOOL, {1, 256}).Data(mask.data()).Build().get(), 1024,
      TensorBuilder(ACL_INT32, shape).Strides({0, 1}).Data(out.data()).Build().get());
  const std::vector<int32_t> got = out.ToHost();
  for (int32_t i = 0; i < 256; ++i) ASSERT_EQ(got[static_cast<size_t>(i)] % 256, i);
}

}  // namespace
}  // namespace portacl::loops
