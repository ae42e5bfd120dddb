// SPDX-License-Identifier: Apache-2.0
#include "tool/name_search.h"

#include <gtest/gtest.h>

namespace portacl::tool {
namespace {

TEST(NameSearch, FindsAMisspeltName) {
  EXPECT_EQ(DidYouMean("aclnLogitGrad", {"aclnnAdd", "aclnnLogitGrad"}), " (did you mean 'aclnnLogitGrad'?)");
  EXPECT_EQ(DidYouMean("rnu", {"info", "run"}), " (did you mean 'run'?)");
}

TEST(NameSearch, NamesTheNearestThree) {
  EXPECT_EQ(DidYouMean("Sotfmax", {"aclnnSoftmaxBackward", "aclnnAdd", "aclnnSoftmax", "aclnnArgMax", "aclnnHardtanh"},
                       "aclnn"),
            " (did you mean 'aclnnSoftmax'?)");
  EXPECT_EQ(DidYouMean("aclnMax", {"aclnnMaxn", "aclnnMaxim", "aclnnMax", "aclnnMaxx"}, "aclnn"),
            " (did you mean 'aclnnMax', 'aclnnMaxn' or 'aclnnMaxx'?)");
}

TEST(NameSearch, MatchesInAnyCaseAndWithoutThePrefix) {
  using Names = std::vector<std::string>;
  const Names names = {"aclnnAdd", "aclnnAdds", "aclnnEye", "aclnnEYE"};
  for (const char* name : {"aclnnAdd", "Add", "add", "ACLNNADD"})
    EXPECT_EQ(Matches(name, names, "aclnn"), Names{"aclnnAdd"});
  EXPECT_EQ(Matches("aclnnEye", names, "aclnn"), Names{"aclnnEye"});
  EXPECT_EQ(Matches("eye", names, "aclnn"), (Names{"aclnnEye", "aclnnEYE"}));
  EXPECT_EQ(Matches("aclnn", names, "aclnn"), Names{});
  EXPECT_EQ(Matches("", names, "aclnn"), Names{});
}

TEST(NameSearch, IgnoresCase) {
  EXPECT_EQ(DidYouMean("ACLNNLOGITGRAD", {"aclnnLogitGrad"}), " (did you mean 'aclnnLogitGrad'?)");
}

TEST(NameSearch, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(DidYouMean("softmax", {"aclnnLogitGrad"}), "");
  EXPECT_EQ(DidYouMean("x", {}), "");
  EXPECT_EQ(DidYouMean(std::string(1'000'000, 'a'), {"aclnnLogitGrad"}), "");
}

}  // namespace
}  // namespace portacl::tool
