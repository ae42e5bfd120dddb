// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

namespace portacl::ops::arithmetic {

std::span<const exec::OperatorEntry> Operators();

namespace {

using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectCall(std::string_view api, const std::map<std::string, Example>& tensors,
                const std::map<std::string, double>& scalars = {}, double relative = 0) {
  for (const exec::OperatorEntry& entry : Operators()) {
    if (api == entry.schema->api) return testing::ExpectExample(entry, tensors, scalars, relative);
  }
  FAIL() << "no " << api;
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

TEST(Arithmetic, DividesFloatsByAnything) {
  const Example self = {ACL_FLOAT, {7}, {7, -7, 1, 0, -1, kInf, 1}};
  const Example other = {ACL_FLOAT, {7}, {2, 2, 0, 0, kInf, 2, 0.1F}};
  const auto expect = [&](std::string_view api, const std::vector<double>& out,
                          const std::map<std::string, double>& mode = {}) {
    ExpectCall(api, {{"self", self}, {"other", other}, {"out", {ACL_FLOAT, {7}, out}}}, mode);
  };
  expect("aclnnDivMod", {3, -3, kInf, kNan, 0, kInf, 10}, {{"mode", 1}});  // the last is cut off when it is rounded
  expect("aclnnDivMod", {3, -4, kInf, kNan, -1, kNan, 9}, {{"mode", 2}});
  expect("aclnnFloorDivide", {3, -4, kInf, kNan, -1, kNan, 9});
  expect("aclnnFmodTensor", {1, -1, kNan, kNan, -1, kNan, std::fmod(1.0F, 0.1F)});
  expect("aclnnRemainderTensorTensor", {1, 1, kNan, kNan, kInf, kNan, std::fmod(1.0F, 0.1F)});
}

}  // namespace
}  // namespace portacl::ops::arithmetic

ROW_CONTRACT_TESTS(Arithmetic, portacl::ops::arithmetic::Operators());
