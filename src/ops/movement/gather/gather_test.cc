// SPDX-License-Identifier: Apache-2.0
//
// Gather and its kin: the promises that follow from schemas and oracle, worked examples, and the
// effect of an invalid index.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_nd.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_gather_v3.h"
#include "aclnnop/aclnn_take.h"
#include "testing/conformance.h"
#include "testing/index_faults.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Gather, gather);

namespace portacl::ops::gather {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;

class Gather : public testing::DeviceTest {};

TEST_F(Gather, GivesTheDocumentedResults) {
  const testing::Example self = {ACL_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6}};
  testing::ExpectExample(
      Operators()[0],
      {{"self", self}, {"index", {ACL_INT64, {1, 2}, {2, 0}}}, {"out", {ACL_FLOAT, {1, 2, 2}, {5, 6, 1, 2}}}},
      {{"dim", 0}}, 0);
  testing::ExpectExample(Operators()[1],
                         {{"self", self}, {"index", {ACL_INT32, {}, {1}}}, {"out", {ACL_FLOAT, {3, 1}, {2, 4, 6}}}},
                         {{"dim", -1}}, 0);
  testing::ExpectExample(
      Operators()[2],
      {{"weight", self}, {"indices", {ACL_INT64, {2}, {1, 1}}}, {"out", {ACL_FLOAT, {2, 2}, {3, 4, 3, 4}}}}, {}, 0);
  testing::ExpectExample(
      Operators()[2], {{"weight", self}, {"indices", {ACL_INT64, {}, {2}}}, {"out", {ACL_FLOAT, {2}, {5, 6}}}}, {}, 0);
}

TEST_F(Gather, NamesElements) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnGather"),
                         {{"self", {ACL_FLOAT, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}},
                          {"index", {ACL_INT64, {2, 2}, {0, 2, 1, 0}}},
                          {"out", {ACL_FLOAT, {2, 2}, {1, 8, 4, 2}}}},
                         {{"dim", 0}}, 0);
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnGatherNd"),
                         {{"self", {ACL_FLOAT, {3, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}},
                          {"indices", {ACL_INT64, {2, 2}, {0, 1, 2, -1}}},
                          {"out", {ACL_FLOAT, {2, 2}, {2, 3, 10, 11}}}},
                         {{"negativeIndexSupport", 0}}, 0);
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnTake"),
                         {{"self", {ACL_FLOAT, {2, 3}, {4, 3, 5, 6, 7, 8}}},
                          {"index", {ACL_INT32, {3}, {0, 2, -1}}},
                          {"out", {ACL_FLOAT, {3}, {4, 5, 8}}}},
                         {}, 0);
}

