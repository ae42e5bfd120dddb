// SPDX-License-Identifier: Apache-2.0
//
// aclnnScaledMaskedSoftmax through the C API: what it accepts, and its documented results.
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/product.h"
#include "exec/bind.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_test_support.h"
#include "testing/operator_contract.h"

namespace portacl::ops::scaled_masked_softmax {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(ScaledMaskedSoftmax, portacl::ops::scaled_masked_softmax::Operators()[0]);
OP_CONTRACT_TESTS(ScaledMaskedSoftmaxBackward, portacl::ops::scaled_masked_softmax::Operators()[1]);

namespace portacl::ops::scaled_masked_softmax {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class ScaledMaskedSoftmax : public DeviceTest {};

struct Example {
  aclDataType dtype;
  Values x;
  Mask mask;
  double scale;
  Values y;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 0, 0, 0}, 1, {0.03205860, 0.08714432, 0.2368828, 0.6439143}},
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 1, 0, 1}, 1, {0.1192029, 0, 0.8807971, 0}},
      {ACL_FLOAT, {1, 2, 3, 4}, {1, 1, 1, 1}, 1, {0.25, 0.25, 0.25, 0.25}},
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 0, 0, 0}, 0.5, {0.1015363, 0.1674051, 0.2760043, 0.4550542}},
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 0, 0, 1}, 0, {0.3333333, 0.3333333, 0.3333333, 0}},
      {ACL_FLOAT, {-20000, -20001, 7}, {0, 0, 1}, 1, {0, 0, 1}},
      {ACL_FLOAT, {-10000, -10000, 7}, {0, 0, 1}, 1, {0.3333333, 0.3333333, 0.3333333}},
      {ACL_FLOAT, {-10001, -10000, kNan}, {0, 0, 1}, 1, {0.1553624, 0.4223188, 0.4223188}},
      {ACL_FLOAT, {kNan, 1, 2}, {1, 0, 0}, 1, {0, 0.2689414, 0.7310586}},
      {ACL_FLOAT, {kInf, 1, -kInf}, {1, 0, 1}, 1, {0, 1, 0}},
      {ACL_FLOAT, {kNan, 1, 2}, {0, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {2, kNan, 1}, {1, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {kInf, 1, 2}, {0, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {kInf, 1, 2}, {0, 1, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {-kInf, 1, 2}, {0, 0, 0}, 1, {0, 0.2689414, 0.7310586}},
      {ACL_FLOAT, {-kInf, -kInf, -kInf}, {0, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {-kInf, -kInf, -kInf}, {0, 1, 0}, 1, {0, 1, 0}},
      {ACL_FLOAT, {1000, 1001}, {0, 0}, 1, {0.2689414, 0.7310586}},
      {ACL_FLOAT, {100000, 100001}, {0, 0}, 1, {0.2689414, 0.7310586}},
      {ACL_FLOAT, {1, 2}, {0, 0}, -1, {0.7310586, 0.2689414}},
      {ACL_FLOAT, {3e38, 3e38}, {0, 0}, 2, {kNan, kNan}},
      {ACL_FLOAT, {-3e38, 0}, {0, 0}, 2, {0, 1}},
      {ACL_FLOAT16, {60000, 60000}, {0, 0}, 2, {0.5, 0.5}},
      {ACL_FLOAT, {-1, -2}, {0, 1}, kInf, {0, 1}},
      {ACL_FLOAT, {0, -2}, {0, 0}, kInf, {kNan, kNan}},
      {ACL_FLOAT, {1, -2}, {0, 0}, kInf, {kNan, kNan}},
      {ACL_FLOAT, {kInf, 1}, {0, 0}, 0, {kNan, kNan}},
      {ACL_FLOAT, {1, 2, 3}, {0, 1, 1}, kNan, {kNan, kNan, kNan}},
      {ACL_FLOAT, {1, 2}, {1, 1}, kNan, {0.5, 0.5}},
      {ACL_FLOAT, {5}, {0}, 1, {1}},
      {ACL_FLOAT, {5}, {1}, 1, {1}},
      {ACL_FLOAT, {0, -90}, {0, 0}, 1, {1, 0}},  // e^-90 is below the smallest normal number
      {ACL_BF16, {1, 2, 3, 4}, {0, 2, 0, 0x80}, 1, {0.11914063, 0, 0.88085938, 0}},
  };
  return examples;
}

// Rows of any length take the same way; 19 times the elements make rows longer than a register, with the same result
// but for the common factor.
TEST_F(ScaledMaskedSoftmax, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& example : Examples()) {
      SCOPED_TRACE(::testing::Message() << "x " << ::testing::PrintToString(example.x) << ", scale " << example.scale);
      for (const size_t times : {size_t{1}, size_t{19}}) {
        Values x;
        Mask mask;
        for (size_t i = 0; i < times; ++i) {
          x.insert(x.end(), example.x.begin(), example.x.end());
          mask.insert(mask.end(), example.mask.begin(), example.mask.end());
        }
        const Values got = SoftmaxValues(example.dtype, 1, x, mask, example.scale);
        const double tolerance = example.dtype == ACL_BF16 ? 0x1p-8 : example.dtype == ACL_FLOAT16 ? 0x1p-11 : 5e-7;
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_TRUE(Near(example.y[i % example.y.size()] / static_cast<double>(times), got[i], tolerance, 0))
              << "element " << i;
        }
      }
    }
  });
}

