// SPDX-License-Identifier: Apache-2.0
//
// The reduction engine with a kernel of ordinary code.
#include "loops/reductions/sum_all.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "exec/schema.h"
#include "testing/device_array.h"
#include "testing/thread_count.h"

namespace portacl::loops::reductions {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;

constexpr exec::SchemaOf kDot({.api = "aclnnDot"},
                              {exec::In("a"), exec::In("b"), exec::Attribute("mean", exec::ValueKind::kBool),
                               exec::Out("result")},
                              {exec::NotNull("a", "b", "result"), exec::NotNull("executor", "workspaceSize"),
                               exec::MaxRank("a", "b", "result")});

// Adds a * b; b may be repeated.
void DotTile(const Tile& tile) {
  double& sum = *static_cast<double*>(tile.scratch);
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t i = 0; i < tile.columns; ++i) {
      const float b = tile.Row<float>(1, row)[i * tile.operand[1].column_stride / 4];
      sum += double{tile.Row<float>(0, row)[i]} * double{b};
    }
  }
}

void PlanDot(exec::PlanBuilder& plan) {
  Sum(plan, {plan.Operand(kDot.Index("a")), plan.Operand(kDot.Index("b"))}, plan.Operand(kDot.Index("result")),
      {.run = DotTile,
       .ns_per_element = 0.3,
       .repeated = 0b10,
       .dtype = ACL_FLOAT,
       .mean = plan.Attribute<bool>(kDot.Index("mean"))},
      0);
}

// A tensor of device memory.
struct Operand {
  Operand(aclDataType dtype, Dims dims, Dims element_strides, const std::vector<double>& values)
      : block(calls::Encode(dtype, values)),
        tensor(TensorBuilder(dtype, dims).Strides(element_strides).Data(block.data()).Build()) {}
  testing::DeviceArray<std::byte> block;
  TensorHandle tensor;
};

std::vector<double> NumbersUpTo(int64_t count) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i % 61));
  return numbers;
}

class Reduction : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }

  static double Run(const Operand& a, const Operand& b, bool mean, aclDataType dtype = ACL_DOUBLE) {
    const Operand result(dtype, {1}, {1}, {-1});
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(
        exec::MakePlan(kDot, {a.tensor.get(), b.tensor.get(), mean, result.tensor.get()}, &bytes, &executor, PlanDot),
        0);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(exec::RunPlan(kDot, nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    return calls::Decode(dtype, result.block.ToHost())[0];
  }
};

TEST_F(Reduction, SumsTheBroadcastOfItsInputs) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {7, 300}, {300, 900}, {5, 200'000}}) {
    const std::vector<double> a = NumbersUpTo(rows * columns);
    const std::vector<double> b = NumbersUpTo(std::max(rows, columns));
    double with_row = 0, with_column = 0, with_transposed = 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const auto at = [](int64_t k) { return static_cast<size_t>(k); };
        with_row += a[at(i * columns + j)] * b[at(j)];
        with_column += a[at(i * columns + j)] * b[at(i)];
        with_transposed += a[at(j * rows + i)] * b[at(j)];
      }
    }
    const Operand plain(ACL_FLOAT, {rows, columns}, {columns, 1}, a);
    const Operand transposed(ACL_BF16, {rows, columns}, {1, rows}, a);
    const Operand row(ACL_FLOAT, {columns}, {1}, b);
    const Operand column(ACL_FLOAT, {rows, 1}, {1, 1}, b);
    const Operand narrow_column(ACL_FLOAT16, {rows, 1}, {1, 1}, b);
    EXPECT_EQ(Run(plain, row, false), with_row);
    EXPECT_EQ(Run(plain, column, false), with_column);
    EXPECT_EQ(Run(plain, narrow_column, false), with_column);
    EXPECT_EQ(Run(transposed, row, false), with_transposed);
    EXPECT_EQ(Run(plain, row, true), with_row / static_cast<double>(rows * columns));
  }
}

TEST_F(Reduction, WithoutElementsTheSumIsZeroAndTheMeanNan) {
  const Operand none(ACL_FLOAT, {0, 3}, {3, 1}, {0});
  const Operand row(ACL_FLOAT, {3}, {1}, {1, 2, 3});
  EXPECT_EQ(Run(none, row, false), 0);
  EXPECT_TRUE(std::isnan(Run(none, row, true)));
}

TEST_F(Reduction, RoundsOnceToTheDtypeOfItsResult) {
  // 2049 + 2^-20 is just above a tie of FLOAT16; float32 would round it to the tie.
  const Operand a(ACL_FLOAT, {2}, {1}, {2049, 0x1p-20});
  const Operand b(ACL_FLOAT, {}, {}, {1});
  EXPECT_EQ(Run(a, b, false, ACL_DOUBLE), 2049 + 0x1p-20);
  EXPECT_EQ(Run(a, b, false, ACL_FLOAT), 2049);
  EXPECT_EQ(Run(a, b, false, ACL_FLOAT16), 2050);
  EXPECT_EQ(Run(a, b, false, ACL_BF16), 2048);
}

TEST_F(Reduction, GivesTheSameBitsForAnyNumberOfThreads) {
  // Far more elements than a chunk has; all of their sums are inexact.
  std::vector<double> values;
  for (int64_t i = 0; i < 3'000'001; ++i) values.push_back(1 / static_cast<double>(i + 1));
  const Operand a(ACL_FLOAT, {3'000'001}, {1}, values);
  const Operand one(ACL_FLOAT, {1}, {1}, {0.1});
  double first = 0;
  for (const int threads : {1, 2, 3, 8}) {
    const testing::ThreadCount count(threads);
    const double sum = Run(a, one, false);
    if (first == 0) first = sum;
    EXPECT_EQ(sum, first) << threads << " threads";
  }
}

// A broadcast of few elements needs little memory, and gives more tiles than there are partial sums.
TEST_F(Reduction, TakesMoreTilesThanItKeepsPartialSums) {
  const int64_t rows = 3 << 14;
  const Operand a(ACL_FLOAT, {rows, 1024}, {0, 1}, std::vector<double>(1024, 2));
  const Operand b(ACL_FLOAT, {rows, 1}, {0, 0}, {3});
  EXPECT_EQ(Run(a, b, false), 6.0 * static_cast<double>(rows) * 1024);
}

}  // namespace
}  // namespace portacl::loops::reductions
