// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, and the dtype rule that no word of the schema expresses.
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/operator_contract.h"

OP_CONTRACT_TESTS(Real, real, 0);

namespace portacl::ops::real {
namespace {

aclnnStatus PlanOf(aclDataType self, aclDataType out) {
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  call.tensor("self").dtype = self;
  call.tensor("out").dtype = out;
  return testing::StatusOf(call);
}

TEST(Real, HasTheDtypeOfTheParts) {
  EXPECT_EQ(PlanOf(ACL_COMPLEX64, ACL_FLOAT), exec::kSuccess);
  EXPECT_EQ(PlanOf(ACL_COMPLEX128, ACL_DOUBLE), exec::kSuccess);
  EXPECT_EQ(PlanOf(ACL_FLOAT16, ACL_FLOAT16), exec::kSuccess);
  EXPECT_EQ(PlanOf(ACL_COMPLEX64, ACL_DOUBLE), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'out': expected FLOAT, got DOUBLE"), std::string_view::npos);
  EXPECT_EQ(PlanOf(ACL_FLOAT16, ACL_FLOAT), exec::kInvalid);
}

}  // namespace
}  // namespace portacl::ops::real