TEST_F(ScaledMaskedSoftmax, GivesNanForScalesOfAnyPayload) {
  for (const uint64_t bits : {0x7FFFFFFFFFFFFFFFu, 0xFFFFFFFFFFFFFFFFu, 0x7FF8000FFFFFFFFFu}) {
    for (const aclDataType dtype : kAllDtypes) {
      for (const double y : SoftmaxValues(dtype, 1, {1, 2, 3}, {0, 0, 1}, std::bit_cast<double>(bits)))
        EXPECT_TRUE(std::isnan(y)) << bits << ", dtype " << dtype;
    }
  }
}

// A block of short rows beside each other: what is in one row changes no other.
TEST_F(ScaledMaskedSoftmax, KeepsRowsApart) {
  ForEachTarget([] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const int64_t n : {1, 2, 3, 7, 8, 16, 17}) {
        const Values good(static_cast<size_t>(n), 0.5);
        Values x;
        for (int64_t row = 0; row < 40; ++row) {
          for (const double value : good) x.push_back(row % 4 == 1 ? kNan : row % 4 == 3 ? 30000 : value);
        }
        const Values got = SoftmaxValues(dtype, 40, x, Mask(x.size(), 0), 1);
        const Values alone = SoftmaxValues(dtype, 1, good, Mask(good.size(), 0), 1);
        for (size_t i = 0; i < got.size(); ++i) {
          if (i / static_cast<size_t>(n) % 4 == 1) {
            EXPECT_TRUE(std::isnan(got[i]));
          } else {
            EXPECT_EQ(got[i], alone[i % static_cast<size_t>(n)]) << n << ", element " << i;
          }
        }
      }
    }
  });
}

aclnnStatus Status(const Dims& x, const Dims& mask, const Dims& y, aclDataType dtype = ACL_FLOAT) {
  return SoftmaxPhase1(TensorBuilder(dtype, x).Build().get(), TensorBuilder(ACL_BOOL, mask).Build().get(),
                       TensorBuilder(dtype, y).Build().get());
}

