// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_div.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Arithmetic, arithmetic);

namespace portacl::ops::arithmetic {
namespace {

using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& Find(std::string_view api) { return testing::FindRow(Operators(), api); }

void ExpectCall(std::string_view api, const std::map<std::string, Example>& tensors,
                const std::map<std::string, double>& scalars = {}, double relative = 0) {
  testing::ExpectExample(Find(api), tensors, scalars, relative);
}

TEST(Arithmetic, GivesTheDocumentedResults) {
  ExpectCall("aclnnAdd",
             {{"self", {ACL_FLOAT16, {1}, {1}}}, {"other", {ACL_BF16, {1}, {0.5}}}, {"out", {ACL_FLOAT, {1}, {1.5}}}},
             {{"alpha", 1}});
  ExpectCall("aclnnMul", {{"self", {ACL_INT8, {2}, {-7, 127}}},
                          {"other", {ACL_FLOAT16, {1}, {0.0999755859375}}},
                          {"out", {ACL_FLOAT, {2}, {-7 * 0.0999755859375, 127 * 0.0999755859375}}}});
  ExpectCall("aclnnMuls", {{"self", {ACL_FLOAT16, {1}, {3}}}, {"out", {ACL_FLOAT16, {1}, {0.89990234375}}}},
             {{"other", 0.3F}});
  ExpectCall("aclnnMuls",
             {{"self", {ACL_FLOAT16, {2}, {7, 333}}}, {"out", {ACL_FLOAT16, {2}, {0.7001953125, 33.3125}}}},
             {{"other", 0.1F}});
  ExpectCall("aclnnDiv", {{"self", {ACL_INT32, {4}, {7, -7, 1, 0}}},
                          {"other", {ACL_INT32, {4}, {2, 2, 0, 0}}},
                          {"out", {ACL_INT32, {4}, {3, -3, 2147483647, 0}}}});
  ExpectCall("aclnnDiv", {{"self", {ACL_INT32, {4}, {7, -7, 1, 0}}},
                          {"other", {ACL_INT32, {4}, {2, 2, 0, 0}}},
                          {"out", {ACL_FLOAT, {4}, {3.5, -3.5, kInf, kNan}}}});
}

// The exact quotients and products are close to the middle between two 16-bit values, to which float32 would round
// them.
TEST(Arithmetic, RoundsResultsWithFractionsOnce) {
  const auto expect = [](std::string_view api, const Example& self, const Example& out, double other) {
    ExpectCall(api, {{"self", self}, {"out", out}}, {{"other", other}});
  };
  expect("aclnnDivs", {ACL_FLOAT16, {1}, {411}}, {ACL_FLOAT16, {1}, {4108}}, 0.1);
  expect("aclnnDivs", {ACL_FLOAT, {1}, {411}}, {ACL_FLOAT16, {1}, {4108}}, 0.1);
  expect("aclnnDivs", {ACL_INT32, {1}, {411}}, {ACL_FLOAT16, {1}, {4108}}, 0.1);
  expect("aclnnDivs", {ACL_FLOAT16, {1}, {-411}}, {ACL_FLOAT16, {1}, {-4108}}, 0.1);
  expect("aclnnMuls", {ACL_FLOAT16, {2}, {1465, -1485}}, {ACL_FLOAT16, {2}, {1025, -1039}}, 0.7);
  ExpectCall(
      "aclnnAdd",
      {{"self", {ACL_FLOAT16, {1}, {2048}}}, {"other", {ACL_FLOAT16, {1}, {3}}}, {"out", {ACL_FLOAT16, {1}, {2050}}}},
      {{"alpha", 1.0 / 3}});
  ExpectCall("aclnnSub",
             {{"self", {ACL_BF16, {1}, {256}}}, {"other", {ACL_BF16, {1}, {-3}}}, {"out", {ACL_BF16, {1}, {258}}}},
             {{"alpha", 1.0 / 3}});
  ExpectCall("aclnnDivMods", {{"self", {ACL_FLOAT16, {1}, {411}}}, {"out", {ACL_FLOAT16, {1}, {4108}}}},
             {{"other", 0.1}, {"mode", 0}});
  ExpectCall("aclnnDivMods", {{"self", {ACL_BF16, {1}, {55 * 0x1p30}}}, {"out", {ACL_BF16, {1}, {548 * 0x1p30}}}},
             {{"other", 0.1}, {"mode", 2}});
}

// 3 * 683 is the middle between 2048 and 2050; the small summand, which float32 would lose, decides the rounding.
TEST(Arithmetic, SumsWithProductsAreRoundedOnce) {
  const Example small = {ACL_FLOAT16, {1}, {0x1p-24}}, product = {ACL_FLOAT16, {1}, {683}};
  const Example sum = {ACL_FLOAT16, {1}, {2050}};
  ExpectCall("aclnnAdd", {{"self", small}, {"other", product}, {"out", sum}}, {{"alpha", 3}});
  ExpectCall("aclnnSub", {{"self", small}, {"other", {ACL_FLOAT16, {1}, {-683}}}, {"out", sum}}, {{"alpha", 3}});
  ExpectCall("aclnnRsubs", {{"self", {ACL_FLOAT16, {1}, {-683}}}, {"out", sum}}, {{"other", 0x1p-24}, {"alpha", 3}});
}

// 185 * 1417 is 2^18 + 1, and subnormal float32 values end 15 bits below the middle between two of BFLOAT16.
TEST(Arithmetic, SubnormalProductsAreRoundedOnce) {
  ExpectCall("aclnnMuls", {{"self", {ACL_BF16, {1}, {185 * 0x1p-133}}}, {"out", {ACL_BF16, {1}, {0x1p-133}}}},
             {{"other", 1417 * 0x1p-19}});
}

// Every 16-bit value, with fractions of any size.
TEST(Arithmetic, ResultsWithFractionsAreTheNearest) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    std::vector<double> self;
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
      self.push_back(static_cast<double>(calls::LoadElement(dtype, &bits)));
    for (const char* const api : {"aclnnMuls", "aclnnDivs"}) {
      for (const double other : {0.1, 1.0 / 3, -0.7, 1e-3 / 7, 1e5 / 3}) {
        SCOPED_TRACE(other);
        EXPECT_EQ(testing::ExpectRight(Find(api), dtype, {{"self", self}}, {{"other", other}}), 0) << api;
      }
    }
  }
}

