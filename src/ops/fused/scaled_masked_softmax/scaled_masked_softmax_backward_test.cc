// SPDX-License-Identifier: Apache-2.0
//
// aclnnScaledMaskedSoftmaxBackward through the C API: what it accepts, its documented results, and that it is the
// gradient of aclnnScaledMaskedSoftmax.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/product.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_oracle.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_test_support.h"
#include "testing/random.h"

namespace portacl::ops::scaled_masked_softmax {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class ScaledMaskedSoftmaxBackward : public DeviceTest {};

struct Example {
  aclDataType dtype;
  Values grad;
  Values y;
  Mask mask;
  double scale;
  Values out;
};

const std::vector<Example>& Examples() {
  static const Values y0 = {0.1, 0.2, 0.3, 0.4};
  static const Values g0 = {1, 2, 3, 4};
  static const std::vector<Example> examples = {
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, 1, {-0.2, -0.2, 0, 0.4}},
      // Masked elements count in the sum; without them the third would be 0.6.
      {ACL_FLOAT, g0, y0, {0, 1, 0, 1}, 1, {-0.2, 0, 0, 0}},
      {ACL_FLOAT, g0, y0, {1, 1, 1, 1}, 0.5, {0, 0, 0, 0}},
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, 0.5, {-0.1, -0.1, 0, 0.2}},
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, -2, {0.4, 0.4, 0, -0.8}},
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, 0, {0, 0, 0, 0}},
      {ACL_FLOAT, {1, 1, 1, 1}, {0.25, 0.25, 0.25, 0.25}, {0, 0, 0, 0}, kInf, {kNan, kNan, kNan, kNan}},
      {ACL_FLOAT, {1, 0}, {0.5, 0.5}, {0, 0}, kInf, {kInf, -kInf}},
      {ACL_FLOAT, {1, 0}, {0.5, 0.5}, {0, 0}, 0x1.ffffffp127, {kInf, -kInf}},
      {ACL_FLOAT, {1, 0}, {0.5, 0.5}, {0, 0}, 0x1.fffffefp127, {0x1.fffffep125, -0x1.fffffep125}},
      {ACL_FLOAT, g0, y0, {0, 1, 0, 1}, kNan, {kNan, 0, kNan, 0}},
      {ACL_FLOAT, {kNan, 2, 3, 4}, y0, {1, 0, 0, 0}, 1, {0, kNan, kNan, kNan}},
      {ACL_FLOAT, g0, {0.1, kNan, 0.3, 0.4}, {0, 1, 0, 0}, 1, {kNan, 0, kNan, kNan}},
      {ACL_FLOAT, {kInf, 2, 3, 4}, y0, {0, 0, 0, 1}, 1, {kNan, -kInf, -kInf, 0}},
      {ACL_FLOAT, {kInf, 2, 3, 4}, {0.1, 0.2, 0, 0.4}, {0, 0, 0, 0}, 1, {kNan, -kInf, kNan, -kInf}},
      {ACL_FLOAT, {kInf, 2, 3, 4}, y0, {0, 0, 0, 0}, 0, {kNan, kNan, kNan, kNan}},
      {ACL_FLOAT, {kInf, 2, 3}, {-0.1, 0.2, 0.3}, {0, 0, 0}, 1, {-kInf, kInf, kInf}},
      {ACL_FLOAT, {kInf, 2, 3}, {0, 0.2, 0.3}, {0, 1, 0}, 1, {kNan, 0, kNan}},
      {ACL_FLOAT, {1, 1}, {2, 3}, {0, 0}, 1, {-8, -12}},
      {ACL_FLOAT, {5}, {1}, {0}, 3, {0}},
      {ACL_FLOAT16, g0, y0, {0, 0, 0, 0}, 1, {-0.1999512, -0.1998291, 0.0001099110, 0.4001465}},
      {ACL_BF16, g0, {0.25, 0.25, 0.25, 0.25}, {0, 2, 0, 0x80}, 1, {-0.375, 0, 0.125, 0}},
  };
  return examples;
}

