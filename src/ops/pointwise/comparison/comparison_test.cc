// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and what complex numbers are equal.
#include <limits>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

namespace portacl::ops::comparison {

std::span<const exec::OperatorEntry> Operators();

namespace {

TEST(Comparison, ComplexNumbersAreEqualWhereBothPartsAre) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const exec::OperatorEntry& entry : Operators()) {
    const std::string_view api = entry.schema->api;
    if (api != "aclnnEqTensor" && api != "aclnnNeTensor") continue;
    const double equal = api == "aclnnEqTensor" ? 1 : 0;
    testing::ExpectExample(entry,
                           {{"self", {ACL_COMPLEX64, {5}, {1, 2, 1, 2, 0, -0.0, kNan, 1, 3, 0}}},
                            {"other", {ACL_COMPLEX64, {5}, {1, 2, 1, 3, -0.0, 0, kNan, 1, 4, 0}}},
                            {"out", {ACL_BOOL, {5}, {equal, 1 - equal, equal, 1 - equal, 1 - equal}}}},
                           {}, 0);
  }
}

}  // namespace
}  // namespace portacl::ops::comparison

ROW_CONTRACT_TESTS(Comparison, portacl::ops::comparison::Operators());
