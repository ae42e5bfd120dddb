// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_cumprod.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Scan, scan);

namespace portacl::ops::scan {
namespace {

using calls::TensorBuilder;
using testing::Example;

void ExpectCall(std::string_view api, const Example& in, const Example& out,
                const std::map<std::string, double>& attributes, double relative = 0) {
  const exec::OperatorEntry& entry = testing::FindRow(Operators(), api);
  testing::ExpectExample(entry, {{entry.schema->args[0].name, in}, {"out", out}}, attributes, relative);
}

TEST(Scan, GivesTheDocumentedResults) {
  ExpectCall("aclnnCumsum", {ACL_FLOAT16, {5}, {2048, 1, 1, 1, 1}}, {ACL_FLOAT16, {5}, {2048, 2048, 2050, 2052, 2052}},
             {{"dim", 0}, {"dtype", ACL_FLOAT16}});
  ExpectCall("aclnnCumsum", {ACL_INT32, {2, 3}, {1, 2, 3, 4, 5, 6}}, {ACL_INT32, {2, 3}, {1, 2, 3, 5, 7, 9}},
             {{"dim", 0}, {"dtype", ACL_INT32}});
  ExpectCall("aclnnCumprod", {ACL_FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}}, {ACL_FLOAT, {2, 3}, {1, 2, 6, 4, 20, 120}},
             {{"dim", -1}, {"dtype", ACL_FLOAT}});
  ExpectCall("aclnnCumsum", {ACL_FLOAT, {}, {7}}, {ACL_FLOAT, {}, {7}}, {{"dim", -1}, {"dtype", ACL_FLOAT}});
}

TEST(Scan, AddsComplexNumbersPartByPart) {
  ExpectCall("aclnnCumsum", {ACL_COMPLEX64, {3}, {1, 2, 3, -4, 5, 6}}, {ACL_COMPLEX64, {3}, {1, 2, 4, -2, 9, 4}},
             {{"dim", 0}, {"dtype", ACL_COMPLEX64}});
  ExpectCall("aclnnCumsum", {ACL_FLOAT, {2}, {1, 2}}, {ACL_COMPLEX128, {2}, {1, 0, 3, 0}},
             {{"dim", 0}, {"dtype", ACL_COMPLEX128}});
}

TEST(Scan, GoesFromEitherEndWithOrWithoutTheElementItself) {
  const auto expect = [](double exclusive, double reverse, const std::vector<double>& want) {
    ExpectCall("aclnnCumsumV2", {ACL_FLOAT, {4}, {1, 2, 3, 4}}, {ACL_FLOAT, {4}, want},
               {{"dim", 0}, {"exclusive", exclusive}, {"reverse", reverse}});
  };
  expect(0, 0, {1, 3, 6, 10});
  expect(1, 0, {0, 1, 3, 6});
  expect(0, 1, {10, 9, 7, 4});
  expect(1, 1, {9, 7, 4, 0});
}

TEST(Scan, ConvertsElementsFirstAndCountsIntegersModuloTheirRange) {
  ExpectCall("aclnnCumsum", {ACL_FLOAT, {3}, {1.7, 1.7, -0.9}}, {ACL_INT64, {3}, {1, 2, 2}},
             {{"dim", 0}, {"dtype", ACL_INT64}});
  ExpectCall("aclnnCumsum", {ACL_INT8, {3}, {100, 100, 100}}, {ACL_INT8, {3}, {100, -56, 44}},
             {{"dim", 0}, {"dtype", ACL_INT8}});
  ExpectCall("aclnnCumprod", {ACL_UINT8, {3}, {16, 17, 3}}, {ACL_UINT8, {3}, {16, 16, 48}},
             {{"dim", 0}, {"dtype", ACL_UINT8}});
}

// More columns than are scanned together, and an incomplete last group of columns.
TEST(Scan, OfColumnsIsThatOfEachColumnAlone) {
  constexpr int64_t kRows = 5, kColumns = 2061;
  for (const double exclusive : {0, 1}) {
    for (const double reverse : {0, 1}) {
      std::vector<double> in, want(2 * kRows * kColumns);
      for (int64_t i = 0; i < 2 * kRows * kColumns; ++i) in.push_back(static_cast<double>(i * 7919 % 1009 - 500));
      for (int64_t matrix = 0; matrix < 2; ++matrix) {
        for (int64_t column = 0; column < kColumns; ++column) {
          double sum = 0;
          for (int64_t i = 0; i < kRows; ++i) {
            const int64_t row = reverse != 0 ? kRows - 1 - i : i;
            const auto at = static_cast<size_t>((matrix * kRows + row) * kColumns + column);
            want[at] = exclusive != 0 ? sum : sum + in[at];
            sum += in[at];
          }
        }
      }
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_INT32})
        ExpectCall("aclnnCumsumV2", {dtype, {2, kRows, kColumns}, in}, {dtype, {2, kRows, kColumns}, want},
                   {{"dim", 1}, {"exclusive", exclusive}, {"reverse", reverse}});
    }
  }
}

// A running sum in float32 would have an error of 0.1 % at the end.
TEST(Scan, IsNoLessExactAtTheEndOfALongRow) {
  constexpr int64_t kColumns = 375'960;
  std::vector<double> in(kColumns, 0.1F), want;
  for (int64_t i = 1; i <= kColumns; ++i) want.push_back(static_cast<double>(i) * static_cast<double>(0.1F));
  ExpectCall("aclnnCumsum", {ACL_FLOAT, {1, kColumns}, in}, {ACL_FLOAT, {1, kColumns}, want},
             {{"dim", 1}, {"dtype", ACL_FLOAT}}, 0x1p-23);
  std::vector<double> factors(kColumns, 1 + 0x1p-20);
  for (size_t i = 0; i < factors.size(); ++i) want[i] = std::pow(1 + 0x1p-20L, static_cast<long double>(i + 1));
  ExpectCall("aclnnCumprod", {ACL_DOUBLE, {kColumns}, factors}, {ACL_DOUBLE, {kColumns}, want},
             {{"dim", 0}, {"dtype", ACL_DOUBLE}}, 0x1p-52);
}

TEST(Scan, TheAxisOfCumprodIsAScalarOfAnyRealDtype) {
  const auto status = [](auto value, aclDataType dtype) {
    aclScalar* const dim = aclCreateScalar(&value, dtype);
    const aclnnStatus result =
        testing::PhaseOne(aclnnCumprodGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {2, 3}).Build().get(), dim, ACL_FLOAT,
                          TensorBuilder(ACL_FLOAT, {2, 3}).Build().get());
    EXPECT_EQ(aclDestroyScalar(dim), 0);
    return result;
  };
  EXPECT_EQ(status(int64_t{1}, ACL_INT64), 0);
  EXPECT_EQ(status(int32_t{-2}, ACL_INT32), 0);
  EXPECT_EQ(status(1.0F, ACL_FLOAT), 0);
  EXPECT_EQ(status(int64_t{2}, ACL_INT64), 161002);
  EXPECT_EQ(status(-3.0, ACL_DOUBLE), 161002);
  EXPECT_EQ(status(uint64_t{0}, ACL_COMPLEX64), 161002);
}

}  // namespace
}  // namespace portacl::ops::scan