TEST(Arithmetic, DividesUnsignedIntegersByNegativeScalarsAsRealNumbers) {
  int64_t value = -4;
  aclScalar* const other = aclCreateScalar(&value, ACL_INT64);
  const testing::DeviceArray<std::byte> self(calls::Encode(ACL_UINT8, {200, 3}));
  const auto expect = [&](int mode, aclDataType dtype, const std::vector<double>& want) {
    SCOPED_TRACE(mode);
    const testing::DeviceArray<std::byte> out(2 * calls::ElementBytes(dtype));
    testing::ForEachTarget([&] {
      testing::RunPhases(aclnnDivModsGetWorkspaceSize, aclnnDivMods,
                         calls::TensorBuilder(ACL_UINT8, {2}).Data(self.data()).Build().get(), other, mode,
                         calls::TensorBuilder(dtype, {2}).Data(out.data()).Build().get());
      EXPECT_EQ(out.ToHost(), calls::Encode(dtype, want)) << dtype;
    });
  };
  expect(0, ACL_FLOAT, {-50, -0.75});
  expect(0, ACL_INT32, {-50, 0});
  expect(1, ACL_FLOAT, {-50, -0.0});
  expect(1, ACL_INT32, {-50, 0});
  expect(1, ACL_UINT8, {206, 0});
  expect(2, ACL_FLOAT, {-50, -1});
  expect(2, ACL_UINT8, {206, 255});
  EXPECT_EQ(aclDestroyScalar(other), 0);
}

