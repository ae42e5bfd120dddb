// SPDX-License-Identifier: Apache-2.0
//
// Scatter and its kin: the promises that follow from schemas and oracle, worked examples, and the effect of an invalid
// index.
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/index_faults.h"
#include "testing/operator_contract.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Scatter, scatter);

namespace portacl::ops::scatter {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;

class Scatter : public testing::DeviceTest {
 protected:
  static void ExpectReduced(int64_t reduce, bool includes_self, const std::vector<double>& want) {
    testing::ExpectExample(
        testing::FindRow(Operators(), "aclnnScatterReduce"),
        {{"self", {ACL_FLOAT, {3}, {1, 2, 3}}},
         {"index", {ACL_INT64, {3}, {0, 0, 2}}},
         {"src", {ACL_FLOAT, {3}, {4, 5, -6}}},
         {"out", {ACL_FLOAT, {3}, want}}},
        {{"dim", 0}, {"reduce", static_cast<double>(reduce)}, {"includeSelf", includes_self ? 1 : 0}}, 1e-7);
  }
  static aclnnStatus Status(const Dims& self, int64_t dim, const Dims& index, const Dims& source, const Dims& out) {
    return testing::PhaseOne(aclnnScatterAddGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(), dim,
                             TensorBuilder(ACL_INT64, index).Build().get(),
                             TensorBuilder(ACL_FLOAT, source).Build().get(),
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  }
};

TEST_F(Scatter, GivesTheDocumentedResults) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatter"),
                         {{"self", {ACL_FLOAT, {3, 3}, std::vector<double>(9)}},
                          {"index", {ACL_INT32, {2, 2}, {0, 2, 1, 0}}},
                          {"src", {ACL_FLOAT, {2, 3}, {10, 20, 30, 40, 50, 60}}},
                          {"out", {ACL_FLOAT, {3, 3}, {10, 0, 20, 50, 40, 0, 0, 0, 0}}}},
                         {{"dim", 1}, {"reduce", 0}}, 0);
  for (const bool adds : {true, false}) {
    const testing::Example want = {ACL_FLOAT, {3}, {1, adds ? 10.0 : 24.0, 1}};
    testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatter"),
                           {{"self", {ACL_FLOAT, {3}, {1, 1, 1}}},
                            {"index", {ACL_INT64, {3}, {1, 1, 1}}},
                            {"src", {ACL_FLOAT, {3}, {2, 3, 4}}},
                            {"out", want}},
                           {{"dim", 0}, {"reduce", adds ? 1 : 2}}, 0);
  }
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatterValue"),
                         {{"self", {ACL_INT32, {2, 2}, {1, 2, 3, 4}}},
                          {"index", {ACL_INT64, {1, 2}, {1, 0}}},
                          {"out", {ACL_INT32, {2, 2}, {1, -7, -7, 4}}}},
                         {{"dim", 0}, {"value", -7.9}, {"reduce", 0}}, 0);
}

TEST_F(Scatter, ReducesInSixWays) {
  ExpectReduced(1, true, {10, 2, -3});
  ExpectReduced(1, false, {9, 2, -6});
  ExpectReduced(2, true, {20, 2, -18});
  ExpectReduced(2, false, {20, 2, -6});
  ExpectReduced(3, true, {5, 2, 3});
  ExpectReduced(3, false, {5, 2, -6});
  ExpectReduced(4, true, {1, 2, -6});
  ExpectReduced(4, false, {4, 2, -6});
  ExpectReduced(5, true, {3.3333333, 2, -1.5});
  ExpectReduced(5, false, {4.5, 2, -6});
  ExpectReduced(0, true, {5, 2, -6});
}

TEST_F(Scatter, RoundsMeansOfIntegersDown) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatterReduce"),
                         {{"self", {ACL_INT8, {2}, {-4, 100}}},
                          {"index", {ACL_INT64, {2}, {0, 1}}},
                          {"src", {ACL_INT8, {2}, {-3, 100}}},
                          {"out", {ACL_INT8, {2}, {-4, -28}}}},
                         {{"dim", 0}, {"reduce", 5}, {"includeSelf", 1}}, 0);
}

