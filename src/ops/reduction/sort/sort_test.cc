// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_apply_top_k_top_p.h"
#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_median.h"
#include "aclnnop/aclnn_topk.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Sort, sort);

namespace portacl::ops::sort {
namespace {

using calls::TensorBuilder;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const exec::OperatorEntry& Argsort() { return Operators()[0]; }
const exec::OperatorEntry& Sort() { return Operators()[1]; }

TEST(Sort, GivesTheDocumentedPlaces) {
  const Example self = {ACL_FLOAT, {6}, {3, kNan, 1, 3, -0.0, 0}};
  testing::ExpectExample(Argsort(), {{"self", self}, {"out", {ACL_INT64, {6}, {4, 5, 2, 0, 3, 1}}}},
                         {{"dim", -1}, {"descending", 0}}, 0);
  testing::ExpectExample(Argsort(), {{"self", self}, {"out", {ACL_INT64, {6}, {1, 0, 3, 2, 4, 5}}}},
                         {{"dim", 0}, {"descending", 1}}, 0);
}

TEST(Sort, GivesValuesBesideTheirPlaces) {
  testing::ExpectExample(Sort(),
                         {{"self", {ACL_FLOAT16, {2, 3}, {kInf, -1, 2, kNan, -kInf, 7}}},
                          {"valuesOut", {ACL_DOUBLE, {2, 3}, {-1, 2, kInf, -kInf, 7, kNan}}},
                          {"indicesOut", {ACL_INT64, {2, 3}, {1, 2, 0, 1, 2, 0}}}},
                         {{"dim", 1}, {"descending", 0}, {"stable", 0}}, 0);
  testing::ExpectExample(Sort(),
                         {{"self", {ACL_INT64, {3, 2}, {-5, 1, 0x1p62, 1, -0x1p63, 2}}},
                          {"valuesOut", {ACL_INT64, {3, 2}, {0x1p62, 2, -5, 1, -0x1p63, 1}}},
                          {"indicesOut", {ACL_INT64, {3, 2}, {1, 2, 0, 0, 2, 1}}}},
                         {{"dim", 0}, {"descending", 1}, {"stable", 1}}, 0);
  testing::ExpectExample(Sort(),
                         {{"self", {ACL_BOOL, {4}, {1, 0, 1, 0}}},
                          {"valuesOut", {ACL_BOOL, {4}, {0, 0, 1, 1}}},
                          {"indicesOut", {ACL_INT64, {4}, {1, 3, 0, 2}}}},
                         {{"dim", 0}, {"descending", 0}, {"stable", 0}}, 0);
}

const exec::OperatorEntry& Topk() { return Operators()[2]; }

TEST(Topk, GivesTheDocumentedResults) {
  const Example self = {ACL_FLOAT, {5}, {3, kNan, 1, 3, 2}};
  testing::ExpectExample(
      Topk(),
      {{"self", self}, {"valuesOut", {ACL_FLOAT, {3}, {kNan, 3, 3}}}, {"indicesOut", {ACL_INT64, {3}, {1, 0, 3}}}},
      {{"k", 3}, {"dim", 0}, {"largest", 1}, {"sorted", 1}}, 0);
  testing::ExpectExample(
      Topk(), {{"self", self}, {"valuesOut", {ACL_FLOAT, {3}, {1, 2, 3}}}, {"indicesOut", {ACL_INT64, {3}, {2, 4, 0}}}},
      {{"k", 3}, {"dim", -1}, {"largest", 0}, {"sorted", 0}}, 0);
}

// Few elements of long rows, which are found in one pass; with values that ascend, so that each is among the best so
// far; with many equal ones; and up to all elements.
TEST(Topk, SelectsFromRowsOfAnyLength) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT64, ACL_UINT16}) {
    for (const int64_t columns : {1, 64, 511, 600, 5000}) {
      for (const int64_t k : {int64_t{1}, int64_t{8}, int64_t{50}, columns / 2, columns - 1, columns}) {
        if (k > columns || k < 1) continue;
        calls::Random draw(static_cast<uint64_t>(columns));
        calls::Call call = calls::MakeCallOfShape(Topk(), {3, columns}, &draw, dtype);
        call.argument("dim").integer = 1;
        call.argument("k").integer = k;
        call.tensor("valuesOut").shape = call.tensor("indicesOut").shape = {3, k};
        SCOPED_TRACE(k);
        testing::ExpectRight(call, columns % 2 == 0 ? 0.2 : 0);
      }
    }
  }
}