// The result shows bits that FLOAT would round off.
TEST(Arithmetic, ComputesDoubleResultsOfFloatsInDouble) {
  const double tenth = static_cast<double>(0.1F);
  ExpectCall("aclnnMul", {{"self", {ACL_FLOAT, {1}, {tenth}}},
                          {"other", {ACL_FLOAT, {1}, {tenth}}},
                          {"out", {ACL_DOUBLE, {1}, {tenth * tenth}}}});
  ExpectCall(
      "aclnnDiv",
      {{"self", {ACL_FLOAT, {1}, {1}}}, {"other", {ACL_FLOAT, {1}, {3}}}, {"out", {ACL_DOUBLE, {1}, {1.0 / 3}}}});
}

TEST(Arithmetic, CountsIntegersModuloTheirRange) {
  const std::map<std::string, double> alpha = {{"alpha", 1}};
  ExpectCall(
      "aclnnMul",
      {{"self", {ACL_INT32, {1}, {65536}}}, {"other", {ACL_INT32, {1}, {65537}}}, {"out", {ACL_INT32, {1}, {65536}}}});
  ExpectCall("aclnnMul",
             {{"self", {ACL_INT8, {1}, {100}}}, {"other", {ACL_UINT8, {1}, {2}}}, {"out", {ACL_INT16, {1}, {200}}}});
}

TEST(Arithmetic, DividesIntegersByAnything) {
  constexpr double kLowest = -2147483648.0;
  const Example self = {ACL_INT32, {6}, {7, -7, 7, 5, kLowest, kLowest}};
  const Example other = {ACL_INT32, {6}, {2, 2, -2, 0, -1, 0}};
  const auto expect = [&](std::string_view api, const std::vector<double>& out,
                          const std::map<std::string, double>& mode = {}) {
    ExpectCall(api, {{"self", self}, {"other", other}, {"out", {ACL_INT32, {6}, out}}}, mode);
  };
  expect("aclnnDivMod", {3, -3, -3, 2147483647, 2147483647, kLowest}, {{"mode", 0}});
  expect("aclnnDivMod", {3, -3, -3, 0, kLowest, 0}, {{"mode", 1}});
  expect("aclnnDivMod", {3, -4, -4, 0, kLowest, 0}, {{"mode", 2}});
  expect("aclnnFloorDivide", {3, -4, -4, 0, kLowest, 0});
  expect("aclnnFmodTensor", {1, -1, 1, 0, 0, 0});
  expect("aclnnRemainderTensorTensor", {1, 1, -1, 5, 0, kLowest});
  expect("aclnnGcd", {1, 1, 1, 5, 1, kLowest});
}

TEST(Arithmetic, FindsCommonDivisorsOfManyNumbers) {
  const struct {
    aclDataType dtype;
    int64_t lowest, count;
  } rows[] = {{ACL_INT8, -127, 255},
              {ACL_UINT8, 0, 256},
              {ACL_INT16, -32767, 65535},
              {ACL_INT32, -2147483647, (int64_t{1} << 32) - 1},
              {ACL_INT64, int64_t{-1} << 50, int64_t{1} << 51}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dtype);
    std::mt19937_64 random(row.dtype);
    for (const int64_t n : {1, 63, 64, 65, 1000}) {
      std::vector<double> x, y, out;
      for (int64_t i = 0; i < n; ++i) {
        // Some of them are 0, or the other value times a power of two.
        const auto draw = [&] {
          return random() % 8 == 0 ? 0 : row.lowest + static_cast<int64_t>(random() % static_cast<uint64_t>(row.count));
        };
        const int64_t a = draw();
        const int64_t b = i % 4 == 0 ? a / 8 : draw();
        x.push_back(static_cast<double>(a));
        y.push_back(static_cast<double>(b));
        out.push_back(static_cast<double>(std::gcd(a, b)));
      }
      ExpectCall("aclnnGcd",
                 {{"self", {row.dtype, {n}, x}}, {"other", {row.dtype, {n}, y}}, {"out", {row.dtype, {n}, out}}});
    }
  }
}

