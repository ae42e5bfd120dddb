// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

namespace portacl::ops::unary {

std::span<const exec::OperatorEntry> Operators();

namespace {

void ExpectRounded(aclDataType dtype, double decimals, const std::vector<double>& self,
                   const std::vector<double>& out) {
  const auto count = std::ssize(self);
  for (const exec::OperatorEntry& entry : Operators()) {
    if (entry.schema->api != std::string_view("aclnnRoundDecimals")) continue;
    testing::ExpectExample(entry, {{"self", {dtype, {count}, self}}, {"out", {dtype, {count}, out}}},
                           {{"decimals", decimals}}, 0);
  }
}

TEST(Unary, RoundsToDecimals) {
  ExpectRounded(ACL_FLOAT, 2, {1.234F, -1.235F, 0.125F}, {1.23F, -1.24F, 0.12F});
  ExpectRounded(ACL_FLOAT, -2, {1250, 1350, 49}, {1200, 1400, 0});
  ExpectRounded(ACL_DOUBLE, 0, {2.5, -3.5}, {2, -4});
  ExpectRounded(ACL_INT64, -2, {1250, 1350, -49}, {1200, 1400, 0});
  ExpectRounded(ACL_INT64, 3, {1250, -1}, {1250, -1});
}

}  // namespace
}  // namespace portacl::ops::unary

ROW_CONTRACT_TESTS(Unary, portacl::ops::unary::Operators());