TEST(Topk, ReplacesEveryElementOfRisingRows) {
  constexpr int64_t kColumns = 20'000;
  std::vector<double> self(kColumns);
  std::iota(self.begin(), self.end(), -0x1p24);
  self[kColumns / 2] = kNan, self[7] = kInf;
  testing::ExpectExample(Topk(),
                         {{"self", {ACL_FLOAT, {kColumns}, self}},
                          {"valuesOut", {ACL_FLOAT, {4}, {kNan, kInf, self[kColumns - 1], self[kColumns - 2]}}},
                          {"indicesOut", {ACL_INT64, {4}, {kColumns / 2, 7, kColumns - 1, kColumns - 2}}}},
                         {{"k", 4}, {"dim", 0}, {"largest", 1}, {"sorted", 1}}, 0);
  for (double& x : self) x = -x;
  testing::ExpectExample(Topk(),
                         {{"self", {ACL_FLOAT, {kColumns}, self}},
                          {"valuesOut", {ACL_FLOAT, {3}, {-kInf, self[kColumns - 1], self[kColumns - 2]}}},
                          {"indicesOut", {ACL_INT64, {3}, {7, kColumns - 1, kColumns - 2}}}},
                         {{"k", 3}, {"dim", 0}, {"largest", 0}, {"sorted", 1}}, 0);
}

TEST(Topk, WantsNoMoreElementsThanThereAre) {
  const auto status = [](int64_t k, int64_t size) {
    return testing::PhaseOne(aclnnTopkGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {2, 3}).Build().get(), k, int64_t{1},
                             true, true, TensorBuilder(ACL_FLOAT, {2, size}).Build().get(),
                             TensorBuilder(ACL_INT64, {2, size}).Build().get());
  };
  EXPECT_EQ(status(3, 3), 0);
  EXPECT_EQ(status(0, 0), 0);
  EXPECT_EQ(status(3, 2), 161002);
  EXPECT_EQ(status(4, 4), 161002);
  EXPECT_EQ(status(-1, 0), 161002);
}

void ExpectPick(const char* api, const Example& self, const Example& values, const std::vector<double>& places,
                const std::map<std::string, double>& attributes) {
  std::map<std::string, Example> tensors = {{"self", self}, {"valuesOut", values}};
  if (!places.empty()) tensors["indicesOut"] = {ACL_INT64, values.shape, places};
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, attributes, 0);
}

TEST(Kthvalue, GivesTheDocumentedResults) {
  const Example self = {ACL_FLOAT, {4}, {3, kNan, 1, 3}};
  for (const double keepdim : {0.0, 1.0}) {
    ExpectPick("aclnnKthvalue", self, {ACL_FLOAT, {1}, {3}}, {3}, {{"k", 3}, {"dim", 0}, {"keepdim", keepdim}});
    ExpectPick("aclnnKthvalue", self, {ACL_FLOAT, {1}, {kNan}}, {1}, {{"k", 4}, {"dim", -1}, {"keepdim", keepdim}});
  }
}

TEST(Kthvalue, WantsAnElementOfTheAxis) {
  const auto status = [](int64_t length, int64_t k) {
    return testing::PhaseOne(aclnnKthvalueGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {2, length}).Build().get(), k,
                             int64_t{1}, false, TensorBuilder(ACL_FLOAT, {2}).Build().get(),
                             TensorBuilder(ACL_INT64, {2}).Build().get());
  };
  EXPECT_EQ(status(3, 1), 0);
  EXPECT_EQ(status(3, 3), 0);
  EXPECT_EQ(status(3, 0), 161002);
  EXPECT_EQ(status(3, 4), 161002);
  EXPECT_EQ(status(0, 0), 161002);
}

TEST(Median, GivesTheDocumentedResults) {
  ExpectPick("aclnnMedian", {ACL_FLOAT, {2, 2}, {4, 1, 3, 2}}, {ACL_FLOAT, {}, {2}}, {}, {});
  ExpectPick("aclnnMedianDim", {ACL_FLOAT, {3}, {1, kNan, 3}}, {ACL_FLOAT, {}, {kNan}}, {1},
             {{"dim", 0}, {"keepDim", 0}});
  ExpectPick("aclnnNanMedian", {ACL_FLOAT, {4}, {1, kNan, 3, 2}}, {ACL_FLOAT, {}, {2}}, {}, {});
  ExpectPick("aclnnNanMedianDim", {ACL_DOUBLE, {2, 3}, {kNan, kNan, kNan, 5, kNan, 4}}, {ACL_DOUBLE, {2, 1}, {kNan, 4}},
             {0, 2}, {{"dim", 1}, {"keepDim", 1}});
  ExpectPick("aclnnMedian", {ACL_FLOAT16, {0, 2}, {}}, {ACL_FLOAT16, {}, {kNan}}, {}, {});
}

