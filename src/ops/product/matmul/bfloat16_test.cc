// SPDX-License-Identifier: Apache-2.0
//
// Products of bfloat16 with each kind of instructions that this machine has for them, and with float32.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_mm.h"
#include "base/bfloat16_unit.h"
#include "base/target.h"
#include "calls/call.h"
#include "calls/views.h"
#include "exec/bind.h"
#include "testing/bfloat16_units.h"
#include "testing/conformance.h"
#include "testing/cost.h"
#include "testing/device_array.h"
#include "testing/sample_size.h"
#include "testing/test_device.h"
#include "testing/two_phases.h"

namespace portacl::ops::matmul {

std::span<const exec::OperatorEntry> Operators();

namespace {

using calls::Dims;
using testing::ForEachUnit;

const exec::OperatorEntry& MmEntry() { return Operators()[0]; }
const exec::OperatorEntry& BatchMatMulEntry() { return Operators()[1]; }

calls::Call ProductCall(const exec::OperatorEntry& entry, Dims self, Dims mat2, aclDataType out) {
  calls::Call call = calls::MakeValidCall(entry);
  Dims shape = self;
  shape.back() = mat2.back();
  const auto set = [&](const char* name, aclDataType dtype, const Dims& dims) {
    call.tensor(name).dtype = dtype;
    call.tensor(name).shape = dims;
  };
  set("out", out, shape);
  set("self", ACL_BF16, self);
  set("mat2", ACL_BF16, mat2);
  return call;
}

uint16_t BitsOf(double value) {
  const auto single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof(bits));
  EXPECT_TRUE(std::isnan(value) || (bits & 0xFFFF) == 0) << value;
  return static_cast<uint16_t>(bits >> 16);
}

float ValueOf(uint16_t bits) {
  const uint32_t word = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// The float32 product of two contiguous matrices.
std::vector<float> Multiply(const std::vector<uint16_t>& self, const std::vector<uint16_t>& mat2, int64_t m, int64_t k,
                            int64_t n) {
  const testing::DeviceArray<uint16_t> a(self), b(mat2);
  const testing::DeviceArray<float> out(static_cast<size_t>(m * n));
  const auto tensor = [](void* data, aclDataType dtype, int64_t rows, int64_t columns) {
    const int64_t shape[] = {rows, columns}, strides[] = {columns, 1};
    return aclCreateTensor(shape, 2, dtype, strides, 0, ACL_FORMAT_ND, shape, 2, data);
  };
  aclTensor* const tensors[] = {tensor(a.data(), ACL_BF16, m, k), tensor(b.data(), ACL_BF16, k, n),
                                tensor(out.data(), ACL_FLOAT, m, n)};
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnMmGetWorkspaceSize(tensors[0], tensors[1], tensors[2], 1, &bytes, &executor), ACL_SUCCESS);
  const testing::DeviceArray<uint8_t> workspace(static_cast<size_t>(bytes));
  EXPECT_EQ(aclnnMm(workspace.data(), bytes, executor, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  for (aclTensor* const each : tensors) aclDestroyTensor(each);
  return out.ToHost();
}

void ExpectSame(float want, float got, uint16_t a, uint16_t b) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << ValueOf(a) << " times " << ValueOf(b) << " gave " << got;
  } else {
    EXPECT_EQ(want, got) << ValueOf(a) << " times " << ValueOf(b);
  }
}

class Bfloat16Products : public testing::DeviceTest {};

// Sizes around blocks of 16 rows or columns and 32 k, pairs of blocks, parts of 512 k and spans of 4096; each operand
// packed, transposed, or read in place.
TEST_F(Bfloat16Products, AreRightAroundTheEdgesOfBlocks) {
  constexpr int64_t kSizes[][3] = {{5, 1, 5},     {15, 31, 16},  {16, 32, 17},  {17, 33, 31},  {32, 64, 32},
                                   {33, 513, 47}, {47, 512, 33}, {257, 95, 65}, {64, 40, 530}, {529, 40, 30},
                                   {545, 33, 40}, {9, 4097, 20}, {20, 8225, 7}};
  ForEachUnit([&] {
    int turn = 0;
    for (const auto& [m, k, n] : kSizes) {
      for (const bool self_transposed : {false, true}) {
        for (const int mat2_layout : {0, 1, 2}) {
          if (++turn % testing::OneOf(5) != 0) continue;
          calls::Call call = ProductCall(MmEntry(), {m, k}, {k, n}, turn % 2 == 0 ? ACL_BF16 : ACL_FLOAT);
          call.tensor("self").strides = self_transposed ? Dims{1, m} : Dims{k + 2, 1};
          call.tensor("mat2").strides = mat2_layout == 0 ? Dims{n, 1} : mat2_layout == 1 ? Dims{1, k} : Dims{2 * n, 2};
          if (turn % 3 == 0) call.tensor("out").strides = {1, m};
          testing::ExpectRight(call);
        }
      }
    }
  });
}

TEST_F(Bfloat16Products, TouchNothingBeside) {
  ForEachUnit([&] {
    testing::Random random;
    for (const testing::GuardSide side : {testing::GuardSide::kBegin, testing::GuardSide::kEnd}) {
      for (const bool transposed : {false, true}) {
        calls::Call call = ProductCall(MmEntry(), {33, 65}, {65, 47}, ACL_BF16);
        if (transposed) call.tensor("mat2").strides = {1, 65};
        testing::ExpectConformanceAtGuard(call, side, random);
      }
    }
  });
}

TEST_F(Bfloat16Products, ShareBroadcastBatches) {
  ForEachUnit([&] {
    for (const bool first : {false, true}) {
      calls::Call call = ProductCall(BatchMatMulEntry(), {first ? 1 : 3, 40, 70}, {first ? 3 : 1, 70, 300}, ACL_BF16);
      call.tensor("out").shape = {3, 40, 300};
      testing::ExpectRight(call);
    }
    testing::ExpectRight(ProductCall(BatchMatMulEntry(), {3, 300, 70}, {3, 70, 40}, ACL_FLOAT));
  });
}

// Every product of two values, each the only term of its sum: all exponents with some fractions, infinities and NaN. In
// one call the other operand has no small values, in the second it has all.
TEST_F(Bfloat16Products, OfEveryExponentAreThoseOfIeee754) {
  const auto values = [](int first_exponent) {
    std::vector<uint16_t> all;
    for (int exponent = first_exponent; exponent < 256; exponent += testing::OneOf(7)) {
      for (const int fraction : {0, 1, 0x55, 0x7F}) {
        for (const int sign : {0, 0x8000}) all.push_back(static_cast<uint16_t>(sign | exponent << 7 | fraction));
      }
    }
    for (const double special : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) all.push_back(BitsOf(special));
    return all;
  };
  ForEachUnit([&] {
    for (const auto& [of_self, of_mat2] : {std::pair{71, 71}, std::pair{0, 0}, std::pair{1, 141}}) {
      const std::vector<uint16_t> self = values(of_self), mat2 = values(of_mat2);
      const auto m = static_cast<int64_t>(self.size()), n = static_cast<int64_t>(mat2.size());
      const std::vector<float> out = Multiply(self, mat2, m, 1, n);
      for (size_t i = 0; i < out.size(); ++i) {
        const uint16_t a = self[i / mat2.size()], b = mat2[i % mat2.size()];
        ExpectSame(ValueOf(a) * ValueOf(b), out[i], a, b);
        if (HasFailure()) return;
      }
    }
  });
}

// Sums that cancel to the smallest normal number, and to a subnormal one.
TEST_F(Bfloat16Products, KeepWhatIsLeftOfSmallTerms) {
  constexpr int64_t kSize = 40, kDepth = 70;
  for (const int exponent : {-56, -57, -60, -70}) {
    ForEachUnit([&] {
      std::vector<uint16_t> self(kSize * kDepth, 0), mat2(kDepth * kSize, 0);
      // (1 + 2^-7)^2 - (1 + 2^-6) = 2^-14.
      const double scale = std::ldexp(1, exponent);
      for (int64_t i = 0; i < kSize; ++i) {
        self[static_cast<size_t>(i * kDepth + 3)] = mat2[static_cast<size_t>(3 * kSize + i)] =
            BitsOf(1.0078125 * scale);
        self[static_cast<size_t>(i * kDepth + 66)] = BitsOf(scale);
        mat2[static_cast<size_t>(66 * kSize + i)] = BitsOf(-1.015625 * scale);
      }
      const float want = static_cast<float>(std::ldexp(1, 2 * exponent - 14));
      for (const float got : Multiply(self, mat2, kSize, kDepth, kSize)) ASSERT_EQ(want, got);
    });
  }
}

// Groups of small values among others: every result equals that of its own row and column.
TEST_F(Bfloat16Products, KeepSmallNumbersBesideOthers) {
  constexpr int64_t kRows = 70, kDepth = 40, kColumns = 100;
  ForEachUnit([&] {
    std::vector<uint16_t> self(kRows * kDepth, 0), mat2(kDepth * kColumns, 0);
    const auto of_row = [](int64_t row) {
      return row == 20 ? 0x1p-130 : row == 69 ? 0x1p-126 : row == 3 ? 0x1p-80 : 3.0;
    };
    const auto of_column = [](int64_t column) {
      return column == 40 ? 0x1p-133 : column == 99 ? 0x1p100 : column == 5 ? 0x1p-40 : 0.5;
    };
    for (int64_t row = 0; row < kRows; ++row)
      self[static_cast<size_t>(row * kDepth + row % kDepth)] = BitsOf(of_row(row));
    for (int64_t k = 0; k < kDepth; ++k) {
      for (int64_t column = 0; column < kColumns; ++column)
        mat2[static_cast<size_t>(k * kColumns + column)] = BitsOf(of_column(column));
    }
    const std::vector<float> out = Multiply(self, mat2, kRows, kDepth, kColumns);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t column = 0; column < kColumns; ++column)
        ASSERT_EQ(static_cast<float>(of_row(row) * of_column(column)),
                  out[static_cast<size_t>(row * kColumns + column)])
            << row << ' ' << column;
    }
  });
}

