// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_arange.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Sequence, sequence);

namespace portacl::ops::sequence {
namespace {

using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void ExpectCall(std::string_view api, const Example& out, const std::map<std::string, double>& attributes,
                double relative = 0) {
  testing::ExpectExample(testing::FindRow(Operators(), api), {{"out", out}}, attributes, relative);
}

TEST(Sequence, GivesTheDocumentedElements) {
  ExpectCall("aclnnArange", {ACL_FLOAT, {4}, {0, 0.3F, 0.6F, 0.90000004F}}, {{"start", 0}, {"end", 1}, {"step", 0.3}});
  ExpectCall("aclnnRange", {ACL_FLOAT, {3}, {0, 0.5, 1}}, {{"start", 0}, {"end", 1}, {"step", 0.5}});
  ExpectCall("aclnnLinspace", {ACL_FLOAT, {4}, {0, 0.33333334F, 0.6666666F, 1}},
             {{"start", 0}, {"end", 1}, {"steps", 4}});
  ExpectCall("aclnnEye", {ACL_FLOAT16, {2, 3}, {1, 0, 0, 0, 1, 0}}, {{"n", 2}, {"m", 3}});
}

TEST(Sequence, FillsAnyShapeInRowMajorOrder) {
  ExpectCall("aclnnArange", {ACL_FLOAT16, {1, 1, 1, 4}, {1, 3, 5, 7}}, {{"start", 1}, {"end", 8}, {"step", 2}});
  ExpectCall("aclnnArange", {ACL_INT32, {2, 3}, {3, 2, 1, 0, -1, -2}}, {{"start", 3}, {"end", -3}, {"step", -1}});
  ExpectCall("aclnnLinspace", {ACL_INT64, {2, 2}, {0, 3, 6, 10}}, {{"start", 0}, {"end", 10}, {"steps", 4}});
  ExpectCall("aclnnLinspace", {ACL_DOUBLE, {}, {3}}, {{"start", 3}, {"end", 10}, {"steps", 1}});
}

// Larger than the caches, as tests configure them: stores are non-temporal, and the last block is not full.
TEST(Sequence, LongOnesAreLikeShortOnes) {
  constexpr int64_t kCount = 300'003;
  std::vector<double> want;
  for (int64_t i = 0; i < kCount; ++i) want.push_back(static_cast<double>(3 * i - 7));
  const std::map<std::string, double> ends = {{"start", -7}, {"end", 3 * kCount - 7}, {"step", 3}};
  ExpectCall("aclnnArange", {ACL_FLOAT, {kCount}, want}, ends);
  ExpectCall("aclnnArange", {ACL_INT32, {3, kCount / 3}, want}, ends);
}

TEST(Sequence, IntegersTruncateScalarsFirst) {
  ExpectCall("aclnnArange", {ACL_INT64, {3}, {0, 1, 2}}, {{"start", 0.5}, {"end", 5}, {"step", 1.75}});
  ExpectCall("aclnnLinspace", {ACL_UINT8, {3}, {255, 128, 1}}, {{"start", -1.5}, {"end", 257}, {"steps", 3}});
}

// With one infinite end the step is infinite: values counted from the finite end are infinite or NaN, all others NaN.
TEST(Sequence, AnInfiniteEndFollowsTheFormula) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_BF16}) {
    ExpectCall("aclnnLinspace", {dtype, {4}, {kNan, kNan, -kInf, kNan}},
               {{"start", -kInf}, {"end", -0.5}, {"steps", 4}});
    ExpectCall("aclnnLinspace", {dtype, {4}, {kNan, kInf, kNan, kNan}}, {{"start", 2}, {"end", kInf}, {"steps", 4}});
  }
}

template <class T>
aclnnStatus StatusOf(T start, T end, T step, aclDataType dtype, int64_t elements) {
  aclScalar* const scalars[] = {aclCreateScalar(&start, dtype), aclCreateScalar(&end, dtype),
                                aclCreateScalar(&step, dtype)};
  const aclnnStatus status = testing::PhaseOne(aclnnArangeGetWorkspaceSize, scalars[0], scalars[1], scalars[2],
                                               calls::TensorBuilder(ACL_FLOAT, {elements}).Build().get());
  for (aclScalar* const scalar : scalars) EXPECT_EQ(aclDestroyScalar(scalar), 0);
  return status;
}

TEST(Sequence, AStepLeadsFromStartToEnd) {
  EXPECT_EQ(StatusOf(0.0, 1.0, 0.0, ACL_DOUBLE, 1), 161002);
  EXPECT_EQ(StatusOf(0.0, 1.0, kNan, ACL_DOUBLE, 1), 161002);
  EXPECT_EQ(StatusOf(0.0, 1.0, -1.0, ACL_DOUBLE, 1), 161002);
  EXPECT_EQ(StatusOf(0.0, -1.0, 1.0, ACL_DOUBLE, 1), 161002);
  EXPECT_EQ(StatusOf(0.0, kNan, 1.0, ACL_DOUBLE, 1), 161002);
  EXPECT_EQ(StatusOf(0.0, kInf, 1.0, ACL_DOUBLE, 1), 161002);
  EXPECT_EQ(StatusOf(0.0, 1.0, kInf, ACL_DOUBLE, 0), 0);
  EXPECT_EQ(StatusOf(2.0, 2.0, 1.0, ACL_DOUBLE, 0), 0);
  EXPECT_EQ(StatusOf(2.0, 2.0, 1.0, ACL_DOUBLE, 1), 161002);
}

// In FLOAT, 7 / 0.7 is 10; in DOUBLE, the quotient of 7 and the FLOAT value 0.7 is slightly above 10.
TEST(Sequence, ElementsAreCountedInDoubleOrFloat) {
  EXPECT_EQ(StatusOf(1.0, 2.0, 0.1, ACL_DOUBLE, 10), 0);
  EXPECT_EQ(StatusOf(0.0F, 7.0F, 0.7F, ACL_FLOAT, 10), 0);
  EXPECT_EQ(StatusOf(0.0F, 7.0F, 0.7F, ACL_FLOAT, 11), 0);
  EXPECT_EQ(StatusOf(0.0F, 7.0F, 0.7F, ACL_FLOAT, 9), 161002);
  EXPECT_EQ(StatusOf(int64_t{0}, int64_t{7}, int64_t{2}, ACL_INT64, 4), 0);
}

}  // namespace
}  // namespace portacl::ops::sequence
