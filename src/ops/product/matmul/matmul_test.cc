// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and properties that the words cannot express.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_mm.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/views.h"
#include "exec/bind.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Matmul, matmul);

namespace portacl::ops::matmul {
namespace {

using calls::Dims;
using testing::Example;
using testing::ExpectRight;
using testing::StatusOf;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& Mm() { return Operators()[0]; }
const exec::OperatorEntry& Matmul() { return Operators()[2]; }
const exec::OperatorEntry& Mv() { return Operators()[3]; }
const exec::OperatorEntry& Dot() { return Operators()[4]; }

void ExpectMatmul(const Example& self, const Example& mat2, const Example& out) {
  testing::ExpectExample(Matmul(), {{"self", self}, {"mat2", mat2}, {"out", out}}, {{"cubeMathType", 1}}, 0);
}

struct Factor {
  aclDataType dtype;
  Dims shape;
  Dims strides = {};
};

calls::Call CallOf(const exec::OperatorEntry& entry, const Factor& self, const Factor& mat2, const Factor& out) {
  calls::Call call = calls::MakeValidCall(entry);
  const auto set = [&](const char* name, const Factor& factor) {
    calls::TensorSpec& tensor = call.tensor(name);
    tensor.dtype = factor.dtype;
    tensor.shape = factor.shape;
    if (!factor.strides.empty()) tensor.strides = factor.strides;
  };
  set("self", self);
  set("mat2", mat2);
  set("out", out);
  return call;
}

class Products : public testing::DeviceTest {};

TEST_F(Products, GiveTheWorkedExamples) {
  ExpectMatmul({ACL_FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}}, {ACL_BF16, {3, 2}, {1, 0, 0, 1, 2, -1}},
               {ACL_FLOAT16, {2, 2}, {7, -1, 16, -1}});
  ExpectMatmul({ACL_FLOAT, {3}, {1, 2, 3}}, {ACL_FLOAT, {3}, {4, 5, 6}}, {ACL_FLOAT, {}, {32}});
  ExpectMatmul({ACL_FLOAT, {2}, {1, 2}}, {ACL_FLOAT, {2, 1, 2, 1}, {1, 1, 10, 10}}, {ACL_FLOAT, {2, 1, 1}, {3, 30}});
  ExpectMatmul({ACL_FLOAT, {2, 1, 2}, {1, 2, 3, 4}}, {ACL_FLOAT, {2}, {1, -1}}, {ACL_FLOAT, {2, 1}, {-1, -1}});
  testing::ExpectExample(Mv(),
                         {{"self", {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}}},
                          {"vec", {ACL_FLOAT, {2}, {1, 10}}},
                          {"out", {ACL_FLOAT, {2}, {21, 43}}}},
                         {{"cubeMathType", 1}}, 0);
  testing::ExpectExample(
      Dot(), {{"self", {ACL_BF16, {2}, {3, 4}}}, {"tensor", {ACL_BF16, {2}, {3, 4}}}, {"out", {ACL_BF16, {}, {25}}}},
      {}, 0);
}

// Equal terms round the same way each time, and small terms after a large one all round down. Tested in tiles with
// panels read in place or packed, in both kinds of dot products, and for BFLOAT16 also with dedicated instructions.
TEST_F(Products, KeepTheirPromiseForTermsThatRoundAlike) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    for (const Dims& sizes : {Dims{16, 2048, 16}, {2, 5000, 3}, {40, 700, 33}, {16, 127, 16}, {1, 64, 9}}) {
      for (const bool is_transposed : {false, true}) {
        const int64_t m = sizes[0], k = sizes[1], n = sizes[2];
        calls::Call call = CallOf(Mm(), {dtype, {m, k}, is_transposed ? Dims{1, m} : Dims{k, 1}}, {dtype, {k, n}},
                                  {ACL_FLOAT, {m, n}});
        call.AllocateData();
        testing::FillWith(call, "self", 1.3518131);
        testing::FillWith(call, "mat2", 0.637010);
        testing::ExpectConformance(call);
        // Each row of mat2 has its own value, and 2^-24 is less than half an ULP of 1.
        for (const int64_t period : {k, int64_t{64}}) {
          std::vector<double> terms;
          for (int64_t i = 0; i < k * n; ++i) terms.push_back(i / n % period == 0 ? 1 : 0x1.fp-25);
          testing::FillWith(call, "self", 1);
          testing::WriteMemory(call.tensor("mat2").data, calls::Encode(dtype, terms));
          testing::ExpectConformance(call);
        }
      }
    }
  }
}

