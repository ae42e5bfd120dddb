// SPDX-License-Identifier: Apache-2.0
//
// ScatterNd and its kin: the promises that follow from schemas and oracle, worked examples, and the effect of invalid
// indices.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_put.h"
#include "aclnnop/aclnn_scatter_nd_update.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "aclnnop/aclnn_tf_scatter_add.h"
#include "calls/views.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/index_faults.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(ScatterNd, scatter_nd);

namespace portacl::ops::scatter_nd {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;

class ScatterNd : public testing::DeviceTest {
 protected:
  // Writes slices along axis 1 of zeros of shape [2,3] and returns the result.
  static std::vector<float> Update(const Dims& shape, const std::vector<int64_t>& indices, const Dims& of_updates,
                                   const std::vector<float>& updates, int32_t status = 0) {
    const DeviceArray<float> data(std::vector<float>(6));
    const DeviceArray<int64_t> index(indices);
    const DeviceArray<float> values(updates);
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnInplaceScatterUpdateGetWorkspaceSize(
                  TensorBuilder(ACL_FLOAT, {2, 3}).Data(data.data()).Build().get(),
                  TensorBuilder(ACL_INT64, shape).Data(index.data()).Build().get(),
                  TensorBuilder(ACL_FLOAT, of_updates).Data(values.data()).Build().get(), 1, &bytes, &executor),
              0);
    EXPECT_EQ(aclnnInplaceScatterUpdate(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), status);
    return data.ToHost();
  }
};

TEST_F(ScatterNd, ReplacesTheNamedParts) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatterNd"),
                         {{"data", {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}}},
                          {"indices", {ACL_INT32, {2, 1}, {1, 1}}},
                          {"updates", {ACL_FLOAT, {2, 2}, {5, 6, 7, 8}}},
                          {"out", {ACL_FLOAT, {2, 2}, {1, 2, 7, 8}}}},
                         {}, 0);
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnScatterNd"),
                         {{"data", {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}}},
                          {"indices", {ACL_INT64, {2, 2}, {0, 1, 1, 0}}},
                          {"updates", {ACL_FLOAT, {2}, {5, 6}}},
                          {"out", {ACL_FLOAT, {2, 2}, {1, 5, 6, 4}}}},
                         {}, 0);
}

TEST_F(ScatterNd, UpdatesSlices) {
  EXPECT_EQ(Update({2}, {2, 0}, {2, 1}, {7, 8}), std::vector<float>({0, 0, 7, 8, 0, 0}));
  EXPECT_EQ(Update({2, 2}, {1, 1, 0, 0}, {2, 1}, {7, 8}), std::vector<float>({8, 0, 0, 0, 7, 0}));
  EXPECT_EQ(Update({}, {1}, {1, 2}, {7, 8}), std::vector<float>({0, 7, 8, 0, 0, 0}));
  EXPECT_EQ(Update({3, 2}, {0, 1, 0, 1, 1, 0}, {3, 1}, {7, 8, 9}), std::vector<float>({0, 8, 0, 9, 0, 0}))
      << "the last of equal ones";
}

TEST_F(ScatterNd, PassesOverSlicesThatDoNotFit) {
  aclGetRecentErrMsg();
  EXPECT_EQ(Update({2}, {2, 1}, {2, 2}, {7, 8, 9, 10}, 507015), std::vector<float>({0, 0, 0, 0, 9, 10}));
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("argument 'indices': expected elements from 0 to 1, got 2 at 0"), std::string::npos)
      << message;
  EXPECT_EQ(Update({2, 2}, {1, 0, 2, 0}, {2, 1}, {7, 8}, 507015), std::vector<float>({0, 0, 0, 7, 0, 0}));
}

TEST_F(ScatterNd, WritesNothingBeyondEitherEnd) {
  struct Case {
    const char* api;
    Dims self, indices, updates;
    std::vector<int64_t> limits;
  };
  const Case cases[] = {{"aclnnScatterNd", {4, 5, 3}, {20, 2}, {20, 3}, {4, 5}},
                        {"aclnnScatterNd", {300, 70}, {900, 1}, {900, 70}, {300}},
                        {"aclnnScatterNdUpdate", {4, 5}, {5, 10, 2}, {5, 10}, {4, 5}},
                        {"aclnnTfScatterAdd", {30, 7}, {50}, {50, 7}, {30}},
                        {"aclnnTfScatterAdd", {4, 5}, {50, 2}, {50}, {4, 5}},
                        {"aclnnTfScatterAdd", {5000}, {9000, 1}, {9000}, {5000}}};
  for (const Case& c : cases) {
    const auto make = [&](bool is_larger) {
      calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), c.api));
      Dims self = c.self;
      for (size_t axis = 0; axis < c.limits.size(); ++axis) self[axis] += is_larger ? 1 : 0;
      call.tensor(0).shape = self;
      call.tensor("indices").shape = c.indices;
      call.tensor("updates").shape = c.updates;
      if (call.schema().Find("out") >= 0) call.tensor("out").shape = self;
      return call;
    };
    testing::ExpectFaultsPassedOver(make, {.index = "indices", .limits = c.limits});
  }
}

