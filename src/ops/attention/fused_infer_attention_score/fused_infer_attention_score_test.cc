// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, and typical calls of clients.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/views.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(FusedInferAttentionScoreV2, fused_infer_attention_score, 0);

namespace portacl::ops::fused_infer_attention_score {
namespace {

using calls::Dims;
using testing::ExpectRight;
using testing::StatusOf;
using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// B batches of N query heads and K key heads, in layout BSND by default.
struct Sizes {
  int64_t batches = 1;
  int64_t heads = 1;
  int64_t key_heads = 1;
  int64_t queries = 2;
  int64_t keys = 3;
  int64_t depth = 2;
  int64_t value_depth = 2;
  std::string layout = "BSND";
};

class Attention : public testing::DeviceTest {
 protected:
  static Dims ShapeOf(const Sizes& of, bool is_result, int64_t heads, int64_t rows, int64_t depth) {
    if (of.layout == "BSH") return {of.batches, rows, heads * depth};
    if (of.layout == "BNSD" || (of.layout == "BNSD_BSND" && !is_result)) return {of.batches, heads, rows, depth};
    return {of.batches, rows, heads, depth};
  }

  static calls::Call CallOf(const Sizes& of, aclDataType dtype = ACL_FLOAT16) {
    calls::Call call = calls::MakeLargeCall(Operators()[0], 64, dtype);
    call.tensor("query").shape = ShapeOf(of, false, of.heads, of.queries, of.depth);
    call.tensor("key").shape = ShapeOf(of, false, of.key_heads, of.keys, of.depth);
    call.tensor("value").shape = ShapeOf(of, false, of.key_heads, of.keys, of.value_depth);
    call.tensor("attentionOut").shape = ShapeOf(of, true, of.heads, of.queries, of.value_depth);
    call.tensor("softmaxLse").shape = {of.batches, of.heads, of.queries, 1};
    call.tensor("pseShiftOptional").shape = {of.batches, of.heads, of.queries, of.keys};
    call.tensor("attenMaskOptional").shape = {of.queries, of.keys};
    call.tensor("attenMaskOptional").dtype = ACL_BOOL;
    call.tensor("softmaxLse").dtype = ACL_FLOAT;
    for (const char* const name : {"softmaxLse", "pseShiftOptional", "attenMaskOptional", "actualSeqLengthsOptional",
                                   "actualSeqLengthsKvOptional"})
      call.argument(name).null = true;
    call.argument("inputLayout").text = of.layout;
    call.argument("numHeads").integer = of.heads;
    call.argument("numKeyValueHeads").integer = of.key_heads;
    call.argument("scaleValue").real = 1 / std::sqrt(static_cast<double>(of.depth));
    call.argument("preTokens").integer = call.argument("nextTokens").integer = 65535;
    for (const char* const name : {"sparseMode", "innerPrecise", "blockSize", "antiquantMode", "keyAntiquantMode",
                                   "valueAntiquantMode", "softmaxLseFlag"})
      call.argument(name).integer = 0;
    return call;
  }

  static void Give(calls::Call& call, const char* name, const Values& values) {
    calls::TensorSpec& tensor = call.tensor(name);
    call.argument(name).null = false;
    const std::vector<std::byte> bytes = calls::Encode(tensor.dtype, values);
    tensor.data = call.AllocateBlock(bytes.size());
    testing::WriteMemory(tensor.data, bytes);
  }
  static void GiveOutput(calls::Call& call, const char* name) {
    Give(call, name, Values(static_cast<size_t>(calls::ElementCount(call.tensor(name).shape)), 99.0));
  }
  static Values Read(calls::Call& call, const char* name) {
    const calls::TensorSpec& tensor = call.tensor(name);
    return calls::Decode(tensor.dtype, calls::ReadElements(tensor));
  }
  static void ExpectValues(calls::Call& call, const char* name, const Values& want, double relative) {
    const Values got = Read(call, name);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      if (std::isnan(want[i]) || std::isinf(want[i])) {
        EXPECT_TRUE(std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i]) << name << i << ": " << got[i];
      } else {
        EXPECT_NEAR(got[i], want[i], relative * std::abs(want[i])) << name << " " << i;
      }
    }
  }

