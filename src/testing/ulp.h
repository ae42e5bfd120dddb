// SPDX-License-Identifier: Apache-2.0
// Assertions about the distance between a result and the exact value, in units in the last place (ULP).
//
//   EXPECT_ULP(want, got, 4);                                        // want: double (long double for a double result)
//   EXPECT_TRUE(WithinUlp(ACL_BF16, &want, &got, 1, "x = 0x3f80"));  // any dtype, with a note that names the inputs
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/ulp_error.h"

namespace portacl::testing {

// The failure's text contains inputs (`note`), want, got, ULP and limit. `term`: see UlpError.
::testing::AssertionResult WithinUlp(aclDataType dtype, long double exact, const void* got, double limit,
                                     std::string_view note = {}, double term = 0);
::testing::AssertionResult WithinUlp(double exact, float got, double limit);
::testing::AssertionResult WithinUlp(long double exact, double got, double limit);

// Same bits, including the sign of zero; two NaNs are equal whatever their payload.
::testing::AssertionResult SameBits(aclDataType dtype, const void* want, const void* got, std::string_view note = {});

}  // namespace portacl::testing

#define EXPECT_ULP(want, got, limit) EXPECT_TRUE(::portacl::testing::WithinUlp(want, got, limit))