// Rows that are multiplied by pairs keep the bits of those that float32 lanes multiply, as do rows with magnitudes that
// pairs would lose.
TEST_F(Bfloat16Products, OfFewColumnsHaveTheBitsOfFloat32) {
  testing::Random random;
  for (const auto& [rows, k, columns] : std::initializer_list<std::array<int64_t, 3>>{
           {1, 1, 1}, {5, 31, 2}, {16, 32, 8}, {17, 33, 5}, {33, 512, 4}, {18, 545, 7}, {35, 1537, 3}, {19, 8225, 8}}) {
    std::vector<uint16_t> self(static_cast<size_t>(rows * k)), mat2(static_cast<size_t>(k * columns));
    for (size_t i = 0; i < self.size(); ++i) {
      const int64_t row = static_cast<int64_t>(i) / k;
      const int64_t exponent = row % 7 == 3 ? random.Between(0, 14) : random.Between(120, 130);
      self[i] = static_cast<uint16_t>(random.Between(0, 1) << 15 | exponent << 7 | random.Between(0, 127));
    }
    for (uint16_t& element : mat2)
      element =
          static_cast<uint16_t>(random.Between(0, 1) << 15 | random.Between(115, 129) << 7 | random.Between(0, 127));
    std::vector<std::vector<float>> results;
    ForEachUnit([&] {
      if (columns <= 2 || ActiveBfloat16Unit() != Bfloat16Unit::kTiles)
        results.push_back(Multiply(self, mat2, rows, k, columns));
    });
    for (const std::vector<float>& result : results)
      EXPECT_EQ(results[0], result) << rows << ' ' << k << ' ' << columns;
  }
}

