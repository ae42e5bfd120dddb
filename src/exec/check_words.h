// SPDX-License-Identifier: Apache-2.0
// Checks of single words, for the engine in check.cc. Each returns 0, or what Arguments::Refuse() returned.
#pragma once

#include "exec/arguments.h"

namespace portacl::exec {

// Refuses with the status of `step`, and says that the product lacks the operator: check.cc
aclnnStatus RefuseProduct(const Arguments& arguments, const Step& step);

// dtypes: check_dtype.cc
aclnnStatus CheckDtypeOneOf(const Arguments& arguments, const Step& step);
aclnnStatus CheckSameDtype(const Arguments& arguments, const Step& step);
aclnnStatus CheckPromotesOneOf(const Arguments& arguments, const Step& step);
aclnnStatus CheckPromotesTo(const Arguments& arguments, const Step& step);

// sizes and values of attributes: check_value.cc
aclnnStatus CheckSizeInRange(const Arguments& arguments, const Step& step);
aclnnStatus CheckDivisibleAlong(const Arguments& arguments, const Step& step);
aclnnStatus CheckSameSize(const Arguments& arguments, const Step& step);  // also SameSizeOrOne
aclnnStatus CheckDimInRange(const Arguments& arguments, const Step& step);
aclnnStatus CheckValueOneOf(const Arguments& arguments, const Step& step);
aclnnStatus CheckValueAtLeast(const Arguments& arguments, const Step& step);
aclnnStatus CheckAttributeIs(const Arguments& arguments, const Step& step);

}  // namespace portacl::exec