TEST_F(ScatterNd, PutsNothingBeyondEitherEnd) {
  for (const bool accumulates : {false, true}) {
    for (const int64_t count : {30, 9000}) {
      const auto make = [&](bool is_larger) {
        calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnInplacePut"));
        call.tensor("selfRef").shape = {is_larger ? 5 : 4, count / 3};
        call.tensor("index").shape = {2, count / 2};
        call.tensor("source").shape = {count};
        call.argument("accumulate").integer = accumulates ? 1 : 0;
        return call;
      };
      testing::ExpectFaultsPassedOver(make, {.index = "index", .limits = {4 * (count / 3)}, .wraps = true});
    }
  }
}

// Also not the part of a slice that would fit.
TEST_F(ScatterNd, UpdatesNothingBeyondEitherEnd) {
  for (const bool has_batches : {false, true}) {
    const int64_t slices = has_batches ? 9 : 3;
    const auto make = [&](bool is_larger) {
      calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnInplaceScatterUpdate"));
      call.tensor("data").shape = {is_larger ? 4 : 3, is_larger ? 10 : 8, 5};
      call.tensor("indices").shape = has_batches ? Dims{slices, 2} : Dims{slices};
      call.tensor("updates").shape = {slices, 2, 5};
      call.argument("axis").integer = 1;
      return call;
    };
    const Dims limits = {3, 7}, beyond = {3, 8};
    const auto skipped = has_batches ? 0 : 1;
    testing::ExpectFaultsPassedOver(make, {.index = "indices",
                                           .limits = {limits.begin() + skipped, limits.end()},
                                           .beyond = {beyond.begin() + skipped, beyond.end()}});
  }
}

// A list of tensors of shape [1,3] and [1,4] of zeros, along axis 1.
class ScatterList : public testing::DeviceTest {
 protected:
  static std::vector<std::vector<float>> Update(const std::vector<int64_t>& indices, const std::vector<float>& updates,
                                                const std::vector<uint8_t>& mask, int32_t status = 0) {
    const DeviceArray<float> first(std::vector<float>(3)), second(std::vector<float>(4)), values(updates);
    const DeviceArray<int64_t> index(indices);
    const DeviceArray<uint8_t> chosen(mask);
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnScatterList"));
    const auto set = [](calls::TensorSpec& tensor, aclDataType dtype, const Dims& shape, const void* data) {
      tensor = {.dtype = dtype, .shape = shape, .strides = {}};
      tensor.data = const_cast<void*>(data);
    };
    set(call.argument("varRef").tensors[0], ACL_FLOAT, {1, 3}, first.data());
    set(call.argument("varRef").tensors[1], ACL_FLOAT, {1, 4}, second.data());
    set(call.tensor("indice"), ACL_INT64, {2}, index.data());
    set(call.tensor("updates"), ACL_FLOAT, {2, 1, std::ssize(updates) / 2}, values.data());
    call.argument("maskOptional").null = mask.empty();
    if (!mask.empty()) set(call.tensor("maskOptional"), ACL_UINT8, {2}, chosen.data());
    call.argument("reduceOptional").null = mask.empty();
    call.argument("axis").integer = -1;
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(call.Plan(&bytes, &executor), 0);
    EXPECT_EQ(call.entry().run(nullptr, bytes, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), status);
    return {first.ToHost(), second.ToHost()};
  }
};

TEST_F(ScatterList, UpdatesASliceOfEachTensor) {
  EXPECT_EQ(Update({2, 0}, {7, 8}, {}), (std::vector<std::vector<float>>{{0, 0, 7}, {8, 0, 0, 0}}));
  EXPECT_EQ(Update({1, 2}, {5, 6, 7, 8}, {1, 1}), (std::vector<std::vector<float>>{{0, 5, 6}, {0, 0, 7, 8}}));
  EXPECT_EQ(Update({9, 2}, {5, 6, 7, 8}, {0, 255}), (std::vector<std::vector<float>>{{0, 0, 0}, {0, 0, 7, 8}}));
}

