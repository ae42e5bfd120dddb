// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and when complex numbers are equal.
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

ROW_CONTRACT_TESTS(Comparison, comparison);

namespace portacl::ops::comparison {
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

// In their common type, FLOAT, the two are equal: even if the dtype of the result could tell them apart.
TEST(Comparison, TheDtypeOfTheResultDoesNotCount) {
  for (const exec::OperatorEntry& entry : Operators()) {
    const std::string_view api = entry.schema->api;
    if (api.starts_with("aclnnInplace") || api.find("Logical") != api.npos) continue;
    SCOPED_TRACE(api);
    const bool is_true = api.find("Eq") != api.npos || api.find("Ge") != api.npos || api.find("Le") != api.npos;
    for (const aclDataType out : {ACL_BOOL, ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_INT32}) {
      std::vector<double> want = {is_true ? 1.0 : 0.0};
      if (out == ACL_COMPLEX64 || out == ACL_COMPLEX128) want.push_back(0);
      std::map<std::string, testing::Example> tensors = {{"self", {ACL_INT32, {1}, {16777217}}},
                                                         {"out", {out, {1}, want}}};
      if (entry.schema->args[1].kind == exec::ValueKind::kTensor) tensors["other"] = {ACL_FLOAT, {1}, {16777216}};
      testing::ExpectExample(entry, tensors, {{"other", 16777216}}, 0);
    }
  }
}

}  // namespace
}  // namespace portacl::ops::comparison
