// SPDX-License-Identifier: Apache-2.0
//
// @api@: tests derived from schema and oracle, documented results and statuses, and inputs that are known to be
// difficult.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/@family@/@room@/@room@_oracle.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

OP_CONTRACT_TESTS(@Room@, @room@, 0);

namespace portacl::ops::@room@ {
namespace {

TEST(@Room@, GivesTheDocumentedResults) {
  // Call testing::ExpectExample for each row of the public page.
  FAIL() << "not written yet: rows of the public page, call -> result";
}

TEST(@Room@, StaysWithinItsErrorWhereItIsHardest) {
  ASSERT_FALSE(std::isnan(@Room@Reference(0.5))) << "not written yet: the oracle, and the numbers that this test takes";
  testing::ExpectRight(Operators()[0], ACL_FLOAT, {{"self", {0.5, 0.25, -1.0}}});
}

}  // namespace
}  // namespace portacl::ops::@room@