TEST_F(ScaledMaskedSoftmaxBackward, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& example : Examples()) {
      SCOPED_TRACE(::testing::Message() << "gradOutput " << ::testing::PrintToString(example.grad) << ", y "
                                        << ::testing::PrintToString(example.y) << ", scale " << example.scale);
      // Alone, and in every row of a block.
      for (const int64_t rows : {1, 37}) {
        Values grad, y;
        Mask mask;
        for (int64_t row = 0; row < rows; ++row) {
          grad.insert(grad.end(), example.grad.begin(), example.grad.end());
          y.insert(y.end(), example.y.begin(), example.y.end());
          mask.insert(mask.end(), example.mask.begin(), example.mask.end());
        }
        const Values got = BackwardValues(example.dtype, rows, grad, y, mask, example.scale);
        for (size_t i = 0; i < got.size(); ++i) {
          const double want = example.out[i % example.out.size()];
          EXPECT_TRUE(Near(want, got[i], 5e-7, example.scale == 0 ? 0 : 1e-7)) << "element " << i;
          EXPECT_FALSE(mask[i] != 0 && std::signbit(got[i])) << "element " << i;
        }
      }
    }
  });
}

TEST_F(ScaledMaskedSoftmaxBackward, SharesOneMask) {
  const Bytes grad = Encode(ACL_FLOAT, {1, 2, 3, 5});
  const Bytes y = Encode(ACL_FLOAT, {0.25, 0.75, 0.5, 0.5});
  const Values want = {-0.375, 0, -1, 0};
  EXPECT_EQ(Decode(ACL_FLOAT, BackwardBytes(ACL_FLOAT, {1, 2, 1, 2}, grad, y, {1, 1, 1, 2}, {0, 1}, 2)), want);
  EXPECT_EQ(Decode(ACL_FLOAT, BackwardBytes(ACL_FLOAT, {2, 1, 1, 2}, grad, y, {1, 1, 1, 2}, {0, 1}, 2)), want);
}

// Random rows, of which every third element is masked.
struct Rows {
  Rows(int64_t rows, int64_t columns, testing::Random& random) {
    for (int64_t i = 0; i < rows * columns; ++i) {
      x.push_back(double{static_cast<float>(random.Real(-6, 6))});
      grad.push_back(double{static_cast<float>(random.Real(-1, 1))});
      mask.push_back(static_cast<uint8_t>(random.Chance(0.3) ? random.Between(1, 255) : 0));
    }
  }
  Values x, grad;
  Mask mask;
};

TEST_F(ScaledMaskedSoftmaxBackward, RowsOfUnmaskedGradientsSumToZero) {
  testing::Random random;
  for (const int64_t columns : {1, 2, 7, 16, 33, 64, 100, 1000, 4096}) {
    Rows rows(20, columns, random);
    const Mask none(rows.x.size(), 0);
    const Values y = SoftmaxValues(ACL_FLOAT, 20, rows.x, none, 0.5);
    const Values out = BackwardValues(ACL_FLOAT, 20, rows.grad, y, none, 0.5);
    const auto n = static_cast<size_t>(columns);
    for (size_t row = 0; row < 20; ++row) {
      double sum = 0, terms = 0;
      const double magnitudes = SumReference(n, &rows.grad[row * n], &y[row * n], true);
      for (size_t i = row * n; i < (row + 1) * n; ++i) {
        sum += out[i];
        terms += SoftmaxGradTerm(rows.grad[i], y[i], 0.5, magnitudes);
      }
      // 2 ULP each, and y itself sums to 1 but for the 5 ULP of its elements.
      EXPECT_LE(std::abs(sum), 7 * 0x1p-23 * terms) << columns << " columns, row " << row;
    }
  }
}

TEST_F(ScaledMaskedSoftmaxBackward, IsPlusZeroExactlyWhereTheMaskIsTrue) {
  testing::Random random;
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const int64_t columns : {5, 16, 40}) {
        Rows rows(24, columns, random);
        for (size_t i = 0; i < rows.grad.size(); i += 11) rows.grad[i] = i % 2 == 0 ? kNan : -kInf;
        const Values out = BackwardValues(dtype, 24, rows.grad, rows.x, rows.mask, -0.7);
        for (size_t i = 0; i < out.size(); ++i) {
          EXPECT_TRUE(rows.mask[i] == 0 || (out[i] == 0 && !std::signbit(out[i]))) << "element " << i;
        }
      }
    }
  });
}