TEST(Median, OfNoIntegersIsRefused) {
  const auto status = [](aclDataType dtype) {
    return testing::PhaseOne(aclnnMedianGetWorkspaceSize, TensorBuilder(dtype, {0}).Build().get(),
                             TensorBuilder(dtype, {}).Build().get());
  };
  EXPECT_EQ(status(ACL_DOUBLE), 0);
  EXPECT_EQ(status(ACL_INT32), 161002);
}

TEST(Median, OfManyElementsIsThatOfTheirOrder) {
  for (const char* const api :
       {"aclnnMedian", "aclnnMedianDim", "aclnnNanMedian", "aclnnNanMedianDim", "aclnnKthvalue"}) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_INT64, ACL_UINT8}) {
      calls::Random draw(7);
      calls::Call call = calls::MakeCallOfShape(testing::FindRow(Operators(), api), {3, 4000}, &draw, dtype);
      SCOPED_TRACE(api);
      testing::ExpectRight(call, 0);
      testing::ExpectRight(call, 0.3);
    }
  }
}

// Rows sorted by comparison and rows sorted with buckets, with few distinct values and many.
TEST(Sort, SortsRowsOfAnyLength) {
  for (const exec::OperatorEntry& entry : {Argsort(), Sort()}) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_INT8, ACL_INT64, ACL_UINT8}) {
      for (const int64_t columns : {2, 3, 16, 17, 511, 512, 513, 5000}) {
        calls::Random draw(static_cast<uint64_t>(columns));
        calls::Call call = calls::MakeCallOfShape(entry, {3, columns}, &draw, dtype);
        call.argument("dim").integer = 1;
        testing::ExpectRight(call, columns % 2 == 0 ? 0.2 : 0);
      }
    }
  }
}

TEST(Sort, NumbersOfManyBitsAreSortedByAllOfThem) {
  constexpr int64_t kColumns = 20'000;
  std::vector<double> self(kColumns), values, places(kColumns);
  for (size_t i = 0; i < self.size(); ++i)
    self[i] = std::ldexp(static_cast<double>(i * 7919 % self.size()) - 9000.5, static_cast<int>(i % 40));
  std::iota(places.begin(), places.end(), 0.0);
  std::sort(places.begin(), places.end(),
            [&](double a, double b) { return self[static_cast<size_t>(a)] < self[static_cast<size_t>(b)]; });
  for (const double place : places) values.push_back(self[static_cast<size_t>(place)]);
  testing::ExpectExample(Sort(),
                         {{"self", {ACL_FLOAT, {kColumns}, self}},
                          {"valuesOut", {ACL_FLOAT, {kColumns}, values}},
                          {"indicesOut", {ACL_INT64, {kColumns}, places}}},
                         {{"dim", 0}, {"descending", 0}, {"stable", 0}}, 0);
}

TEST(Sort, RefusesAnAxisThatNoIndexCounts) {
  const auto status = [](int64_t length) {
    return testing::PhaseOne(aclnnArgsortGetWorkspaceSize, TensorBuilder(ACL_INT8, {length, 2}).Build().get(), 0, false,
                             TensorBuilder(ACL_INT64, {length, 2}).Build().get());
  };
  EXPECT_EQ(status((int64_t{1} << 31) - 1), 0);
  EXPECT_EQ(status(int64_t{1} << 31), 161002);
}

const exec::OperatorEntry& TopKTopP() { return testing::FindRow(Operators(), "aclnnApplyTopKTopP"); }

// One row; without k if it is 0, without p if that is NaN.
void ExpectTop(const std::vector<double>& logits, int k, double p, const std::vector<double>& want) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const auto n = static_cast<int64_t>(logits.size());
    std::map<std::string, Example> tensors = {{"logits", {dtype, {1, n}, logits}}, {"out", {dtype, {1, n}, want}}};
    if (k != 0) tensors["k"] = {ACL_INT32, {1}, {static_cast<double>(k)}};
    if (!std::isnan(p)) tensors["p"] = {dtype, {1}, {p}};
    testing::ExpectExample(TopKTopP(), tensors, {}, 0);
  }
}

TEST(TopKTopP, GivesTheDocumentedResults) {
  ExpectTop({1, 2, 3, 3}, 2, kNan, {-kInf, -kInf, 3, 3});
  ExpectTop({0, 0.6875, 1.625}, 0, 0.7, {-kInf, 0.6875, 1.625});  // about 0, ln 2, ln 5
  ExpectTop({1, 2, 3, 3}, 0, kNan, {1, 2, 3, 3});
}

TEST(TopKTopP, KeepsAllThatEqualTheLast) {
  ExpectTop({3, 1, 3, -0.0, 3, 0}, 1, kNan, {3, -kInf, 3, -kInf, 3, -kInf});
  ExpectTop({0, -1, -0.0, -2}, 1, kNan, {0, -kInf, -0.0, -kInf});
  ExpectTop({1, kNan, 5}, 1, kNan, {-kInf, kNan, -kInf});
  ExpectTop({1, kNan, 5}, 2, kNan, {-kInf, kNan, 5});
}

