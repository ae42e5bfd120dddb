// SPDX-License-Identifier: Apache-2.0
#include "tool/verify.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "tool/error.h"
#include "tool/schema_text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

// The rows of a call, after `damage` has changed its tensors.
template <class Damage>
std::vector<WorstElement> Rows(const char* api, const CallOptions& options, Damage damage) {
  UseDevice();
  PreparedCall prepared(FindOperator(api), options);
  prepared.Allocate();
  Verifier verifier(prepared);
  Launcher(prepared.call()).Run();
  prepared.Fetch();
  damage(prepared.tensors());
  return verifier.Compare([](double) {});
}

// One row, after `damage` has changed the result.
template <class Damage>
WorstElement Verified(const std::string& dims, Damage damage) {
  return Rows("aclnnLogitGrad", {{"x=random:" + dims, "dy=random:" + dims, "eps=-1"}, {"bf16"}, {}},
              [&](std::vector<HostTensor>& tensors) { damage(tensors.back().bytes); })
      .at(0);
}

TEST(Verify, AcceptsWhatTheOperatorWrote) {
  const WorstElement row = Verified("5,7", [](auto&) {});
  EXPECT_EQ(row.name, "out");
  EXPECT_TRUE(row.good());
  EXPECT_GT(row.deviation->error, 0);
  EXPECT_EQ(row.deviation->limit, 1);
}

TEST(Verify, TakesAResultThatIsSmallerThanItsTensor) {
  UseDevice();
  PreparedCall prepared(FindOperator("aclnnNonzero"), {{"self=random:3,4"}, {}, {}});
  prepared.Allocate();
  const size_t count = prepared.tensors()[0].bytes.size() / sizeof(float);
  std::vector<float> self(count);
  self[7] = 1;
  std::memcpy(prepared.tensors()[0].bytes.data(), self.data(), count * sizeof(float));
  prepared.Refill();
  Verifier verifier(prepared);
  Launcher launcher(prepared.call());
  launcher.Run();
  launcher.ReadShapes(prepared.call());
  prepared.Fetch();
  EXPECT_EQ(prepared.call().tensor("out").shape, calls::Dims({1, 2}));
  EXPECT_TRUE(verifier.Compare([](double) {}).front().good());
  prepared.call().tensor("out").shape = {2, 2};
  prepared.Fetch();
  EXPECT_THROW(Verifier(prepared).Compare([](double) {}), Failure);
}

TEST(Verify, FindsTheElementThatIsWrong) {
  const WorstElement row =
      Verified("5,7", [](std::vector<std::byte>& bytes) { bytes[2 * (3 * 7 + 4)] ^= std::byte{8}; });
  EXPECT_FALSE(row.good());
  EXPECT_EQ(row.index, (std::vector<int64_t>{3, 4}));
  EXPECT_NEAR(row.deviation->error, 8, 0.5);
}

TEST(Verify, FindsTheElementThatIsWrongWhereBitsAreDefined) {
  const auto damage = [](std::vector<HostTensor>& tensors) { tensors.back().bytes[4 * (3 * 7 + 4)] ^= std::byte{8}; };
  const WorstElement row = Rows("aclnnNeg", {{"self=random:5,7"}, {}, {}}, damage).at(0);
  EXPECT_FALSE(row.good());
  EXPECT_EQ(row.index, (std::vector<int64_t>{3, 4}));
}

// The call overwrites its list.
TEST(Verify, ComparesEachTensorOfAList) {
  const CallOptions options = {{"scaledGrads=random:2x3,random:5", "foundInf=random:1", "invScale=random:1"}, {}, {}};
  const auto rows_after = [&](auto damage) { return Rows("aclnnForeachNonFiniteCheckAndUnscale", options, damage); };
  for (const WorstElement& row : rows_after([](auto&) {})) EXPECT_TRUE(row.good()) << row.name;
  const std::vector<WorstElement> rows =
      rows_after([](std::vector<HostTensor>& tensors) { tensors[1].bytes[4 * 4] ^= std::byte{8}; });
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0].good());
  EXPECT_EQ(rows[1].name, "scaledGrads[1]");
  EXPECT_FALSE(rows[1].good());
  EXPECT_EQ(rows[1].index, std::vector<int64_t>{4});
  EXPECT_TRUE(rows[2].good());
}

TEST(Verify, TakesListsOfDifferentShapes) {
  const CallOptions options = {{"self=random:4,3", "splitSize=1,0,3", "dim=0"}, {}, {"out=1x3,0x3,3x3"}};
  const std::vector<WorstElement> rows = Rows("aclnnSplitWithSize", options, [](auto&) {});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[1].deviation);
  for (const WorstElement& row : rows) EXPECT_TRUE(row.good()) << row.name;
}

TEST(Verify, FindsANanThatShouldBeNone) {
  const WorstElement row = Verified("4", [](std::vector<std::byte>& bytes) { bytes[7] = bytes[6] = std::byte{0x7f}; });
  EXPECT_FALSE(row.good());
  EXPECT_EQ(row.index, (std::vector<int64_t>{3}));
}

TEST(Verify, AcceptsTensorsWithoutElementsAndWithoutAxes) {
  EXPECT_FALSE(Verified("0,3", [](auto&) {}).deviation);
  EXPECT_TRUE(Verified("1", [](auto&) {}).good());
}

}  // namespace
}  // namespace portacl::tool