TEST_F(ScaledMaskedSoftmax, GivesTheDocumentedStatus) {
  const Dims shape = {2, 3, 4, 5};
  const auto x = TensorBuilder(ACL_FLOAT, shape).Build();
  const auto mask = TensorBuilder(ACL_BOOL, shape).Build();
  const auto half = TensorBuilder(ACL_FLOAT16, shape).Build();
  const auto whole = TensorBuilder(ACL_INT32, shape).Build();
  EXPECT_EQ(SoftmaxPhase1(x.get(), mask.get(), x.get()), 0);
  EXPECT_EQ(SoftmaxPhase1(nullptr, whole.get(), whole.get()), 161001);
  EXPECT_EQ(SoftmaxPhase1(whole.get(), nullptr, whole.get()), 161001);
  EXPECT_EQ(SoftmaxPhase1(whole.get(), whole.get(), nullptr), 161001);
  EXPECT_EQ(SoftmaxPhase1(whole.get(), mask.get(), x.get()), 161002);
  EXPECT_EQ(SoftmaxPhase1(x.get(), half.get(), x.get()), 161002);
  EXPECT_EQ(SoftmaxPhase1(x.get(), mask.get(), whole.get()), 161002);
  EXPECT_EQ(SoftmaxPhase1(x.get(), mask.get(), half.get()), 161002);
  EXPECT_EQ(SoftmaxPhase1(x.get(), mask.get(), x.get(), true), 161002);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnScaledMaskedSoftmaxGetWorkspaceSize(x.get(), mask.get(), 1, false, x.get(), &bytes, nullptr), 161001);
  EXPECT_EQ(aclnnScaledMaskedSoftmaxGetWorkspaceSize(x.get(), mask.get(), 1, false, x.get(), nullptr, &executor),
            161001);
  // An operand at fault is told before the pointers for the results.
  EXPECT_EQ(aclnnScaledMaskedSoftmaxGetWorkspaceSize(whole.get(), mask.get(), 1, false, x.get(), nullptr, nullptr),
            161002);
  EXPECT_EQ(Status(shape, shape, shape, ACL_DOUBLE), 161002);
  EXPECT_EQ(Status({3, 4, 5}, {3, 4, 5}, {3, 4, 5}), 161002);
  EXPECT_EQ(Status(shape, shape, {2, 3, 4, 6}), 161002);
  for (const Dims& other : {Dims{4, 5}, {2, 3, 1, 5}, {2, 3, 4, 1}, {2, 2, 4, 5}, {4, 3, 4, 5}, {2, 3, 5, 4}})
    EXPECT_EQ(Status(shape, other, shape), 161002) << ::testing::PrintToString(other);
  for (const Dims& other : {Dims{1, 3, 4, 5}, {2, 1, 4, 5}, {1, 1, 4, 5}})
    EXPECT_EQ(Status(shape, other, shape), 0) << ::testing::PrintToString(other);
  for (const auto& [columns, status] : {std::pair{1, 0}, {4096, 0}, {4097, 161002}, {0, 161002}}) {
    const Dims row = {1, 1, 1, columns};
    EXPECT_EQ(Status(row, row, row), status) << columns;
  }
  for (const Dims& empty : {Dims{0, 3, 4, 5}, {2, 0, 4, 5}, {2, 3, 0, 5}}) EXPECT_EQ(Status(empty, empty, empty), 0);
  EXPECT_EQ(Status({0, 3, 4, 5}, {1, 1, 4, 5}, {0, 3, 4, 5}), 0);
  EXPECT_EQ(Status({0, 3, 4, 0}, {0, 3, 4, 0}, {0, 3, 4, 0}), 161002);
}

TEST_F(ScaledMaskedSoftmax, FollowsTheRulesOfItsProducts) {
  for (const Product& product : kProducts) {
    SCOPED_TRACE(product.full_name);
    SetCurrentProductForTest(&product);
    const bool is_950 = product.family == Family::kAscend950;
    const bool has = is_950 || product.family == Family::kAscend910B || product.family == Family::kAscend910_93;
    EXPECT_EQ(Status({2, 3, 4, 5}, {1, 3, 4, 5}, {2, 3, 4, 5}), has ? 0 : 561003);
    for (const auto& [columns, longest] : {std::pair{4097, false}, {8192, false}, {8193, true}}) {
      const Dims row = {1, 1, 1, columns};
      EXPECT_EQ(Status(row, row, row), is_950 && !longest ? 0 : 161002) << columns;
    }
  }
  SetCurrentProductForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::scaled_masked_softmax