TEST_F(Bfloat16Products, WithSpecialNumbersAreRight) {
  testing::Random random;
  ForEachUnit([&] {
    for (const double share : {0.0005, 0.01, 0.5}) {
      for (const bool transposed : {false, true}) {
        calls::Call call = ProductCall(MmEntry(), {70, 90}, {90, 100}, ACL_FLOAT);
        if (transposed) call.tensor("mat2").strides = {1, 90};
        call.AllocateData();
        calls::DrawContents(call, random, share);
        testing::ExpectConformance(call);
      }
    }
  });
}

TEST_F(Bfloat16Products, AreTheSameForAnyNumberOfThreads) {
  int turn = 0;
  ForEachUnit([&] {
    for (const double share : {0.0, 0.0005}) {
      for (const bool transposed : {false, true}) {
        if (++turn % testing::OneOf(3) != 0) continue;
        calls::Call call = ProductCall(MmEntry(), {150, 300}, {300, 530}, ACL_BF16);
        if (transposed) call.tensor("mat2").strides = {1, 300};
        testing::Random random;
        call.AllocateData();
        calls::DrawContents(call, random, share);
        testing::ExpectConformanceOfThreads(call, {1, 2, 3, 8});
      }
    }
  });
}

// Units add in different orders, so that some bits differ.
TEST_F(Bfloat16Products, AreMadeByTheUnitThatIsSet) {
  constexpr int64_t kSize = 64, kDepth = 1024;
  testing::Random random;
  std::vector<uint16_t> self(kSize * kDepth), mat2(kDepth * kSize);
  for (std::vector<uint16_t>* const side : {&self, &mat2}) {
    for (uint16_t& element : *side) element = static_cast<uint16_t>(0x3C00 + random.Between(0, 0x3FF));
  }
  std::vector<std::vector<float>> results;
  ForEachUnit([&] { results.push_back(Multiply(self, mat2, kSize, kDepth, kSize)); });
  for (size_t i = 0; i + 1 < results.size(); ++i) EXPECT_NE(results[i], results[i + 1]);
  // A lower instruction set has no such unit.
  if (UsableTargets().size() < 2) return;
  SetActiveTargetForTest(UsableTargets().back());
  EXPECT_EQ(ActiveBfloat16Unit(), Bfloat16Unit::kNone);
  SetActiveTargetForTest(0);
}

// Measured on a Xeon with AMX, 2026-11-27, one thread.
TEST_F(Bfloat16Products, EstimateWhatTheyTake) {
  if (ActiveBfloat16Unit() != Bfloat16Unit::kTiles) GTEST_SKIP() << "no tiles here";
  const auto expect = [](int64_t m, int64_t k, int64_t n, double ns) {
    calls::Call call = ProductCall(MmEntry(), {m, k}, {k, n}, ACL_BF16);
    testing::ExpectEstimate(call, ns);
  };
  expect(16, 64, 64, 1'000);
  expect(64, 200, 200, 10'100);
  expect(512, 512, 512, 240'000);
}

}  // namespace
}  // namespace portacl::ops::matmul
