// SPDX-License-Identifier: Apache-2.0
//
// Index and IndexPutImpl: the promises that follow from schemas and oracle, worked examples, masks, and what clients
// pass.
#include "ops/indexing/advanced_index/advanced_index_oracle.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "calls/views.h"
#include "testing/call_memory.h"
#include "testing/conformance.h"
#include "testing/index_faults.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(AdvancedIndex, advanced_index);

namespace portacl::ops::advanced_index {
namespace {

using calls::Call;
using calls::Random;
using calls::TensorBuilder;
using calls::TensorHandle;
using calls::TensorSpec;
using testing::DeviceArray;

// A list of indices, and the memory of its tensors.
class Indices {
 public:
  Indices& All(aclDataType dtype = ACL_FLOAT16) { return Add(TensorBuilder(dtype, {0}).Build()); }
  Indices& Integers(const Dims& shape, const std::vector<int64_t>& values) {
    return AddData(ACL_INT64, shape, wide_.emplace_back(std::make_unique<DeviceArray<int64_t>>(values))->data());
  }
  Indices& Mask(const Dims& shape, const std::vector<uint8_t>& values, aclDataType dtype = ACL_BOOL) {
    return AddData(dtype, shape, masks_.emplace_back(std::make_unique<DeviceArray<uint8_t>>(values))->data());
  }
  // The list owns its tensors, and lives as long as this.
  aclTensorList* list() {
    if (list_ == nullptr) list_.reset(aclCreateTensorList(tensors_.data(), tensors_.size()));
    return list_.get();
  }

 private:
  struct Destroy {
    void operator()(aclTensorList* list) const { aclDestroyTensorList(list); }
  };
  Indices& Add(TensorHandle tensor) {
    tensors_.push_back(tensor.release());
    return *this;
  }
  Indices& AddData(aclDataType dtype, const Dims& shape, void* data) {
    return Add(TensorBuilder(dtype, shape).Data(data).Build());
  }