// 2^24 does not change by adding 1 in float, but four of them count.
TEST_F(Scatter, AddsInDoublePrecision) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatterAdd"),
                         {{"self", {ACL_FLOAT, {1}, {0x1p24}}},
                          {"index", {ACL_INT64, {4}, {0, 0, 0, 0}}},
                          {"src", {ACL_FLOAT, {4}, {1, 1, 1, 1}}},
                          {"out", {ACL_FLOAT, {1}, {0x1p24 + 4}}}},
                         {{"dim", 0}}, 0);
}

TEST_F(Scatter, PassesOverAnIndexThatIsNone) {
  const DeviceArray<float> self({1, 2, 3});
  const DeviceArray<int64_t> index({2, -1, 3, 0});
  const DeviceArray<float> source({10, 20, 30, 40});
  const DeviceArray<float> out(3);
  aclOpExecutor* executor = nullptr;
  uint64_t bytes = 1;
  ASSERT_EQ(
      aclnnScatterAddGetWorkspaceSize(TensorBuilder(ACL_FLOAT, {3}).Data(self.data()).Build().get(), 0,
                                      TensorBuilder(ACL_INT64, {4}).Data(index.data()).Build().get(),
                                      TensorBuilder(ACL_FLOAT, {4}).Data(source.data()).Build().get(),
                                      TensorBuilder(ACL_FLOAT, {3}).Data(out.data()).Build().get(), &bytes, &executor),
      0);
  aclGetRecentErrMsg();
  EXPECT_EQ(aclnnScatterAdd(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnScatterAdd: argument 'index': expected elements from 0 to 2, got -1 at 1"),
            std::string::npos)
      << message;
  EXPECT_EQ(out.ToHost(), std::vector<float>({41, 2, 13}));
}

// In each of the ways to run, with each reduction; elements that nothing valid names keep what self holds.
TEST_F(Scatter, WritesNothingBeyondEitherEnd) {
  struct Sizes {
    Dims self, index;
    size_t dim;
  };
  const Sizes all[] = {
      {{5}, {9}, 0}, {{3, 7}, {3, 20}, 1}, {{700, 40}, {900, 40}, 0}, {{4000}, {9000}, 0}, {{2, 5000}, {2, 9}, 1}};
  for (const exec::OperatorEntry& entry : Operators()) {
    const exec::Schema& schema = *entry.schema;
    const bool includes = schema.Find("includeSelf") >= 0;
    for (const int64_t reduce : {0, 1, 2, 3, 4, 5}) {
      if (reduce > (schema.Find("reduce") < 0 ? 0 : includes ? 5 : 2)) break;
      const Sizes& sizes = all[static_cast<size_t>(reduce) % std::size(all)];
      for (const Sizes& of : {sizes, all[0]}) {
        const auto make = [&](bool is_larger) {
          calls::Call call = calls::MakeValidCall(entry);
          Dims self = of.self;
          self[of.dim] += is_larger ? 1 : 0;
          call.argument("dim").integer = static_cast<int64_t>(of.dim);
          call.tensor(0).shape = self;
          call.tensor("index").shape = of.index;
          if (schema.Find("src") >= 0) call.tensor("src").shape = of.index;
          if (schema.Find("out") >= 0) call.tensor("out").shape = self;
          if (schema.Find("reduce") >= 0) call.argument("reduce").integer = reduce;
          if (includes) call.argument("includeSelf").integer = reduce % 2;
          return call;
        };
        testing::ExpectFaultsPassedOver(make, {.index = "index", .limits = {of.self[of.dim]}});
      }
    }
  }
}

TEST_F(Scatter, IndexLiesWithinTheOthers) {
  EXPECT_EQ(Status({3, 2}, 0, {5, 2}, {5, 2}, {3, 2}), 0);
  EXPECT_EQ(Status({3, 2}, -2, {5, 1}, {6, 2}, {3, 2}), 0);
  EXPECT_EQ(Status({}, 0, {}, {}, {}), 0);
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(Status({kHuge, 3, 3}, 1, {kHuge, kHuge, 0}, {kHuge, kHuge, 0}, {kHuge, 3, 3}), 0);
  EXPECT_EQ(Status({3, 2}, 0, {5, 3}, {5, 3}, {3, 2}), 161002);
  EXPECT_EQ(Status({3, 2}, 0, {5, 2}, {4, 2}, {3, 2}), 161002);
  EXPECT_EQ(Status({3, 2}, 0, {5}, {5, 2}, {3, 2}), 161002);
  EXPECT_EQ(Status({3, 2}, 2, {5, 2}, {5, 2}, {3, 2}), 161002);
  EXPECT_EQ(Status({3, 2}, 0, {5, 2}, {5, 2}, {5, 2}), 161002);
}

TEST_F(Scatter, ComplexElementsAreOnlyReplaced) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnScatter"));
  for (const char* const name : {"self", "src", "out"}) call.tensor(name).dtype = ACL_COMPLEX64;
  call.argument("reduce").integer = 0;
  EXPECT_EQ(testing::StatusOf(call), 0);
  call.argument("reduce").integer = 1;
  EXPECT_EQ(testing::StatusOf(call), 561003);
}