TEST_F(ScatterList, PassesOverSlicesThatDoNotFit) {
  aclGetRecentErrMsg();
  EXPECT_EQ(Update({2, 2}, {5, 6, 7, 8}, {}, 507015), (std::vector<std::vector<float>>{{0, 0, 0}, {0, 0, 7, 8}}));
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(message.find("aclnnScatterList: argument 'indice': expected elements from 0 to 1, got 2 at 0"),
            std::string::npos)
      << message;
}

TEST_F(ScatterList, ListAndUpdatesFit) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnScatterList"));
  const auto status = [&](const Dims& first, const Dims& second, const Dims& updates, int64_t axis, int64_t count = 2) {
    call.argument("varRef").tensors[0].shape = first;
    call.argument("varRef").tensors[1].shape = second;
    call.tensor("updates").shape = updates;
    call.tensor("indice").shape = call.tensor("maskOptional").shape = {count};
    call.argument("axis").integer = axis;
    return testing::StatusOf(call);
  };
  call.argument("maskOptional").null = false;
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 4, 3}, 0), 0);
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 4, 3}, -2), 0);
  EXPECT_EQ(status({8, 3}, {3, 3}, {2, 4, 3}, 0), 161002);
  EXPECT_EQ(status({8, 3}, {5, 2}, {2, 4, 3}, 0), 161002);
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 4, 3}, 1), 161002);
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 4, 3}, 2), 161002);
  EXPECT_EQ(status({8, 3}, {5, 3}, {3, 4, 3}, 0), 161002);
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 4, 3}, 0, 3), 161002);
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 0, 3}, 0), 161002);
  EXPECT_EQ(status({8}, {5}, {2, 4, 3}, 0), 161002);
  EXPECT_EQ(status({8, 3}, {5, 3}, {2, 4, 3}, 0), 0);
  call.argument("reduceOptional").null = false;
  call.argument("reduceOptional").text = "add";
  EXPECT_EQ(testing::StatusOf(call), 161002);
  call.argument("reduceOptional").null = true;
  EXPECT_EQ(testing::StatusOf(call), 0);
}

TEST_F(ScatterNd, PutsElementsByTheirNumbers) {
  for (const bool accumulates : {false, true}) {
    const DeviceArray<float> self({0, 1, 2, 3, 4, 5});
    const DeviceArray<int64_t> index({1, -2, 1});
    const DeviceArray<float> source({10, 20, 30});
    testing::RunPhases(aclnnInplacePutGetWorkspaceSize, aclnnInplacePut,
                       TensorBuilder(ACL_FLOAT, {2, 3}).Data(self.data()).Build().get(),
                       TensorBuilder(ACL_INT64, {3}).Data(index.data()).Build().get(),
                       TensorBuilder(ACL_FLOAT, {1, 3}).Data(source.data()).Build().get(), accumulates);
    EXPECT_EQ(self.ToHost(),
              accumulates ? std::vector<float>({0, 41, 2, 3, 24, 5}) : std::vector<float>({0, 30, 2, 3, 20, 5}));
  }
}

// More elements than have their sums in the cache together.
TEST_F(ScatterNd, AddsManyElementsByTheirNumbers) {
  calls::Random random(7);
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const aclDataType of_index : {ACL_INT32, ACL_INT64}) {
      calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnInplacePut"));
      call.tensor("selfRef").dtype = call.tensor("source").dtype = dtype;
      call.tensor("selfRef").shape = {3, 100001};
      call.tensor("index").dtype = of_index;
      call.tensor("index").shape = call.tensor("source").shape = {70000};
      call.argument("accumulate").integer = 1;
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      testing::ExpectConformanceOfThreads(call, {1, 3, 8});
    }
  }
}

// Where both readings of the shapes fit, each index names a row.
TEST_F(ScatterNd, IndicesNameRowsFirst) {
  const auto add = [](const Dims& of_indices, const Dims& of_updates) {
    const DeviceArray<float> self(std::vector<float>(4));
    const DeviceArray<int32_t> indices({0, 1, 0, 1});
    const DeviceArray<float> updates({1, 2, 3, 4, 5, 6, 7, 8});
    testing::RunPhases(aclnnTfScatterAddGetWorkspaceSize, aclnnTfScatterAdd,
                       TensorBuilder(ACL_FLOAT, {2, 2}).Data(self.data()).Build().get(),
                       TensorBuilder(ACL_INT32, of_indices).Data(indices.data()).Build().get(),
                       TensorBuilder(ACL_FLOAT, of_updates).Data(updates.data()).Build().get());
    return self.ToHost();
  };
  EXPECT_EQ(add({2, 2}, {2, 2, 2}), std::vector<float>({6, 8, 10, 12}));
  EXPECT_EQ(add({2, 2}, {2}), std::vector<float>({0, 3, 0, 0}));
  EXPECT_EQ(add({2, 1}, {2, 2}), std::vector<float>({1, 2, 3, 4}));
}