TEST_F(Products, OfNothingAreZero) {
  ExpectMatmul({ACL_FLOAT, {2, 0}, {}}, {ACL_FLOAT, {0, 2}, {}}, {ACL_FLOAT, {2, 2}, {0, 0, 0, 0}});
  ExpectMatmul({ACL_FLOAT, {9, 0}, {}}, {ACL_FLOAT, {0, 9}, {}}, {ACL_FLOAT, {9, 9}, std::vector<double>(81, 0)});
  ExpectMatmul({ACL_FLOAT16, {0}, {}}, {ACL_FLOAT16, {0}, {}}, {ACL_FLOAT16, {}, {0}});
}

// In dot products and in tiles.
TEST_F(Products, SkipNoZeros) {
  for (const size_t rows : {size_t{1}, size_t{6}}) {
    std::vector<double> self(rows * 2, 0), out(rows * 6, kNan);
    for (size_t i = 0; i < rows; ++i) self[2 * i] = 1, out[6 * i + 5] = kInf;
    std::vector<double> mat2(12, kInf);
    mat2[5] = kInf, mat2[11] = 0;  // the last column: 1 * inf + 0 * 0
    ExpectMatmul({ACL_FLOAT, {static_cast<int64_t>(rows), 2}, self}, {ACL_FLOAT, {2, 6}, mat2},
                 {ACL_FLOAT, {static_cast<int64_t>(rows), 6}, out});
  }
}

// 2^-126 times 2^100 in BFLOAT16, and subnormal operands.
TEST_F(Products, KeepSubnormals) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    for (const size_t rows : {size_t{1}, size_t{6}}) {
      const auto m = static_cast<int64_t>(rows);
      ExpectMatmul({dtype, {m, 1}, std::vector<double>(rows, 0x1p-130)},
                   {dtype, {1, 6}, std::vector<double>(6, 0x1p100)},
                   {ACL_FLOAT, {m, 6}, std::vector<double>(rows * 6, 0x1p-30)});
    }
  }
}

// The same among larger values, in rows that are read in place.
TEST_F(Products, KeepSubnormalsOfRowsInPlace) {
  constexpr int64_t kRows = 48, kDepth = 64, kColumns = 40;
  for (const int64_t row : {3, 20, 47}) {
    std::vector<double> self(kRows * kDepth, 1), out(kRows * kColumns, 0x1p106);
    for (int64_t k = 0; k < kDepth; ++k) self[row * kDepth + k] = k == 37 ? 0x1p-130 : 0;
    std::fill_n(out.begin() + row * kColumns, kColumns, 0x1p-30);
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
      ExpectMatmul({ACL_BF16, {kRows, kDepth}, self},
                   {ACL_BF16, {kDepth, kColumns}, std::vector<double>(kDepth * kColumns, 0x1p100)},
                   {dtype, {kRows, kColumns}, out});
    }
  }
}

// Sizes around registers, panels, blocks and the spans whose sums are added in float64.
TEST_F(Products, AreRightAroundTheEdgesOfTiles) {
  constexpr int64_t kSizes[][3] = {{1, 64, 64},    {2, 65, 31},   {3, 129, 33},   {4, 2049, 5},   {5, 255, 5},
                                   {6, 256, 6},    {13, 257, 15}, {14, 1, 16},    {15, 511, 17},  {28, 513, 31},
                                   {29, 64, 129},  {64, 1025, 9}, {65, 128, 513}, {113, 33, 127}, {7, 127, 40},
                                   {8, 1100, 130}, {2, 40000, 3}};
  int turn = 0;
  for (const auto& [m, k, n] : kSizes) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      if (++turn % testing::OneOf(2) != 0) continue;
      ExpectRight(CallOf(Mm(), {ACL_FLOAT, {m, k}}, {dtype, {k, n}, {1, k + 1}}, {ACL_FLOAT, {m, n}}));
      ExpectRight(CallOf(Mm(), {dtype, {m, k}, {1, m}}, {dtype, {k, n}, {n + 3, 1}}, {dtype, {m, n}, {1, m}}));
      ExpectRight(CallOf(Mm(), {dtype, {m, k}, {2 * k, 2}}, {ACL_BF16, {k, n}, {2, 2 * k}}, {ACL_FLOAT, {m, n}}));
    }
  }
}

