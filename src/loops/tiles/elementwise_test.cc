// SPDX-License-Identifier: Apache-2.0
//
// The elementwise engine over parts of operands. Whole operands are tested with the operators that use it.
#include "loops/tiles/elementwise.h"

#include <algorithm>
#include <cstdint>
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

constexpr exec::SchemaOf kSwapHalves({.api = "aclnnSwapHalves"},
                                     {exec::In("x"), exec::Attribute("dim", exec::ValueKind::kInt64), exec::Out("out")},
                                     {exec::NotNull("x", "out"), exec::NotNull("executor", "workspaceSize"),
                                      exec::MaxRank("x", "out"), exec::DimInRange("dim", "x"),
                                      exec::ShapeIs("out", exec::SameShapeAs("x"))});

// Operands of the tile: first and second half of x, first and second half of out.
void Swap(const Tile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t i = 0; i < tile.columns; ++i) {
      const int32_t first = tile.Row<int32_t>(0, row)[i];
      const int32_t second = tile.Row<int32_t>(1, row)[i];
      tile.Row<int32_t>(2, row)[i] = second;
      tile.Row<int32_t>(3, row)[i] = first;
    }
  }
}

void PlanSwap(exec::PlanBuilder& plan) {
  const auto axis = static_cast<size_t>(plan.Attribute<int64_t>("dim"));
  const auto half = [&](int operand, int number) {
    View view = plan.OperandView(operand);
    view.shape[axis] /= 2;
    view.offset += number * view.shape[axis] * view.strides[axis];
    return OperandPart{operand, view};
  };
  Elementwise(plan, {half(0, 0), half(0, 1), half(1, 0), half(1, 1)},
              {.run = Swap, .ns_per_element = 0.3, .outputs = 2});
}

class ElementwiseParts : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }

  static void Run(const aclTensor* x, int64_t dim, const aclTensor* out) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(exec::MakePlan(kSwapHalves, {x, dim, out}, &bytes, &executor, PlanSwap), 0);
    ASSERT_EQ(exec::RunPlan(kSwapHalves, nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  }

  // A matrix each of x and out, with the given offsets and strides, in separate blocks or in the same one.
  static void Check(const Dims& shape, int64_t dim, const Dims& x_strides, const Dims& out_strides, bool in_place) {
    const auto extent = static_cast<size_t>(calls::ViewExtent(shape, x_strides, 5));
    const auto out_extent = static_cast<size_t>(calls::ViewExtent(shape, out_strides, 5));
    std::vector<int32_t> values(std::max(extent, out_extent));
    std::iota(values.begin(), values.end(), 1);
    const testing::DeviceArray<int32_t> x(values);
    const testing::DeviceArray<int32_t> out(values);
    const int32_t* const to = in_place ? x.data() : out.data();
    TensorBuilder builder(ACL_INT32, shape);
    builder.Offset(5);
    const auto x_tensor = builder.Strides(x_strides).Data(x.data()).Build();
    const auto out_tensor = builder.Strides(out_strides).Data(to).Build();
    Run(x_tensor.get(), dim, out_tensor.get());
    std::vector<int32_t> want = values;
    const auto at = [](const Dims& strides, int64_t i, int64_t j) {
      return static_cast<size_t>(5 + i * strides[0] + j * strides[1]);
    };
    for (int64_t i = 0; i < shape[0]; ++i) {
      for (int64_t j = 0; j < shape[1]; ++j) {
        const int64_t from_i = dim == 0 ? (i + shape[0] / 2) % shape[0] : i;
        const int64_t from_j = dim == 1 ? (j + shape[1] / 2) % shape[1] : j;
        want[at(out_strides, i, j)] = values[at(x_strides, from_i, from_j)];
      }
    }
    EXPECT_EQ((in_place ? x : out).ToHost(), want) << ::testing::PrintToString(shape) << ", dim " << dim;
  }
};

TEST_F(ElementwiseParts, LieWhereTheirOffsetsSay) {
  for (const Dims& shape : {Dims{2, 2}, Dims{4, 6}, Dims{2, 700}, Dims{6, 40}, Dims{300, 900}}) {
    const Dims plain = calls::ContiguousStrides(shape);
    for (const int64_t dim : {0, 1}) {
      Check(shape, dim, plain, plain, false);
      Check(shape, dim, {1, shape[0]}, plain, false);
      Check(shape, dim, {shape[1] * 3 + 1, 3}, {shape[1] + 2, 1}, false);
    }
  }
}

TEST_F(ElementwiseParts, MayBeThoseOfTheInputs) {
  for (const Dims& shape : {Dims{2, 2}, Dims{4, 6}, Dims{2, 700}, Dims{300, 900}}) {
    for (const int64_t dim : {0, 1}) {
      const Dims plain = calls::ContiguousStrides(shape);
      Check(shape, dim, plain, plain, true);
      Check(shape, dim, {shape[1] * 2, 2}, {shape[1] * 2, 2}, true);
    }
  }
}

// Both halves are the same elements, so only one thread may write them.
TEST_F(ElementwiseParts, OfOneOutputThatShareBytesAreWrittenByOneThread) {
  const testing::ThreadCount threads(4);
  const int64_t n = 1 << 20;
  std::vector<int32_t> values(2 * n);
  std::iota(values.begin(), values.end(), 0);
  const testing::DeviceArray<int32_t> x(values);
  const testing::DeviceArray<int32_t> out(static_cast<size_t>(n));
  const Dims shape = {2, n};
  Run(TensorBuilder(ACL_INT32, shape).Data(x.data()).Build().get(), 0,
      TensorBuilder(ACL_INT32, shape).Strides({0, 1}).Data(out.data()).Build().get());
  const std::vector<int32_t> got = out.ToHost();
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(got[static_cast<size_t>(i)] % n, i);
}

}  // namespace
}  // namespace portacl::loops