  std::vector<std::unique_ptr<DeviceArray<int64_t>>> wide_;
  std::vector<std::unique_ptr<DeviceArray<uint8_t>>> masks_;
  std::vector<const aclTensor*> tensors_;
  std::unique_ptr<aclTensorList, Destroy> list_;
};

class AdvancedIndex : public testing::DeviceTest {
 protected:
  // Elements of 0, 1, 2 ... of shape [2,3,4].
  std::vector<float> Pick(Indices& indices, const Dims& shape, int32_t code = 0) {
    std::vector<float> values(24);
    std::iota(values.begin(), values.end(), 0.0F);
    const DeviceArray<float> self(values);
    const DeviceArray<float> out(std::vector<float>(static_cast<size_t>(calls::ElementCount(shape)), -1));
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    aclGetRecentErrMsg();
    EXPECT_EQ(
        aclnnIndexGetWorkspaceSize(TensorBuilder(ACL_FLOAT, {2, 3, 4}).Data(self.data()).Build().get(), indices.list(),
                                   TensorBuilder(ACL_FLOAT, shape).Data(out.data()).Build().get(), &bytes, &executor),
        0)
        << aclGetRecentErrMsg();
    EXPECT_EQ(aclnnIndex(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), code);
    return out.ToHost();
  }
  static aclnnStatus Status(const Dims& self, Indices& indices, const Dims& out) {
    return testing::PhaseOne(aclnnIndexGetWorkspaceSize, TensorBuilder(ACL_FLOAT, self).Build().get(), indices.list(),
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  }
  static std::string Message() {
    const char* const text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
  }
};

using Floats = std::vector<float>;

TEST_F(AdvancedIndex, PutsTheBroadcastShapeWhereAdjacentAxesWere) {
  Indices adjacent, apart;
  adjacent.All().Integers({2}, {0, 2}).Integers({2}, {1, 3});
  EXPECT_EQ(Pick(adjacent, {2, 2}), Floats({1, 11, 13, 23}));
  apart.Integers({2}, {0, 1}).All(ACL_FLOAT).Integers({2}, {1, 3});
  EXPECT_EQ(Pick(apart, {2, 3}), Floats({1, 5, 9, 15, 19, 23}));
}

TEST_F(AdvancedIndex, BroadcastsIndicesOfDifferentShapes) {
  Indices indices;
  indices.Integers({2, 1}, {1, -2}).Integers({3}, {0, -1, 1}).Integers({}, {-1});
  EXPECT_EQ(Pick(indices, {2, 3}), Floats({15, 23, 19, 3, 11, 7}));
}

TEST_F(AdvancedIndex, CopiesWithoutIndices) {
  Indices indices;
  Floats want(24);
  std::iota(want.begin(), want.end(), 0.0F);
  EXPECT_EQ(Pick(indices.All().All(), {2, 3, 4}), want);
}

TEST_F(AdvancedIndex, NamesOneElementByANumber) {
  Indices indices;
  indices.Integers({}, {1}).Integers({1}, {0}).Integers({}, {3});
  EXPECT_EQ(Pick(indices, {1}), Floats({15}));
  EXPECT_EQ(Pick(indices, {}), Floats({15}));
}

TEST_F(AdvancedIndex, TakesMasksOfAnyRank) {
  Indices rows, plane, mixed;
  rows.Mask({2}, {0, 1});
  EXPECT_EQ(Pick(rows, {1, 3, 4}), Floats({12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  plane.Mask({2, 3}, {1, 0, 0, 0, 1, 1}).Integers({3}, {0, 1, 2});
  EXPECT_EQ(Pick(plane, {3}), Floats({0, 17, 22}));
  mixed.Mask({2}, {1, 7}).All().Mask({4}, {0, 1, 0, 1});
  EXPECT_EQ(Pick(mixed, {2, 3}), Floats({1, 5, 9, 15, 19, 23}));
}

TEST_F(AdvancedIndex, WritesNothingIfAMaskNamesAnotherNumberOfElements) {
  Indices rows, both;
  rows.Mask({2}, {1, 1});
  EXPECT_EQ(Pick(rows, {1, 3, 4}, 507015), Floats(12, -1));
  EXPECT_NE(Message().find("aclnnIndex: argument 'indices': expected masks that name 1 elements, got 2"),
            std::string::npos);
  both.Mask({2}, {1, 1}).Mask({3}, {1, 1, 1});
  EXPECT_EQ(Pick(both, {2, 4}, 507015), Floats(8, -1));
}

// For an index that is none, 0 is read; the others count.
TEST_F(AdvancedIndex, ReportsAnIndexThatIsNone) {
  Indices indices;
  indices.All().Integers({2, 2}, {0, 3, -4, -1}).Integers({}, {1});
  EXPECT_EQ(Pick(indices, {2, 2, 2}, 507015), Floats({1, 0, 0, 9, 13, 0, 0, 21}));
  EXPECT_NE(Message().find("aclnnIndex: argument 'indices[1]': expected elements from -3 to 2, got 3 at 1"),
            std::string::npos);
}

TEST_F(AdvancedIndex, RefusesIndicesThatDoNotFit) {
  const auto status = [](const auto& add, const Dims& out) {
    Indices indices;
    add(indices);
    return Status({2, 3}, indices, out);
  };
  EXPECT_EQ(status([](Indices& i) { i.Integers({4}, {0, 0, 0, 0}); }, {4, 3}), 0);
  EXPECT_EQ(status([](Indices& i) { i.Integers({4}, {0, 0, 0, 0}); }, {3, 3}), 161002) << "another shape";
  EXPECT_EQ(status([](Indices& i) { i.All(); }, {0, 3}), 0) << "an index may name nothing";
  EXPECT_EQ(status([](Indices& i) { i.Integers({1}, {1}).All(); }, {0}), 0) << "as may one beside another";
  EXPECT_EQ(status([](Indices& i) { i.Integers({1}, {1}); }, {0, 3}), 161002) << "an index that names one row";
  EXPECT_EQ(status([](Indices& i) { i.All(); }, {1, 3}), 161002) << "a row that no index names";
  EXPECT_EQ(status([](Indices& i) { i.All().All().All(); }, {2, 3}), 161002) << "three axes";
  EXPECT_EQ(status([](Indices& i) { i.Integers({2}, {0, 0}).Integers({3}, {0, 0, 0}); }, {3}), 161002);
  EXPECT_EQ(status([](Indices& i) { i.Mask({3}, {1, 1, 1}); }, {2, 3}), 161002) << "a mask of another size";
  EXPECT_EQ(status([](Indices& i) { i.Mask({}, {1}); }, {1, 2, 3}), 161002) << "a mask without axes";
  EXPECT_EQ(status([](Indices& i) { i.Mask({2}, {1, 1}, ACL_UINT8); }, {2, 3}), 161002) << "no mask";
  EXPECT_EQ(status([](Indices& i) { i.Mask({2}, {1, 1}); }, {9, 3}), 0) << "the run knows the number";
}

// A call with masks, integers and entries without elements, all naming the same number of elements.
Call DrawMaskedCall(const exec::OperatorEntry& entry, Random& random) {
  Call call = calls::MakeValidCall(entry, &random);
  Dims& self = call.tensor(0).shape;
  self.resize(static_cast<size_t>(random.Between(1, 4)));
  for (int64_t& size : self) size = random.Between(1, 9);
  std::vector<TensorSpec>& indices = call.argument("indices").tensors;
  indices.clear();
  int64_t most = 9;
  for (size_t axis = 0; axis < self.size();) {
    TensorSpec& index = indices.emplace_back();
    const int64_t left = std::ssize(self) - static_cast<int64_t>(axis);
    const int64_t axes = random.Chance(0.5) ? random.Between(1, left) : 1;
    index.dtype = axes > 1 || random.Chance(0.4) ? ACL_BOOL : ACL_INT64;
    if (index.dtype == ACL_BOOL) {
      index.shape.assign(self.begin() + static_cast<ptrdiff_t>(axis),
                         self.begin() + static_cast<ptrdiff_t>(axis) + axes);
      most = std::min(most, calls::ElementCount(index.shape));
    } else if (random.Chance(0.4)) {
      index.shape = {0};
    }
    axis += static_cast<size_t>(axes);
  }
  const int64_t count = random.Between(1, most);
  for (TensorSpec& index : indices) {
    if (index.dtype == ACL_INT64 && index.shape.empty() && random.Chance(0.7)) index.shape = {count};
    if (index.dtype == ACL_INT64 && index.shape == Dims{count} && random.Chance(0.3)) index.shape = {2, 1};
  }
  call.AllocateData();
  for (const TensorSpec& mask : indices) {
    if (mask.dtype != ACL_BOOL) continue;
    testing::Bytes content(static_cast<size_t>(calls::ElementCount(mask.shape)));
    for (int64_t found = 0; found < count;) {
      std::byte& element = content[static_cast<size_t>(random.Below(std::ssize(content)))];
      found += element == std::byte{0};
      element = std::byte{1};
    }
    testing::WriteMemory(mask.data, content);
  }
  return call;
}

void DrawIntegers(Call& call, Random& random) {
  for (const TensorSpec& index : call.argument("indices").tensors) {
    if (index.dtype != ACL_INT64 || index.data == nullptr) continue;
    std::vector<double> values(static_cast<size_t>(calls::ElementCount(index.shape)));
    for (double& value : values) value = static_cast<double>(random.Below(1 << 20));
    testing::WriteMemory(index.data, calls::Encode(ACL_INT64, values));
  }
  calls::CompleteContents(call);
}

TEST_F(AdvancedIndex, NamesTheCoordinatesOfMasks) {
  Random random(7);
  for (int64_t draw = testing::SampleSize(600); draw-- > 0 && !HasFailure();) {
    Call call = DrawMaskedCall(Operators()[static_cast<size_t>(draw % 2)], random);
    const bool puts = IsPut(call.schema().api);
    const TensorSpec& self = call.tensor(0);
    TensorSpec& other = call.tensor(puts ? "values" : "out");
    DrawIntegers(call, random);
    const IndexLists lists(self.shape, call.argument("indices").tensors);
    other.dtype = self.dtype;
    other.shape = lists.empty() ? self.shape : lists.ResultShape();
    if (puts && random.Chance(0.5)) other.shape = DrawBroadcast(other.shape, &random);
    if (puts) call.argument("accumulate").integer = random.Chance(0.5) && !HasComplexElements(call) ? 1 : 0;
    if (!puts && random.Chance(0.5)) {
      other.strides = calls::ContiguousStrides(other.shape);
      for (int64_t& stride : *other.strides) stride *= 2;
    }
    other.data = call.AllocateBlock(static_cast<size_t>(calls::ViewExtent(other.shape, other.Strides(), 0)) *
                                    calls::ElementBytes(other.dtype));
    testing::FillWithCount(self);
    if (puts) testing::FillWithCount(other);
    testing::ExpectConformance(call);
  }
}

// Rows and single elements, added to sums for all of self and sorted by place.
TEST_F(AdvancedIndex, TouchesNothingBeyondEitherEnd) {
  struct Sizes {
    Dims self, other;
  };
  for (const Sizes& of : {Sizes{{5, 4}, {9, 4}}, {{40}, {9}}, {{4000}, {9000}}, {{5000}, {40}}}) {
    for (const int way : {0, 1, 2}) {
      const auto make = [&](bool is_larger) {
        Call call = calls::MakeValidCall(Operators()[way == 0 ? 0 : 1]);
        call.tensor(0).shape = of.self;
        call.tensor(0).shape[0] += is_larger ? 1 : 0;
        std::vector<TensorSpec>& indices = call.argument("indices").tensors;
        indices.assign(1, indices.front());
        indices[0].shape = {of.other[0]};
        call.tensor(way == 0 ? "out" : "values").shape = of.other;
        if (way != 0) call.argument("accumulate").integer = way - 1;
        return call;
      };
      testing::ExpectFaultsPassedOver(make, {.index = "indices", .limits = {of.self[0]}, .wraps = true});
    }
  }
}

// zeros(3) at [0, -1, 0] becomes 1, 2, 3, and gets these added.
TEST_F(AdvancedIndex, PutsTheLastOfEqualPlacesOrTheSumOfAll) {
  const DeviceArray<float> self(std::vector<float>(3)), values({1, 2, 3});
  const auto put = [&](bool accumulate) {
    Indices indices;
    indices.Integers({3}, {0, -1, 0});
    testing::RunPhases(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl,
                       TensorBuilder(ACL_FLOAT, {3}).Data(self.data()).Build().get(), indices.list(),
                       TensorBuilder(ACL_FLOAT, {3}).Data(values.data()).Build().get(), accumulate, true);
    return self.ToHost();
  };
  EXPECT_EQ(put(false), Floats({3, 0, 2}));
  EXPECT_EQ(put(true), Floats({7, 0, 4}));
}

// x[mask] = 5 and x[:, 1][index] += 1, as PyTorch passes them: one value, a column, a value of stride 0.
TEST_F(AdvancedIndex, PutsOneValueInManyPlaces) {
  const DeviceArray<float> self({0, 1, 2, 3, 4, 5}), five(Floats{5}), one(Floats{1});
  Indices mask, index, none;
  testing::RunPhases(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl,
                     TensorBuilder(ACL_FLOAT, {3, 2}).Data(self.data()).Build().get(),
                     mask.Mask({3, 2}, {1, 0, 0, 1, 1, 0}).list(),
                     TensorBuilder(ACL_FLOAT, {}).Data(five.data()).Build().get(), false, true);
  EXPECT_EQ(self.ToHost(), Floats({5, 1, 2, 5, 5, 5}));
  testing::RunPhases(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl,
                     TensorBuilder(ACL_FLOAT, {3}).Strides({2}).Offset(1).Data(self.data()).Build().get(),
                     index.Integers({4}, {0, 2, -1, 2}).list(),
                     TensorBuilder(ACL_FLOAT, {4}).Strides({0}).Data(one.data()).Build().get(), true, false);
  EXPECT_EQ(self.ToHost(), Floats({5, 2, 2, 5, 5, 8}));
  testing::RunPhases(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl,
                     TensorBuilder(ACL_FLOAT, {3, 2}).Data(self.data()).Build().get(), none.All().All().list(),
                     TensorBuilder(ACL_FLOAT, {1}).Data(one.data()).Build().get(), false, false);
  EXPECT_EQ(self.ToHost(), Floats({5, 2, 2, 5, 5, 8})) << "no tensor indexes";
}

TEST_F(AdvancedIndex, PutsNothingWhereAnIndexIsNone) {
  for (const bool accumulate : {false, true}) {
    const DeviceArray<float> self(std::vector<float>(3)), values({1, 2, 3});
    Indices indices;
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    aclGetRecentErrMsg();
    ASSERT_EQ(aclnnIndexPutImplGetWorkspaceSize(TensorBuilder(ACL_FLOAT, {3}).Data(self.data()).Build().get(),
                                                indices.Integers({3}, {2, 3, 0}).list(),
                                                TensorBuilder(ACL_FLOAT, {3}).Data(values.data()).Build().get(),
                                                accumulate, false, &bytes, &executor),
              0);
    ASSERT_EQ(aclnnIndexPutImpl(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
    EXPECT_NE(Message().find("aclnnIndexPutImpl: argument 'indices[0]': expected elements from -3 to 2, got 3 at 1"),
              std::string::npos);
    EXPECT_EQ(self.ToHost(), Floats({3, 0, 1}));
  }
}

TEST_F(AdvancedIndex, RefusesValuesThatDoNotBroadcast) {
  const auto status = [](const Dims& values, aclDataType dtype = ACL_FLOAT, bool accumulate = false) {
    Indices indices;
    indices.Integers({4}, {0, 0, 0, 0});
    return testing::PhaseOne(aclnnIndexPutImplGetWorkspaceSize, TensorBuilder(dtype, {2, 3}).Build().get(),
                             indices.list(), TensorBuilder(dtype, values).Build().get(), accumulate, false);
  };
  EXPECT_EQ(status({4, 3}), 0);
  EXPECT_EQ(status({3}), 0);
  EXPECT_EQ(status({4, 1}), 0);
  EXPECT_EQ(status({1, 1, 1}), 0) << "one element";
  EXPECT_EQ(status({4}), 161002);
  EXPECT_EQ(status({1, 4, 3}), 161002);
  EXPECT_EQ(status({3}, ACL_COMPLEX64), 0);
  EXPECT_EQ(status({3}, ACL_COMPLEX64, true), 561003);
}

// More elements of self than have their sums in the cache together.
TEST_F(AdvancedIndex, AddsToManyElements) {
  Random random(9);
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32}) {
    Call call = calls::MakeValidCall(Operators()[1]);
    call.tensor("selfRef").dtype = call.tensor("values").dtype = dtype;
    call.tensor("selfRef").shape = {3, 100001};
    std::vector<TensorSpec>& indices = call.argument("indices").tensors;
    indices.assign(2, indices.front());
    for (TensorSpec& index : indices) index.dtype = ACL_INT64;
    indices[0].shape = {2, 1};
    indices[1].shape = {2, 60000};
    call.tensor("values").shape = {60000};
    call.argument("accumulate").integer = 1;
    call.AllocateData();
    calls::DrawContents(call, random, 0);
    DrawIntegers(call, random);
    testing::ExpectConformanceOfThreads(call, {1, 3, 8});
  }
}

// Rows that are long enough for several threads, and elements enough for several pieces of the table.
TEST_F(AdvancedIndex, GivesTheSameForAnyNumberOfThreads) {
  Random random(8);
  for (const Dims& self : {Dims{50, 3000}, {7001, 3}, {40, 50, 60}, {5000}}) {
    Call call = calls::MakeValidCall(Operators()[0]);
    call.tensor("self").shape = self;
    std::vector<TensorSpec>& indices = call.argument("indices").tensors;
    indices.assign(1, indices.front());
    indices[0].dtype = ACL_INT64;
    indices[0].shape = {self[0] > 1000 ? 20000 : 90};
    if (self.size() == 3) {
      indices.insert(indices.begin(), indices.front());
      indices.front().shape = {0};
    }
    calls::ComputeShapeOf(call, call.schema().Find("out"));
    call.AllocateData();
    DrawIntegers(call, random);
    testing::FillWithCount(call.tensor("self"));
    testing::ExpectConformanceOfThreads(call, {1, 2, 3, 8});
    for (const int accumulate : {0, 1}) {
      Call put = calls::MakeValidCall(Operators()[1]);
      put.argument("selfRef") = call.argument("self");
      put.argument("indices") = call.argument("indices");
      put.argument("values") = call.argument("out");
      put.argument("accumulate").integer = accumulate;
      testing::ExpectConformanceOfThreads(put, {1, 2, 3, 8});
    }
  }
}

}  // namespace
}  // namespace portacl::ops::advanced_index