// Panels are read in place, and packed while the first rows are computed; rows are adjacent, or so far apart that their
// cache lines map to the same set.
TEST_F(Products, AreRightWhereFactorsAreReadInPlace) {
  constexpr int64_t kSizes[][3] = {{9, 40, 9},    {14, 64, 32},   {15, 65, 48},    {17, 257, 47}, {29, 300, 80},
                                   {43, 600, 65}, {64, 200, 200}, {130, 1030, 70}, {16, 0, 48}};
  for (const auto& [m, k, n] : kSizes) {
    for (const bool is_far : {false, true}) {
      const int64_t row_stride = is_far ? (k / 1024 + 1) * 1024 : k + 3, step = is_far ? 256 : m + 3;
      const auto rows = [&](aclDataType dtype) { return Factor{dtype, {m, k}, {row_stride, 1}}; };
      const auto neighbours = [&](aclDataType dtype) { return Factor{dtype, {m, k}, {1, step}}; };
      const Factor columns{ACL_FLOAT, {k, n}, {n + 3, 1}}, out{ACL_FLOAT, {m, n}};
      ExpectRight(CallOf(Mm(), rows(ACL_FLOAT), columns, out));
      ExpectRight(CallOf(Mm(), neighbours(ACL_FLOAT), columns, out));
      ExpectRight(CallOf(Mm(), neighbours(ACL_BF16), columns, {ACL_FLOAT16, {m, n}}));
      ExpectRight(CallOf(Mm(), neighbours(ACL_FLOAT16), {ACL_FLOAT16, {k, n}, {n + 3, 1}}, out));
    }
  }
}

// Complete groups of 16 rows and blocks of 32 k; up to 512 k, results are stored immediately.
TEST_F(Products, AreRightWhereRowsOfBfloat16AreReadInPlace) {
  constexpr int64_t kSizes[][3] = {{16, 32, 9},    {48, 64, 33},   {32, 96, 64},  {80, 512, 70}, {64, 544, 40},
                                   {112, 128, 31}, {528, 64, 540}, {96, 2048, 5}, {33, 64, 31},  {32, 80, 48}};
  for (const auto& [m, k, n] : kSizes) {
    const Factor columns{ACL_BF16, {k, n}};
    ExpectRight(CallOf(Mm(), {ACL_BF16, {m, k}}, columns, {ACL_BF16, {m, n}}));
    ExpectRight(CallOf(Mm(), {ACL_BF16, {m, k}, {k + 5, 1}}, columns, {ACL_BF16, {m, n}, {n + 3, 1}}));
    ExpectRight(CallOf(Mm(), {ACL_BF16, {m, k}}, {ACL_BF16, {k, n}, {1, k}}, {ACL_FLOAT, {m, n}}));
  }
}

TEST_F(Products, BroadcastBatches) {
  for (const int64_t m : {1, 7}) {
    // Heads that share keys, as in grouped-query attention.
    ExpectRight(CallOf(Matmul(), {ACL_FLOAT, {2, 3, 4, m, 16}}, {ACL_FLOAT16, {2, 3, 1, 16, 33}},
                       {ACL_FLOAT, {2, 3, 4, m, 33}}));
    ExpectRight(CallOf(Matmul(), {ACL_FLOAT, {5, 1, m, 16}, {16, 0, 80, 1}}, {ACL_BF16, {3, 16, 33}, {0, 1, 16}},
                       {ACL_BF16, {5, 3, m, 33}, {1, 5, 15, 15 * m}}));
    ExpectRight(CallOf(Matmul(), {ACL_FLOAT, {2, 1, 2, 1, m, 9}}, {ACL_FLOAT, {3, 1, 2, 9, 8}},
                       {ACL_FLOAT, {2, 3, 2, 2, m, 8}}));
  }
}

TEST_F(Products, AreTheSameForAnyNumberOfThreads) {
  // Dot products, in chunks of rows; tiles, in chunks of both.
  constexpr int64_t kSizes[][3] = {{1, 700, 1500}, {3, 300, 1500}, {9, 300, 4000}, {300, 60, 900}};
  int turn = 0;
  for (const auto& [m, k, n] : kSizes) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
      if (++turn % testing::OneOf(3) != 0) continue;
      calls::Call call = CallOf(Mm(), {ACL_FLOAT, {m, k}}, {dtype, {k, n}, {1, k}}, {ACL_FLOAT, {m, n}});
      testing::Random random;
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      testing::ExpectConformanceOfThreads(call, {1, 2, 3, 8});
    }
  }
}

// The output may alias an operand that other results still need.
TEST_F(Products, MayTakeThePlaceOfAFactor) {
  for (const int64_t n : {3, 40}) {
    calls::Call call = CallOf(Mm(), {ACL_FLOAT, {n, n}}, {ACL_FLOAT, {n, n}}, {ACL_FLOAT, {n, n}});
    testing::Random random;
    call.AllocateData();
    call.tensor("out").data = call.tensor("mat2").data;
    calls::DrawContents(call, random, 0);
    testing::ExpectConformance(call);
  }
}