  // q = [[1,0],[0,1]], k = [[1,0],[0,1],[1,1]], v = [[1,2],[3,4],[5,6]], scale 0.5.
  static calls::Call Example() {
    calls::Call call = CallOf({});
    call.argument("scaleValue").real = 0.5;
    Give(call, "query", {1, 0, 0, 1});
    Give(call, "key", {1, 0, 0, 1, 1, 1});
    Give(call, "value", {1, 2, 3, 4, 5, 6});
    GiveOutput(call, "attentionOut");
    return call;
  }
};

TEST_F(Attention, GivesTheWorkedExamples) {
  testing::ForEachTarget([] {
    calls::Call call = Example();
    GiveOutput(call, "softmaxLse");
    call.argument("softmaxLseFlag").integer = 1;
    testing::RunPhases(call);
    ExpectValues(call, "attentionOut", {3, 4, 3.3019104, 4.3019104}, 0x1p-11);
    ExpectValues(call, "softmaxLse", {1.4580201, 1.4580201}, 1e-6);
    Give(call, "pseShiftOptional", {0, -kInf, -kInf, 0, 0, -kInf});
    testing::RunPhases(call);
    ExpectValues(call, "attentionOut", {1, 2, 2.2449187, 3.2449187}, 0x1p-11);
    Give(call, "pseShiftOptional", {0, 1, 0, 0, 0, -1});
    testing::RunPhases(call);
    ExpectValues(call, "attentionOut", {3, 4, 2.7582557, 3.7582557}, 0x1p-11);
  });
}

TEST_F(Attention, RowsWithoutKeysAreZero) {
  for (const int64_t precise : {0, 1, 2, 3}) {
    calls::Call call = Example();
    call.argument("innerPrecise").integer = precise;
    GiveOutput(call, "softmaxLse");
    call.argument("softmaxLseFlag").integer = 1;
    Give(call, "pseShiftOptional", {-kInf, -kInf, -kInf, 0, -kInf, -kInf});
    testing::RunPhases(call);
    ExpectValues(call, "attentionOut", {0, 0, 1, 2}, 0);
    ExpectValues(call, "softmaxLse", {kInf, 0}, 0);
    call.argument("pseShiftOptional").null = true;
    Give(call, "attenMaskOptional", {1, 0, 1, 1, 1, 1});
    testing::RunPhases(call);
    ExpectValues(call, "attentionOut", {3, 4, 0, 0}, 0);
  }
}

TEST_F(Attention, AMaskedKeyMayHoldAnything) {
  for (const double odd : {kNan, kInf, -kInf}) {
    calls::Call call = Example();
    Give(call, "value", {1, 2, odd, odd, 5, 6});
    Give(call, "key", {1, 0, odd, odd, 1, 1});
    Give(call, "attenMaskOptional", {0, 1, 0, 0, 1, 0});
    testing::RunPhases(call);
    ExpectValues(call, "attentionOut", {3, 4, 3.4898, 4.4898}, 1e-3);
  }
}

