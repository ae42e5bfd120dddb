// SPDX-License-Identifier: Apache-2.0
#include "tool/nearest.h"

#include <gtest/gtest.h>

namespace portacl::tool {
namespace {

TEST(Nearest, FindsAMisspeltName) {
  EXPECT_EQ(DidYouMean("aclnLogitGrad", {"aclnnLogit", "aclnnLogitGrad"}), " (did you mean 'aclnnLogitGrad'?)");
  EXPECT_EQ(DidYouMean("rnu", {"info", "run"}), " (did you mean 'run'?)");
}

TEST(Nearest, IgnoresCase) {
  EXPECT_EQ(DidYouMean("ACLNNLOGITGRAD", {"aclnnLogitGrad"}), " (did you mean 'aclnnLogitGrad'?)");
}

TEST(Nearest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(DidYouMean("softmax", {"aclnnLogitGrad"}), "");
  EXPECT_EQ(DidYouMean("x", {}), "");
  EXPECT_EQ(DidYouMean(std::string(1'000'000, 'a'), {"aclnnLogitGrad"}), "");
}

}  // namespace
}  // namespace portacl::tool