TEST_F(Products, RefuseShapesThatDoNotFit) {
  EXPECT_EQ(StatusOf(CallOf(Mm(), {ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {4, 5}}, {ACL_FLOAT, {2, 5}})), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'mat2': expected 3 rows ('self' is [2,3]), got [4,5]"),
            std::string_view::npos);
  EXPECT_EQ(StatusOf(CallOf(Mm(), {ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {3, 5}}, {ACL_FLOAT, {5, 2}})), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'out': expected [2,5], got [5,2]"), std::string_view::npos);
  EXPECT_EQ(StatusOf(CallOf(Matmul(), {ACL_FLOAT, {3, 2, 3}}, {ACL_FLOAT, {2, 3, 5}}, {ACL_FLOAT, {3, 2, 5}})),
            exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("a batch that broadcasts"), std::string_view::npos);
}

// mat2 as FRACTAL_NZ: read through its view, unless its storage is declared as blocks. Repeated, as plans are cached.
TEST_F(Products, TakeWeightsLabelledFractalNz) {
  const auto status = [](aclFormat of_self, aclFormat of_mat2, std::vector<int64_t> storage, aclFormat of_out) {
    static float elements[1024];
    const int64_t shape[] = {16, 16}, strides[] = {16, 1}, transposed[] = {1, 16}, plain[] = {256};
    aclTensor* const self = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, of_self, plain, 1, elements);
    aclTensor* const mat2 =
        aclCreateTensor(shape, 2, ACL_FLOAT, transposed, 0, of_mat2, storage.data(), storage.size(), elements + 256);
    aclTensor* const out = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, of_out, plain, 1, elements + 512);
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus result = aclnnMmGetWorkspaceSize(self, mat2, out, 2, &bytes, &executor);
    if (result == exec::kSuccess) aclDestroyAclOpExecutor(executor);
    for (const aclTensor* const tensor : {self, mat2, out}) aclDestroyTensor(tensor);
    return result;
  };
  constexpr aclFormat kNd = ACL_FORMAT_ND, kNz = ACL_FORMAT_FRACTAL_NZ;
  for (int repeated = 0; repeated < 2; ++repeated) {
    EXPECT_EQ(status(kNd, kNz, {256}, kNd), exec::kSuccess);
    EXPECT_EQ(status(kNd, kNz, {16, 16}, kNd), exec::kSuccess);
    EXPECT_EQ(status(kNd, kNz, {1, 1, 16, 16}, kNd), exec::kInvalid);
    EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("storageDims [1,1,16,16]"), std::string_view::npos);
    EXPECT_EQ(status(kNd, kNz, {1, 1, 16, 32}, kNd), exec::kInvalid);
    EXPECT_EQ(status(kNd, kNd, {1, 1, 16, 16}, kNd), exec::kSuccess);
    EXPECT_EQ(status(kNz, kNd, {256}, kNd), exec::kInvalid);
    EXPECT_EQ(status(kNd, kNd, {256}, kNz), exec::kInvalid);
    EXPECT_EQ(status(kNd, ACL_FORMAT_NC1HWC0, {256}, kNd), exec::kInvalid);
  }
}

TEST_F(Products, TakeEveryCubeMathType) {
  for (int type = -1; type <= 5; ++type) {
    calls::Call call = calls::MakeValidCall(Mm());
    call.argument("cubeMathType").integer = type;
    EXPECT_EQ(StatusOf(call), type < 0 || type > 4 ? exec::kInvalid : exec::kSuccess);
  }
}

TEST_F(Products, DotsOfIntegersCountModuloTheirRange) {
  const auto expect = [](aclDataType dtype, const std::vector<double>& self, const std::vector<double>& tensor,
                         double want) {
    const auto n = std::ssize(self);
    testing::ExpectExample(
        Dot(), {{"self", {dtype, {n}, self}}, {"tensor", {dtype, {n}, tensor}}, {"out", {dtype, {}, {want}}}}, {}, 0);
  };
  expect(ACL_INT32, {65536, 1, -3, 4, 5}, {65536, 2, 3, -1, 1}, -6);
  expect(ACL_INT8, {100, 100}, {1, 1}, -56);
  expect(ACL_UINT8, {200, 1}, {2, 3}, 147);
  expect(ACL_INT64, {1 << 20}, {1 << 20}, 0x1p40);
  expect(ACL_INT16, {}, {}, 0);
}

}  // namespace
}  // namespace portacl::ops::matmul