TEST(Arithmetic, DividesFloatsByAnything) {
  const Example self = {ACL_FLOAT, {7}, {7, -7, 1, 0, -1, kInf, 1}};
  const Example other = {ACL_FLOAT, {7}, {2, 2, 0, 0, kInf, 2, 0.1F}};
  const auto expect = [&](std::string_view api, const std::vector<double>& out,
                          const std::map<std::string, double>& mode = {}) {
    ExpectCall(api, {{"self", self}, {"other", other}, {"out", {ACL_FLOAT, {7}, out}}}, mode);
  };
  expect("aclnnDivMod", {3, -3, kInf, kNan, 0, kInf, 10}, {{"mode", 1}});  // the last is truncated after rounding
  expect("aclnnDivMod", {3, -4, kInf, kNan, -1, kNan, 9}, {{"mode", 2}});
  expect("aclnnFloorDivide", {3, -4, kInf, kNan, -1, kNan, 9});
  expect("aclnnFmodTensor", {1, -1, kNan, kNan, -1, kNan, std::fmod(1.0F, 0.1F)});
  expect("aclnnRemainderTensorTensor", {1, 1, kNan, kNan, kInf, kNan, std::fmod(1.0F, 0.1F)});
}

// Products keep infinities instead of becoming NaN, as annex G of C99 requires.
TEST(Arithmetic, HasComplexNumbers) {
  for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128}) {
    const auto expect = [&](std::string_view api, const std::vector<double>& self, const std::vector<double>& other,
                            const std::vector<double>& out, const std::map<std::string, double>& scalars = {}) {
      const auto count = std::ssize(self) / 2;
      ExpectCall(api,
                 {{"self", {dtype, {count}, self}}, {"other", {dtype, {count}, other}}, {"out", {dtype, {count}, out}}},
                 scalars);
    };
    expect("aclnnAdd", {1, 2, kInf, 1}, {3, -5, 1, 2}, {7, -8, kInf, 5}, {{"alpha", 2}});
    expect("aclnnSub", {1, 2, 0, 1}, {3, -5, kInf, 2}, {-2, 7, -kInf, -1}, {{"alpha", 1}});
    expect("aclnnMul", {1, 2, kInf, kNan, kInf, 0, kNan, 1}, {3, -5, 1, 1, 0, 0, 1, 1},
           {13, 1, kInf, kInf, kNan, kNan, kNan, kNan});
    expect("aclnnDiv", {25, 50, 1, 0, kInf, 1, 1, 1, 0, 0}, {3, -4, 0, 0, 1, 1, kInf, kNan, 0, 0},
           {-5, 10, kInf, kNan, kInf, -kInf, 0, 0, kNan, kNan});
  }
}

TEST(Arithmetic, DoesNotLeaveTheRangeBetweenComplexNumbersInIt) {
  const auto expect = [](std::string_view api, const std::vector<double>& other, const std::vector<double>& out) {
    ExpectCall(api, {{"self", {ACL_COMPLEX128, {1}, {1e300, 1e300}}},
                     {"other", {ACL_COMPLEX128, {1}, other}},
                     {"out", {ACL_COMPLEX128, {1}, out}}});
  };
  expect("aclnnMul", {1e300, -1e300}, {kInf, 0});
  expect("aclnnDiv", {1e300, 1e300}, {1, 0});
  expect("aclnnDiv", {1e-5, 0}, {1e305, 1e305});
}

TEST(Arithmetic, StoresTheRealPartOfComplexResults) {
  ExpectCall(
      "aclnnMul",
      {{"self", {ACL_COMPLEX64, {1}, {1, 2}}}, {"other", {ACL_INT32, {1}, {3}}}, {"out", {ACL_FLOAT16, {1}, {3}}}});
}

TEST(Arithmetic, TakesAComplexAlphaOfComplexNumbersAlone) {
  const auto status = [](aclDataType self) {
    calls::Call call = calls::MakeValidCall(Operators()[0]);
    for (const char* const name : {"self", "other", "out"}) call.tensor(name).dtype = self;
    call.argument("alpha").number = ACL_COMPLEX64;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status(ACL_COMPLEX64), 0);
  EXPECT_EQ(status(ACL_COMPLEX128), 0);
  EXPECT_EQ(status(ACL_FLOAT), 161002);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'alpha'"), std::string_view::npos);
  EXPECT_EQ(status(ACL_INT32), 161002);
}

}  // namespace
}  // namespace portacl::ops::arithmetic