TEST_F(Attention, SparseModesTakeTheKeysOfTheirBand) {
  // The value of each key is its index, and all scores are equal: the result is the mean of the indices.
  const auto means = [](int64_t mode, int64_t queries, int64_t keys, int64_t pre, int64_t next) {
    calls::Call call = CallOf({.queries = queries, .keys = keys, .depth = 1, .value_depth = 1});
    Give(call, "query", Values(static_cast<size_t>(queries), 0));
    Give(call, "key", Values(static_cast<size_t>(keys), 0));
    Values numbers;
    for (int64_t key = 0; key < keys; ++key) numbers.push_back(static_cast<double>(key));
    Give(call, "value", numbers);
    Give(call, "attenMaskOptional", Values(static_cast<size_t>(queries * keys), 0));
    GiveOutput(call, "attentionOut");
    call.argument("sparseMode").integer = mode;
    call.argument("preTokens").integer = pre;
    call.argument("nextTokens").integer = next;
    testing::RunPhases(call);
    return Read(call, "attentionOut");
  };
  EXPECT_EQ(means(0, 3, 5, 1, 1), (Values{0.5, 1, 2}));
  EXPECT_EQ(means(0, 3, 5, 65535, 0), (Values{0, 0.5, 1}));
  EXPECT_EQ(means(1, 3, 5, 0, 0), (Values{2, 2, 2}));
  EXPECT_EQ(means(2, 3, 5, 0, 0), (Values{0, 0.5, 1}));
  EXPECT_EQ(means(3, 3, 5, 0, 0), (Values{1, 1.5, 2}));
  EXPECT_EQ(means(3, 5, 3, 0, 0), (Values{0, 0, 0, 0.5, 1}));
  EXPECT_EQ(means(4, 3, 5, 1, 0), (Values{1.5, 2.5, 3.5}));
  EXPECT_EQ(means(4, 3, 5, 0, 1), (Values{2.5, 3.5, 4}));
  EXPECT_EQ(means(0, 3, 5, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()),
            (Values{2, 2, 2}));
  EXPECT_EQ(means(2, 1, 5, 0, 0), (Values{2})) << "one query sees all keys";
}

TEST_F(Attention, ReadsNoKeyBeyondTheActualLengths) {
  calls::Call call = CallOf({.batches = 2, .queries = 2, .keys = 3, .depth = 1, .value_depth = 1});
  Give(call, "query", {0, 0, 0, 0});
  Give(call, "key", {0, 0, kNan, 0, kNan, kNan});
  Give(call, "value", {1, 3, kNan, 5, kNan, kNan});
  GiveOutput(call, "attentionOut");
  call.argument("actualSeqLengthsKvOptional").null = call.argument("actualSeqLengthsOptional").null = false;
  call.argument("actualSeqLengthsKvOptional").integers = {2, 1};
  call.argument("actualSeqLengthsOptional").integers = {1, 2};
  testing::RunPhases(call);
  ExpectValues(call, "attentionOut", {2, 0, 5, 5}, 0);
}