// A permuted row sums in another order; both results are as near to the exact one as promised.
TEST_F(ScaledMaskedSoftmaxBackward, OfAPermutedRowIsPermuted) {
  testing::Random random;
  for (const int64_t columns : {7, 100, 1000}) {
    const Rows rows(1, columns, random);
    Rows reversed = rows;
    std::reverse(reversed.x.begin(), reversed.x.end());
    std::reverse(reversed.grad.begin(), reversed.grad.end());
    std::reverse(reversed.mask.begin(), reversed.mask.end());
    const Values y = SoftmaxValues(ACL_FLOAT, 1, rows.x, rows.mask, 1);
    Values reversed_y = SoftmaxValues(ACL_FLOAT, 1, reversed.x, reversed.mask, 1);
    const auto n = static_cast<size_t>(columns);
    for (size_t i = 0; i < n; ++i) EXPECT_TRUE(Near(y[i], reversed_y[n - 1 - i], 10 * 0x1p-23, 0));
    reversed_y = y;
    std::reverse(reversed_y.begin(), reversed_y.end());
    const Values out = BackwardValues(ACL_FLOAT, 1, rows.grad, y, rows.mask, 1);
    const Values reversed_out = BackwardValues(ACL_FLOAT, 1, reversed.grad, reversed_y, reversed.mask, 1);
    const double magnitudes = SumReference(n, rows.grad.data(), y.data(), true);
    for (size_t i = 0; i < n; ++i) {
      const double term = SoftmaxGradTerm(rows.grad[i], y[i], 1, magnitudes);
      EXPECT_LE(std::abs(out[i] - reversed_out[n - 1 - i]), 4 * 0x1p-23 * term) << columns << " columns";
    }
  }
}

TEST_F(ScaledMaskedSoftmaxBackward, IsTheDerivativeOfTheForwardFormula) {
  testing::Random random;
  constexpr size_t kColumns = 9;
  constexpr double kScale = 0.75;
  constexpr double kStep = 1e-5;
  for (int trial = 0; trial < 50; ++trial) {
    const Rows row(1, kColumns, random);
    const std::unique_ptr<bool[]> mask(new bool[kColumns]);
    for (size_t j = 0; j < kColumns; ++j) mask[j] = row.mask[j] != 0;
    Values y(kColumns);
    SoftmaxReference(kColumns, row.x.data(), mask.get(), kScale, y.data());
    const double sum = SumReference(kColumns, row.grad.data(), y.data(), false);
    for (size_t j = 0; j < kColumns; ++j) {
      double change = 0;
      for (const double step : {kStep, -kStep}) {
        Values moved = row.x;
        moved[j] += step;
        SoftmaxReference(kColumns, moved.data(), mask.get(), kScale, y.data());
        change += step * SumReference(kColumns, row.grad.data(), y.data(), false);
      }
      SoftmaxReference(kColumns, row.x.data(), mask.get(), kScale, y.data());
      const double got = SoftmaxGradReference(row.grad[j], y[j], mask[j], kScale, sum);
      EXPECT_NEAR(got, change / (2 * kStep * kStep), 1e-8);
    }
  }
}

aclnnStatus Status(const Dims& grad, const Dims& y, const Dims& mask, const Dims& out, aclDataType dtype = ACL_FLOAT) {
  return BackwardPhase1(TensorBuilder(dtype, grad).Build().get(), TensorBuilder(dtype, y).Build().get(),
                        TensorBuilder(ACL_BOOL, mask).Build().get(), TensorBuilder(dtype, out).Build().get());
}