TEST_F(Scatter, BoolHasNoMean) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnInplaceScatterReduce"));
  for (const char* const name : {"selfRef", "src"}) call.tensor(name).dtype = ACL_BOOL;
  call.argument("reduce").integer = 3;
  EXPECT_EQ(testing::StatusOf(call), 0);
  call.argument("reduce").integer = 5;
  EXPECT_EQ(testing::StatusOf(call), 561003);
}

// Each of these ways is taken: along rows and columns, few of many destinations, rows that share an index, and columns
// whose sums the cache does not hold.
TEST_F(Scatter, IsRightInEveryLayout) {
  struct Sizes {
    Dims self, index;
    int64_t dim;
    bool shares;  // one index for a row
  };
  const Sizes all[] = {{{3, 700}, {3, 2000}, 1, false},    {{700, 40}, {900, 40}, 0, false},
                       {{2, 5000}, {2, 9}, 1, false},      {{5000, 3}, {20, 3}, 0, false},
                       {{60, 1100}, {200, 1100}, 0, true}, {{4000}, {9000}, 0, false},
                       {{9000, 40}, {9000, 40}, 0, false}};
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    for (const char* const api : {"aclnnInplaceScatter", "aclnnScatterAdd", "aclnnScatterReduce"}) {
      for (const Sizes& sizes : all) {
        calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), api));
        call.argument("dim").integer = sizes.dim;
        call.tensor(0).shape = sizes.self;
        call.tensor("index").shape = call.tensor("src").shape = sizes.index;
        if (sizes.shares) call.tensor("index").strides = {1, 0};
        if (call.schema().Find("out") >= 0) call.tensor("out").shape = sizes.self;
        if (call.schema().Find("reduce") >= 0)
          call.argument("reduce").integer = std::string(api) == "aclnnScatterReduce" ? 5 : 0;
        testing::ExpectRight(call);
      }
    }
  }
}