// Batches are padded to one size; the value of a key is its index, so that results are means of indices.
TEST_F(Attention, TheDiagonalEndsWithTheActualLengthsOfEachBatch) {
  const auto means = [](int64_t mode, const Dims& of_queries, const Dims& of_keys) {
    calls::Call call = CallOf({.batches = 2, .queries = 3, .keys = 5, .depth = 1, .value_depth = 1});
    Give(call, "query", Values(6, 0));
    Give(call, "key", Values(10, 0));
    Give(call, "value", {0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
    Give(call, "attenMaskOptional", Values(15, 0));
    GiveOutput(call, "attentionOut");
    call.argument("sparseMode").integer = mode;
    call.argument("preTokens").integer = 1;
    call.argument("nextTokens").integer = 0;
    for (const bool is_key : {false, true}) {
      calls::ArgumentSpec& lengths = call.argument(is_key ? "actualSeqLengthsKvOptional" : "actualSeqLengthsOptional");
      lengths.integers = is_key ? of_keys : of_queries;
      lengths.null = lengths.integers.empty();
    }
    testing::RunPhases(call);
    return Read(call, "attentionOut");
  };
  EXPECT_EQ(means(3, {2, 3}, {4, 3}), (Values{1, 1.5, 0, 0, 0.5, 1}));
  EXPECT_EQ(means(4, {2, 3}, {4, 3}), (Values{1.5, 2.5, 0, 0, 0.5, 1.5}));
  EXPECT_EQ(means(3, {}, {4, 3}), (Values{0.5, 1, 1.5, 0, 0.5, 1}));
  EXPECT_EQ(means(3, {2}, {}), (Values{1.5, 2, 0, 1.5, 2, 0}));
  EXPECT_EQ(means(3, {2}, {1}), (Values{0, 0, 0, 0, 0, 0})) << "the first query has no key";
  EXPECT_EQ(means(2, {2, 3}, {4, 3}), (Values{0, 0.5, 0, 0, 0.5, 1})) << "from the top left whatever the lengths";
}

TEST_F(Attention, WithoutKeysAllIsZero) {
  calls::Call call = CallOf({.keys = 0});
  Give(call, "query", {1, 2, 3, 4});
  GiveOutput(call, "attentionOut");
  testing::RunPhases(call);
  ExpectValues(call, "attentionOut", {0, 0, 0, 0}, 0);
}

// Shapes from models, as clients pass them: queries and keys of caches, in several pieces of keys and of rows.
TEST_F(Attention, IsRightForPromptsAndDecoding) {
  constexpr int64_t kQueries = testing::kTestsAreSlow ? 70 : 130, kKeys = testing::kTestsAreSlow ? 80 : 200;
  const Sizes sizes[] = {
      {.heads = 4, .key_heads = 2, .queries = 1, .keys = 1100, .depth = 64, .value_depth = 64},
      {.heads = 6, .key_heads = 2, .queries = 3, .keys = 700, .depth = 80, .value_depth = 48, .layout = "BNSD"},
      {.heads = 2,
       .key_heads = 1,
       .queries = kQueries,
       .keys = kKeys,
       .depth = 128,
       .value_depth = 128,
       .layout = "BSH"},
      {.heads = 2, .key_heads = 2, .queries = 100, .keys = 129, .depth = 20, .value_depth = 33, .layout = "BNSD_BSND"},
  };
  int turn = 0;
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    for (const Sizes& of : sizes) {
      if (++turn % testing::OneOf(3) != 0) continue;
      calls::Call call = CallOf(of, dtype);
      call.argument("softmaxLse").null = false;
      call.argument("softmaxLseFlag").integer = 1;
      call.argument("scaleValue").real = 0.01;  // small, so that many keys have weight
      call.argument("pseShiftOptional").null = false;
      call.tensor("pseShiftOptional").strides = Dims{0, 0, of.keys + 5, 1};
      ExpectRight(call);
      call.argument("pseShiftOptional").null = true;
      call.argument("attenMaskOptional").null = false;
      call.argument("sparseMode").integer = 3;
      ExpectRight(call);
    }
  }
}

// Equal products round the same way each time, with one query and with many.
TEST_F(Attention, KeepsItsPromiseForEqualQueriesAndKeys) {
  for (const int64_t depth : {64, 512, 2048}) {
    for (const int64_t queries : {1, 20}) {
      calls::Call call = CallOf({.queries = queries, .keys = 5, .depth = depth, .value_depth = 1});
      call.argument("softmaxLse").null = false;
      call.argument("softmaxLseFlag").integer = 1;
      call.AllocateData();
      for (const char* const name : {"query", "key", "value"}) testing::FillWith(call, name, 1.171875 + 0x1p-9);
      testing::ExpectConformance(call);
    }
  }
}

TEST_F(Attention, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Sizes& of :
       {Sizes{.heads = 4, .key_heads = 2, .queries = 1, .keys = 2100, .depth = 32, .value_depth = 32},
        Sizes{.heads = 2, .key_heads = 1, .queries = 150, .keys = 150, .depth = 32, .value_depth = 32}}) {
    calls::Call call = CallOf(of);
    call.AllocateData();
    calls::Random random(1);
    calls::DrawContents(call, random, 0);
    testing::ExpectConformanceOfThreads(call, {1, 2, 3, 8});
  }
}