TEST_F(ScaledMaskedSoftmaxBackward, GivesTheDocumentedStatus) {
  const Dims shape = {2, 3, 4, 5};
  const auto grad = TensorBuilder(ACL_FLOAT, shape).Build();
  const auto mask = TensorBuilder(ACL_BOOL, shape).Build();
  const auto half = TensorBuilder(ACL_FLOAT16, shape).Build();
  const auto whole = TensorBuilder(ACL_INT32, shape).Build();
  EXPECT_EQ(BackwardPhase1(grad.get(), grad.get(), mask.get(), grad.get()), 0);
  EXPECT_EQ(BackwardPhase1(nullptr, whole.get(), whole.get(), whole.get()), 161001);
  EXPECT_EQ(BackwardPhase1(whole.get(), nullptr, whole.get(), whole.get()), 161001);
  EXPECT_EQ(BackwardPhase1(whole.get(), whole.get(), nullptr, whole.get()), 161001);
  EXPECT_EQ(BackwardPhase1(whole.get(), whole.get(), whole.get(), nullptr), 161001);
  EXPECT_EQ(BackwardPhase1(whole.get(), grad.get(), mask.get(), grad.get()), 161002);
  EXPECT_EQ(BackwardPhase1(grad.get(), whole.get(), mask.get(), grad.get()), 161002);
  EXPECT_EQ(BackwardPhase1(grad.get(), grad.get(), half.get(), grad.get()), 161002);
  EXPECT_EQ(BackwardPhase1(grad.get(), grad.get(), mask.get(), whole.get()), 161002);
  EXPECT_EQ(BackwardPhase1(half.get(), grad.get(), mask.get(), half.get()), 161002);
  EXPECT_EQ(BackwardPhase1(grad.get(), grad.get(), mask.get(), half.get()), 161002);
  EXPECT_EQ(BackwardPhase1(grad.get(), grad.get(), mask.get(), grad.get(), true), 161002);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const auto plan = [&](const aclTensor* y, uint64_t* size, aclOpExecutor** result) {
    return aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(grad.get(), y, mask.get(), 1, false, grad.get(), size,
                                                            result);
  };
  EXPECT_EQ(plan(grad.get(), &bytes, nullptr), 161001);
  EXPECT_EQ(plan(grad.get(), nullptr, &executor), 161001);
  // Only the comparison of the dtypes comes after the pointers for the results.
  EXPECT_EQ(plan(whole.get(), nullptr, nullptr), 161002);
  EXPECT_EQ(plan(half.get(), nullptr, nullptr), 161001);
  EXPECT_EQ(Status({3, 4, 5}, {3, 4, 5}, {3, 4, 5}, {3, 4, 5}), 161002);
  EXPECT_EQ(Status(shape, {2, 3, 4, 6}, shape, shape), 161002);
  EXPECT_EQ(Status(shape, {3, 4, 5}, shape, shape), 161002);
  EXPECT_EQ(Status(shape, shape, shape, {2, 3, 4, 6}), 161002);
  for (const Dims& other : {Dims{4, 5}, {2, 3, 1, 5}, {2, 3, 4, 1}, {2, 2, 4, 5}, {4, 3, 4, 5}, {2, 3, 5, 4}})
    EXPECT_EQ(Status(shape, shape, other, shape), 161002) << ::testing::PrintToString(other);
  for (const Dims& other : {Dims{1, 3, 4, 5}, {2, 1, 4, 5}, {1, 1, 4, 5}})
    EXPECT_EQ(Status(shape, shape, other, shape), 0) << ::testing::PrintToString(other);
  for (const auto& [columns, status] : {std::pair{1, 0}, {4096, 0}, {4097, 161002}, {0, 0}}) {
    const Dims row = {1, 1, 1, columns};
    EXPECT_EQ(Status(row, row, row, row), status) << columns;
  }
  for (const Dims& empty : {Dims{0, 3, 4, 5}, {2, 0, 4, 5}, {2, 3, 0, 5}, {2, 3, 4, 0}})
    EXPECT_EQ(Status(empty, empty, empty, empty), 0);
}

TEST_F(ScaledMaskedSoftmaxBackward, FollowsTheRulesOfItsProducts) {
  for (const Product& product : kProducts) {
    SCOPED_TRACE(product.full_name);
    SetCurrentProductForTest(&product);
    const Dims shape = {2, 3, 4, 5};
    const bool is_950 = product.family == Family::kAscend950;
    const bool has = is_950 || product.family == Family::kAscend910B || product.family == Family::kAscend910_93;
    EXPECT_EQ(Status(shape, shape, {1, 3, 4, 5}, shape), has ? 0 : 561003);
    EXPECT_EQ(Status(shape, shape, shape, shape, ACL_INT32), 161002);
    for (const auto& [columns, longest] : {std::pair{4097, false}, {8192, false}, {8193, true}}) {
      const Dims row = {1, 1, 1, columns};
      EXPECT_EQ(Status(row, row, row, row), is_950 && !longest ? 0 : 161002) << columns;
    }
    if (!has) continue;
    const auto grad = TensorBuilder(ACL_FLOAT, shape).Build();
    const auto half = TensorBuilder(ACL_FLOAT16, shape).Build();
    const auto mask = TensorBuilder(ACL_BOOL, shape).Build();
    EXPECT_EQ(BackwardPhase1(grad.get(), half.get(), mask.get(), grad.get()), 161002);
  }
  SetCurrentProductForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::scaled_masked_softmax