TEST_F(Gather, SharesBatches) {
  const testing::Example self = {ACL_INT32, {2, 3}, {1, 2, 3, 4, 5, 6}};
  const auto& entry = testing::FindRow(Operators(), "aclnnGatherV3");
  testing::ExpectExample(
      entry, {{"self", self}, {"index", {ACL_INT64, {2, 2}, {2, 0, 1, 1}}}, {"out", {ACL_INT32, {2, 2}, {3, 1, 5, 5}}}},
      {{"dim", 1}, {"batchDims", -1}, {"mode", 0}}, 0);
  for (const Dims& out : {Dims{2}, Dims{2, 1}}) {
    testing::ExpectExample(entry,
                           {{"self", self}, {"index", {ACL_INT64, {2}, {2, 0}}}, {"out", {ACL_INT32, out, {3, 4}}}},
                           {{"dim", 1}, {"batchDims", 1}, {"mode", 1}}, 0);
  }
  const auto status = [](const Dims& shape, int64_t dim, const Dims& index, int64_t batches, int64_t mode,
                         const Dims& out) {
    return testing::PhaseOne(aclnnGatherV3GetWorkspaceSize, TensorBuilder(ACL_FLOAT, shape).Build().get(), dim,
                             TensorBuilder(ACL_INT64, index).Build().get(), batches, mode,
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(status({2, 3, 4}, 2, {2, 3, 7}, 2, 2, {2, 3, 7}), 0);
  EXPECT_EQ(status({2, 3, 4}, 1, {2, 7}, -1, 0, {2, 7, 4}), 0);
  EXPECT_EQ(status({2, 3, 4}, 0, {2, 7}, 1, 0, {2, 7, 4}), 161002) << "more batches than axes before dim";
  EXPECT_EQ(status({2, 3, 4}, 1, {3, 7}, 1, 0, {2, 7, 4}), 161002);
  EXPECT_EQ(status({2, 3, 4}, 1, {2, 7}, 3, 0, {2, 7, 4}), 161002);
  EXPECT_EQ(status({2, 3, 4}, 1, {2, 7}, -3, 0, {2, 7, 4}), 161002);
  EXPECT_EQ(status({2, 3, 4}, 1, {2, 7}, 1, 3, {2, 7, 4}), 161002);
}

TEST_F(Gather, HasTheShapeOfTheIndex) {
  const auto gather = [](const Dims& self, int64_t dim, const Dims& index, const Dims& out,
                         aclDataType of_index = ACL_INT64) {
    return testing::PhaseOne(aclnnGatherGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(), dim,
                             TensorBuilder(of_index, index).Build().get(), TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(gather({3, 2}, 0, {5, 1}, {5, 1}), 0);
  EXPECT_EQ(gather({}, 0, {}, {}), 0);
  EXPECT_EQ(gather({3, 0}, 0, {5, 0}, {5, 0}, ACL_FLOAT), 0) << "no index has a dtype";
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(gather({kHuge, 3, 3}, 1, {kHuge, kHuge, 0}, {kHuge, kHuge, 0}), 0);
  EXPECT_EQ(gather({3, 2}, 0, {5, 1}, {5, 1}, ACL_FLOAT), 161002);
  EXPECT_EQ(gather({3, 2}, 0, {5, 3}, {5, 3}), 161002);
  EXPECT_EQ(gather({0, 2}, 0, {5, 2}, {5, 2}), 161002);
  EXPECT_EQ(gather({3, 2}, 0, {5}, {5}), 161002);
  const auto take = [](const Dims& self, const Dims& index) {
    return testing::PhaseOne(aclnnTakeGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(),
                             TensorBuilder(ACL_INT64, index).Build().get(),
                             TensorBuilder(ACL_FLOAT, index).Build().get());
  };
  EXPECT_EQ(take({3, 2}, {5, 3}), 0);
  EXPECT_EQ(take({0, 2}, {0}), 0);
  EXPECT_EQ(take({kHuge, kHuge, 0}, {0}), 0);
  EXPECT_EQ(take({0, 2}, {1}), 161002);
  const auto named = [](const Dims& self, const Dims& indices, const Dims& out) {
    return testing::PhaseOne(aclnnGatherNdGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(),
                             TensorBuilder(ACL_INT64, indices).Build().get(), false,
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(named({3, 2}, {2}, {}), 0);
  EXPECT_EQ(named({3, 2}, {4, 1}, {4, 2}), 0);
  EXPECT_EQ(named({3, 2}, {0, kHuge, kHuge, 1}, {0, kHuge, kHuge, 2}), 0);
  EXPECT_EQ(named({3, 2}, {4, 3}, {4}), 161002);
  EXPECT_EQ(named({3, 2}, {4, 0}, {4, 3, 2}), 161002);
  EXPECT_EQ(named({3, 2}, {}, {3, 2}), 161002);
}

TEST_F(Gather, ReportsWhatBothEndsLack) {
  const DeviceArray<float> self({1, 2, 3, 4});
  const DeviceArray<int64_t> index({-4, 3, -5, 4});
  const DeviceArray<float> out(4);
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnTakeGetWorkspaceSize(TensorBuilder(ACL_FLOAT, {2, 2}).Strides({1, 2}).Data(self.data()).Build().get(),
                                      TensorBuilder(ACL_INT64, {4}).Data(index.data()).Build().get(),
                                      TensorBuilder(ACL_FLOAT, {4}).Data(out.data()).Build().get(), &bytes, &executor),
            0);
  aclGetRecentErrMsg();
  ASSERT_EQ(aclnnTake(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnTake: argument 'index': expected elements from -4 to 3, got -5 at 2"), std::string::npos)
      << message;
  EXPECT_EQ(out.ToHost(), std::vector<float>({1, 4, 0, 0}));
}

// Rows for an invalid index are 0; the first such index is reported.
TEST_F(Gather, ReportsAnIndexThatIsNone) {
  const DeviceArray<float> self({1, 2, 3, 4, 5, 6});
  const DeviceArray<int32_t> index({2, 3, 0, -1});
  const DeviceArray<float> out(8);
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(
      aclnnGatherV2GetWorkspaceSize(TensorBuilder(ACL_FLOAT, {3, 2}).Data(self.data()).Build().get(), 0,
                                    TensorBuilder(ACL_INT32, {4}).Data(index.data()).Build().get(),
                                    TensorBuilder(ACL_FLOAT, {4, 2}).Data(out.data()).Build().get(), &bytes, &executor),
      0);
  aclGetRecentErrMsg();
  ASSERT_EQ(aclnnGatherV2(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
  const char* const text = aclGetRecentErrMsg();  // small calls run in the calling thread
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnGatherV2: argument 'index': expected elements from 0 to 2, got 3 at 1"),
            std::string::npos)
      << message;
  EXPECT_EQ(out.ToHost(), std::vector<float>({5, 6, 0, 0, 1, 2, 0, 0}));
}

// Rows, and single elements, of few and of many.
TEST_F(Gather, ReadsNothingBeyondEitherEnd) {
  struct Case {
    const char* api;
    Dims self, index, out;
    size_t axis;  // the first of those that are named
    std::vector<int64_t> limits;
    bool wraps;
    int64_t batches;
  };
  const Case cases[] = {{"aclnnGatherV2", {5, 4}, {3, 2}, {3, 2, 4}, 0, {5}, false, 0},
                        {"aclnnGatherV2", {300, 70}, {900}, {900, 70}, 0, {300}, false, 0},
                        {"aclnnIndexSelect", {4, 5, 3}, {9}, {4, 9, 3}, 1, {5}, false, 0},
                        {"aclnnEmbedding", {7, 33}, {40}, {40, 33}, 0, {7}, false, 0},
                        {"aclnnGather", {4, 5}, {4, 9}, {4, 9}, 1, {5}, true, 0},
                        {"aclnnGather", {700, 40}, {900, 40}, {900, 40}, 0, {700}, true, 0},
                        {"aclnnGatherV3", {3, 5, 4}, {3, 6}, {3, 6, 4}, 1, {5}, false, 1},
                        {"aclnnGatherNd", {4, 5, 3}, {20, 2}, {20, 3}, 0, {4, 5}, true, 0},
                        {"aclnnGatherNd", {6, 50}, {3000, 1}, {3000, 50}, 0, {6}, true, 0},
                        {"aclnnTake", {40}, {9}, {9}, 0, {40}, true, 0},
                        {"aclnnTake", {60, 50}, {80, 70}, {80, 70}, 0, {3000}, true, 0}};
  for (const Case& c : cases) {
    const exec::OperatorEntry& entry = testing::FindRow(Operators(), c.api);
    const char* const index = entry.schema->Find("index") >= 0 ? "index" : "indices";
    const auto make = [&](bool is_larger) {
      calls::Call call = calls::MakeValidCall(entry);
      call.tensor(0).shape = c.self;
      for (size_t i = 0; i < c.limits.size(); ++i) call.tensor(0).shape[c.axis + i] += is_larger ? 1 : 0;
      call.tensor(index).shape = c.index;
      call.tensor("out").shape = c.out;
      if (entry.schema->Find("dim") >= 0) call.argument("dim").integer = static_cast<int64_t>(c.axis);
      if (entry.schema->Find("batchDims") >= 0) call.argument("batchDims").integer = c.batches;
      return call;
    };
    testing::ExpectFaultsPassedOver(make, {.index = index, .limits = c.limits, .wraps = c.wraps});
  }
}

// Rows of a few bytes, and of as many as are copied in one way or in another.
TEST_F(Gather, ReadsNoShortRowsBeyondEitherEnd) {
  for (const int64_t columns : {3, 4, 5, 8, 16, 31, 32, 64, 65}) {
    const auto make = [=](bool is_larger) {
      calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnIndexSelect"));
      call.tensor("self").shape = {is_larger ? 51 : 50, columns};
      call.tensor("index").shape = {300};
      call.tensor("out").shape = {300, columns};
      call.argument("dim").integer = 0;
      return call;
    };
    testing::ExpectFaultsPassedOver(make, {.index = "index", .limits = {50}});
  }
}

// Columns of many rows, which are read by the same indices: fewer and more than a tile has.
TEST_F(Gather, ReadsNoColumnsOfManyRowsBeyondEitherEnd) {
  for (const int64_t columns : {40, 300, 1030}) {
    const auto make = [=](bool is_larger) {
      calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnIndexSelect"));
      call.tensor("self").shape = {37, is_larger ? 51 : 50};
      call.tensor("index").shape = {columns};
      call.tensor("out").shape = {37, columns};
      call.argument("dim").integer = 1;
      return call;
    };
    testing::ExpectFaultsPassedOver(make, {.index = "index", .limits = {50}});
  }
}

// The same of elements of any size, and of a source and a result with strides.
TEST_F(Gather, ReadsColumnsOfManyRows) {
  for (const aclDataType dtype : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
    for (const int64_t stride : {1, 2}) {
      calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnIndexSelect"));
      call.tensor("self").dtype = call.tensor("out").dtype = dtype;
      call.tensor("self").shape = {19, 50};
      call.tensor("self").strides = {60 * stride, stride};
      call.tensor("index").shape = {600};
      call.tensor("out").shape = {19, 600};
      call.tensor("out").strides = {700 * stride, stride};
      call.argument("dim").integer = 1;
      testing::ExpectRight(call);
    }
  }
}

// What several rows of the result share is an element of one of them.
TEST_F(Gather, WritesRowsThatOverlap) {
  constexpr int64_t kRows = 7, kColumns = 300;
  for (const int64_t step : {0, 1, 299}) {
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnIndexSelect"));
    call.tensor("self").shape = {kRows, 50};
    call.tensor("index").shape = {kColumns};
    call.tensor("out").shape = {kRows, kColumns};
    call.tensor("out").strides = {step, 1};
    call.argument("dim").integer = 1;
    testing::ExpectRight(call);
  }
}

TEST_F(Gather, ReplacesTheAxisByThoseOfTheIndex) {
  const auto status = [](const Dims& self, int64_t dim, const Dims& index, const Dims& out) {
    return testing::PhaseOne(aclnnGatherV2GetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(), dim,
                             TensorBuilder(ACL_INT64, index).Build().get(),
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(status({2, 3, 4}, 1, {5, 6}, {2, 5, 6, 4}), 0);
  EXPECT_EQ(status({2, 3, 4}, -1, {}, {2, 3, 1}), 0);
  EXPECT_EQ(status({}, 0, {}, {}), 0);
  EXPECT_EQ(status({}, -1, {1}, {}), 0);
  EXPECT_EQ(status({}, 0, {2}, {2}), 161002);
  EXPECT_EQ(status({2, 3, 4}, 3, {5}, {2, 3, 5}), 161002);
  EXPECT_EQ(status({2, 3, 4}, 0, {5}, {5, 3}), 161002);
  EXPECT_EQ(status({2, 3}, 0, Dims(8, 1), Dims(8, 1)), 161002) << "nine axes";
}

}  // namespace
}  // namespace portacl::ops::gather