TEST_F(Attention, RefusesWhatIsNotComputedByName) {
  const calls::Call valid = CallOf({});
  EXPECT_EQ(StatusOf(valid), 0);
  for (const char* const name :
       {"deqScale1Optional", "quantScale1Optional", "deqScale2Optional", "quantScale2Optional", "quantOffset2Optional",
        "antiquantScaleOptional", "antiquantOffsetOptional", "blockTableOptional", "queryPaddingSizeOptional",
        "kvPaddingSizeOptional", "keyAntiquantScaleOptional", "keyAntiquantOffsetOptional",
        "valueAntiquantScaleOptional", "valueAntiquantOffsetOptional", "keySharedPrefixOptional",
        "valueSharedPrefixOptional", "actualSharedPrefixLenOptional"}) {
    calls::Call call = valid;
    call.argument(name).null = false;
    EXPECT_EQ(StatusOf(call), 561003);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find(name), std::string::npos);
  }
  for (const char* const name : {"blockSize", "antiquantMode", "keyAntiquantMode", "valueAntiquantMode"}) {
    calls::Call call = valid;
    call.argument(name).integer = 1;
    EXPECT_EQ(StatusOf(call), 561003);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find(name), std::string::npos);
  }
  calls::Call call = valid;
  call.argument("key").tensors.push_back(call.tensor("key"));
  EXPECT_EQ(StatusOf(call), 561003);
  call = valid;
  call.tensor("query").dtype = ACL_INT8;
  EXPECT_EQ(StatusOf(call), 561003);
}

TEST_F(Attention, RefusesHeadsShapesAndModesThatDoNotFit) {
  const calls::Call valid = CallOf({.heads = 4, .key_heads = 2});
  EXPECT_EQ(StatusOf(valid), 0);
  const auto expect_refused = [&](const char* name, const auto& change) {
    calls::Call call = valid;
    change(call);
    EXPECT_EQ(StatusOf(call), 161002) << name;
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find(name), std::string::npos) << name;
  };
  const auto set = [](const char* name, int64_t value) {
    return [=](calls::Call& call) { call.argument(name).integer = value; };
  };
  const auto grow = [](const char* name, size_t axis) {
    return [=](calls::Call& call) { ++call.tensor(name).shape[axis], call.argument(name).null = false; };
  };
  for (const char* const layout : {"TND", "", "bsnd", "BSND_BNSD"})
    expect_refused("inputLayout", [=](calls::Call& call) { call.argument("inputLayout").text = layout; });
  expect_refused("query", [](calls::Call& call) { call.argument("inputLayout").text = "BSH"; });
  expect_refused("numHeads", set("numHeads", 2));
  expect_refused("numHeads", set("numHeads", 0));
  expect_refused("numKeyValueHeads", set("numKeyValueHeads", 3));
  expect_refused("numKeyValueHeads", set("numKeyValueHeads", -1));
  expect_refused("key", set("numKeyValueHeads", 4));
  for (const int64_t mode : {-1, 5, 8}) expect_refused("sparseMode", set("sparseMode", mode));
  expect_refused("innerPrecise", set("innerPrecise", 4));
  for (const size_t axis : {0, 2, 3}) expect_refused("key", grow("key", axis));
  expect_refused("value", grow("key", 1));
  for (const size_t axis : {0, 1, 2}) expect_refused("value", grow("value", axis));
  for (const size_t axis : {1, 2}) expect_refused("pseShiftOptional", grow("pseShiftOptional", axis));
  for (const size_t axis : {0, 1, 2, 3}) expect_refused("attentionOut", grow("attentionOut", axis));
  expect_refused("attenMaskOptional", [](calls::Call& call) {
    call.argument("attenMaskOptional").null = false;
    call.tensor("attenMaskOptional").shape = {1, 3};
  });
  for (const int64_t length : {-1, 4}) {
    expect_refused("actualSeqLengthsKvOptional", [=](calls::Call& call) {
      call.argument("actualSeqLengthsKvOptional").null = false;
      call.argument("actualSeqLengthsKvOptional").integers = {length};
    });
  }
}

}  // namespace
}  // namespace portacl::ops::fused_infer_attention_score