// The bits of half of the elements are numbers of positions, as an output holds while few of its elements are added to.
// Some places are named up to seven times, from the first position to the last; what is added to them may overflow in
// FLOAT before it is complete, or be no number.
TEST_F(Scatter, AddsToFewOfManyElements) {
  constexpr int64_t kCount = 2000;
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const int64_t elements : {100000, 1200000}) {
    std::vector<float> self(static_cast<size_t>(elements)), source(kCount);
    std::vector<int64_t> index(kCount);
    for (int64_t i = 0; i < elements; ++i) {
      const float ordinary = static_cast<float>(i % 977) / 1000;
      self[static_cast<size_t>(i)] = i % 2 == 0 ? ordinary : std::bit_cast<float>(static_cast<uint32_t>(i % kCount));
    }
    for (int64_t k = 0; k < kCount; ++k) {
      const auto at = static_cast<size_t>(k);
      index[at] = k < 1500 ? k * (elements / 1600) + k % 2 : index[static_cast<size_t>(k * k % 1500)];
      source[at] = static_cast<float>(k % 31) / 7 - 2;
    }
    index[kCount - 1] = index[0];
    self[static_cast<size_t>(index[0])] = source[0] = kMost;
    source[kCount - 1] = -kMost;
    source[1] = std::numeric_limits<float>::quiet_NaN();
    source[2] = std::numeric_limits<float>::infinity();
    std::vector<double> sums(self.begin(), self.end());
    for (size_t k = 0; k < index.size(); ++k) sums[static_cast<size_t>(index[k])] += static_cast<double>(source[k]);
    for (const int threads : {1, 3}) {
      const testing::ThreadCount count(threads);
      const DeviceArray<float> of_self(self), of_source(source);
      const DeviceArray<int64_t> of_index(index);
      testing::RunPhases(aclnnInplaceScatterGetWorkspaceSize, aclnnInplaceScatter,
                         TensorBuilder(ACL_FLOAT, {elements}).Data(of_self.data()).Build().get(), int64_t{0},
                         TensorBuilder(ACL_INT64, {kCount}).Data(of_index.data()).Build().get(),
                         TensorBuilder(ACL_FLOAT, {kCount}).Data(of_source.data()).Build().get(), int64_t{1});
      const std::vector<float> got = of_self.ToHost();
      for (size_t i = 0; i < got.size(); ++i) {
        const auto want = static_cast<float>(sums[i]);
        ASSERT_TRUE(std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(want) ||
                    (got[i] != got[i] && want != want))
            << i << ": want " << want << ", got " << got[i];
      }
    }
  }
}

// All that is named lies at one end, or at both, of an output that the cache does not hold.
TEST_F(Scatter, CopiesWhatNothingNames) {
  constexpr int64_t kElements = 600000, kCount = 40000;
  std::vector<float> self(kElements), source(kCount);
  std::vector<int64_t> index(kCount);
  for (size_t i = 0; i < self.size(); ++i) self[i] = static_cast<float>(i);
  for (const auto& [reduce, ends] : {std::pair<int64_t, int>{0, 2}, {1, 1}, {1, 2}, {0, 1}}) {
    for (size_t k = 0; k < index.size(); ++k) {
      const bool is_last = ends == 2 && k % 9 == 0;
      index[k] = is_last ? kElements - 1 - static_cast<int64_t>(k % 700) : static_cast<int64_t>(k % 1000);
      source[k] = static_cast<float>(k % 100);
    }
    std::vector<float> want = self;
    for (size_t k = 0; k < index.size(); ++k) {
      float* const to = &want[static_cast<size_t>(index[k])];
      *to = reduce == 0 ? source[k] : *to + source[k];
    }
    for (const int threads : {1, 3}) {
      const testing::ThreadCount count(threads);
      const DeviceArray<float> of_self(self), of_source(source), out(self.size());
      const DeviceArray<int64_t> of_index(index);
      testing::RunPhases(aclnnScatterGetWorkspaceSize, aclnnScatter,
                         TensorBuilder(ACL_FLOAT, {kElements}).Data(of_self.data()).Build().get(), int64_t{0},
                         TensorBuilder(ACL_INT64, {kCount}).Data(of_index.data()).Build().get(),
                         TensorBuilder(ACL_FLOAT, {kCount}).Data(of_source.data()).Build().get(), reduce,
                         TensorBuilder(ACL_FLOAT, {kElements}).Data(out.data()).Build().get());
      EXPECT_TRUE(out.ToHost() == want) << reduce << ", " << ends << " ends, " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace portacl::ops::scatter