TEST(TopKTopP, IgnoresANumberThatLeavesOutNothing) {
  for (const int k : {-1, 3, 4}) ExpectTop({3, 1, 2}, k, kNan, {3, 1, 2});
  ExpectTop({3, 1, 2}, 2, kNan, {3, -kInf, 2});
}

TEST(TopKTopP, LimitsProbabilities) {
  ExpectTop({2, 2, 2, 2}, 0, 0, {-kInf, -kInf, -kInf, 2});
  ExpectTop({2, 2, 2, 1}, 0, -1, {-kInf, -kInf, 2, -kInf});
  ExpectTop({2, 2, 2, 2}, 0, 0.625, {-kInf, 2, 2, 2});
  ExpectTop({2, -80, 1, -1000}, 0, 1, {2, -80, 1, -kInf});
  ExpectTop({2, -80, 1, -kInf}, 0, 2, {2, -80, 1, -kInf});
}

TEST(TopKTopP, LeavesOutNothingForAProbabilityThatIsNan) {
  const std::vector<double> logits = {0, 200, -kInf};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    testing::ExpectExample(
        TopKTopP(),
        {{"logits", {dtype, {1, 3}, logits}}, {"p", {dtype, {1}, {kNan}}}, {"out", {dtype, {1, 3}, logits}}}, {}, 0);
  }
}

TEST(TopKTopP, HasNoProbabilitiesOfWhatIsNotFinite) {
  ExpectTop({1, kNan, 5}, 0, 0.5, {1, kNan, 5});
  ExpectTop({1, kInf, 5}, 0, 0.5, {1, kInf, 5});
  ExpectTop({1, kInf, 5}, 2, 0.5, {-kInf, kInf, 5});
  ExpectTop({-kInf, -kInf}, 0, 0.5, {-kInf, -kInf});
  ExpectTop({1, kInf, kNan}, 0, 0, {-kInf, -kInf, kNan});
}

// The probabilities are those of what k left: of all elements, the two largest have 0.8.
TEST(TopKTopP, CountsProbabilitiesAfterTheNumber) {
  ExpectTop({0, 0, 0, 1.5, 1.5}, 2, 0.375, {-kInf, -kInf, -kInf, -kInf, 1.5});
  ExpectTop({0, 0, 0, 1.5, 1.5}, 0, 0.5, {-kInf, -kInf, -kInf, 1.5, 1.5});
}

// Short and long rows, with few and many that stay, in place and not, of any strides.
TEST(TopKTopP, IsRightForRowsOfAnyLength) {
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (const int64_t n : {1, 2, 17, 300, 1000, 5000}) {
        for (const int given : {1, 2, 3}) {
          calls::Call call = calls::MakeValidCall(TopKTopP());
          call.argument("p").null = (given & 1) == 0;
          call.argument("k").null = (given & 2) == 0;
          for (const char* const name : {"logits", "out", "p"}) call.tensor(name).dtype = dtype;
          call.tensor("logits").shape = call.tensor("out").shape = {7, n};
          call.tensor("p").shape = call.tensor("k").shape = {7};
          if (given == 3) call.tensor("logits").strides = calls::Dims{1, 7};
          testing::ExpectRight(call, n % 2 == 0 ? 0.01 : 0);
        }
      }
    }
  }
}

TEST(TopKTopP, HasANumberForEachRow) {
  const auto status = [](const calls::Dims& logits, const calls::Dims& p, const calls::Dims& k) {
    return testing::PhaseOne(aclnnApplyTopKTopPGetWorkspaceSize, TensorBuilder(ACL_FLOAT, logits).Build().get(),
                             TensorBuilder(ACL_FLOAT, p).Build().get(), TensorBuilder(ACL_INT32, k).Build().get(),
                             TensorBuilder(ACL_FLOAT, logits).Build().get());
  };
  EXPECT_EQ(status({4, 5}, {4}, {4}), 0);
  EXPECT_EQ(status({0, 5}, {0}, {0}), 0);
  EXPECT_EQ(status({4, 5}, {5}, {4}), 161002);
  EXPECT_EQ(status({4, 5}, {4}, {1}), 161002);
  EXPECT_EQ(status({4, 5}, {4}, {4, 1}), 161002);
  EXPECT_EQ(status({4}, {4}, {4}), 161002);
  EXPECT_EQ(status({1, int64_t{1} << 31}, {1}, {1}), 161002);
}

}  // namespace
}  // namespace portacl::ops::sort