TEST_F(ScatterNd, UpdatesHaveTheShapeOfWhatIsNamed) {
  const auto status = [](const Dims& self, const Dims& indices, const Dims& updates) {
    return testing::PhaseOne(aclnnScatterNdUpdateGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(),
                             TensorBuilder(ACL_INT64, indices).Build().get(),
                             TensorBuilder(ACL_FLOAT, updates).Build().get());
  };
  EXPECT_EQ(status({4, 3}, {5, 1}, {5, 3}), 0);
  EXPECT_EQ(status({4, 3}, {5, 2}, {5}), 0);
  EXPECT_EQ(status({4, 3}, {2}, {}), 0);
  EXPECT_EQ(status({4, 3}, {5, 3}, {5}), 161002);
  EXPECT_EQ(status({4, 3}, {5, 0}, {5, 4, 3}), 161002);
  EXPECT_EQ(status({4, 3}, {}, {3}), 161002);
  EXPECT_EQ(status({4, 3}, {5, 1}, {4, 3}), 161002);
}

TEST_F(ScatterNd, SlicesFitIntoData) {
  const auto status = [](const Dims& data, const Dims& indices, const Dims& updates, int64_t axis) {
    return testing::PhaseOne(aclnnInplaceScatterUpdateGetWorkspaceSize, TensorBuilder(ACL_FLOAT, data).Build().get(),
                             TensorBuilder(ACL_INT64, indices).Build().get(),
                             TensorBuilder(ACL_FLOAT, updates).Build().get(), axis);
  };
  EXPECT_EQ(status({4, 2, 8, 3}, {4}, {4, 2, 1, 3}, -2), 0);
  EXPECT_EQ(status({4, 2, 8, 3}, {3}, {3, 2, 8, 3}, 2), 0);
  EXPECT_EQ(status({4, 2, 8, 3}, {9, 2}, {9, 2, 1, 3}, 2), 0);
  EXPECT_EQ(status({4, 2, 8, 3}, {4}, {4, 2, 1, 3}, 0), 161002);
  EXPECT_EQ(status({4, 2, 8, 3}, {4}, {4, 2, 1, 3}, -4), 161002);
  EXPECT_EQ(status({4, 2, 8, 3}, {4}, {4, 2, 9, 3}, 2), 161002);
  EXPECT_EQ(status({4, 2, 8, 3}, {4}, {4, 1, 1, 3}, 2), 161002);
  EXPECT_EQ(status({4, 2, 8, 3}, {5}, {5, 2, 1, 3}, 2), 161002);
  EXPECT_EQ(status({4, 2, 8, 3}, {3}, {4, 2, 1, 3}, 2), 161002);
  EXPECT_EQ(status({4, 2, 8, 3}, {4, 3}, {4, 2, 1, 3}, 2), 161002);
  EXPECT_EQ(status({4, 0, 8, 3}, {4}, {4, 0, 1, 3}, 2), 161002);
}

TEST_F(ScatterNd, SourceHasAnElementForEachIndex) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnInplacePut"));
  const auto status = [&](const Dims& self, const Dims& index, const Dims& source, aclDataType dtype, bool accumulate) {
    call.tensor("selfRef").shape = self;
    call.tensor("index").shape = index;
    call.tensor("source").shape = source;
    call.tensor("selfRef").dtype = call.tensor("source").dtype = dtype;
    call.argument("accumulate").integer = accumulate ? 1 : 0;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status({2, 3}, {2, 2}, {4}, ACL_FLOAT, true), 0);
  EXPECT_EQ(status({2, 3}, {2, 2}, {3}, ACL_FLOAT, true), 161002);
  EXPECT_EQ(status({0, 3}, {2, 2}, {4}, ACL_FLOAT, true), 161002);
  EXPECT_EQ(status({0, 3}, {0}, {0}, ACL_FLOAT, true), 0);
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(status({kHuge, kHuge, 0}, {0}, {0}, ACL_FLOAT, true), 0);
  EXPECT_EQ(status({2, 3}, {2}, {2}, ACL_COMPLEX64, false), 0);
  EXPECT_EQ(status({2, 3}, {2}, {2}, ACL_COMPLEX64, true), 561003);
}

}  // namespace
}  // namespace portacl::ops::scatter_nd
