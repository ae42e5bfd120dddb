// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and the sizes that are refused.
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "calls/tensor_builder.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Split, split);

namespace portacl::ops::split {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;

class Split : public testing::DeviceTest {};

// Owns an array and a list of tensors, which owns the tensors.
class Pieces {
 public:
  Pieces(const std::vector<int64_t>& sizes, const std::vector<Dims>& shapes, float* data = nullptr)
      : sizes_(aclCreateIntArray(sizes.data(), sizes.size())) {
    std::vector<aclTensor*> tensors;
    for (const Dims& shape : shapes) {
      tensors.push_back(TensorBuilder(ACL_FLOAT, shape).Data(data).Build().release());
      if (data != nullptr) data += calls::ElementCount(shape);
    }
    list_ = aclCreateTensorList(tensors.data(), tensors.size());
  }
  ~Pieces() {
    aclDestroyTensorList(list_);
    aclDestroyIntArray(sizes_);
  }
  Pieces(const Pieces&) = delete;
  const aclIntArray* sizes() const { return sizes_; }
  aclTensorList* list() const { return list_; }

 private:
  aclIntArray* sizes_;
  aclTensorList* list_;
};

TEST_F(Split, GivesTheDocumentedPieces) {
  const DeviceArray<float> device(std::vector<float>{0, 1, 2, 3, 4});
  const DeviceArray<float> result(5);
  const auto self = TensorBuilder(ACL_FLOAT, {5}).Data(device.data()).Build();
  const Pieces by_size({1, 4}, {{1}, {4}}, result.data());
  testing::RunPhases(aclnnSplitWithSizeGetWorkspaceSize, aclnnSplitWithSize, self.get(), by_size.sizes(), int64_t{0},
                     by_size.list());
  EXPECT_EQ(result.ToHost(), (std::vector<float>{0, 1, 2, 3, 4}));
  const Pieces equal({}, {{2}, {2}, {1}}, result.data());
  testing::RunPhases(aclnnSplitTensorGetWorkspaceSize, aclnnSplitTensor, self.get(), uint64_t{2}, int64_t{-1},
                     equal.list());
  EXPECT_EQ(result.ToHost(), (std::vector<float>{0, 1, 2, 3, 4}));
}

TEST_F(Split, WritesColumnsOfAProjection) {
  const DeviceArray<float> device(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const DeviceArray<float> result(12);
  const auto self = TensorBuilder(ACL_FLOAT, {2, 6}).Data(device.data()).Build();
  const Pieces pieces({1, 0, 2, 3}, {{2, 1}, {2, 0}, {2, 2}, {2, 3}}, result.data());
  testing::RunPhases(aclnnSplitWithSizeGetWorkspaceSize, aclnnSplitWithSize, self.get(), pieces.sizes(), int64_t{1},
                     pieces.list());
  EXPECT_EQ(result.ToHost(), (std::vector<float>{0, 6, 1, 2, 7, 8, 3, 4, 5, 9, 10, 11}));
}

TEST_F(Split, SizesAddUpToTheAxis) {
  const auto self = TensorBuilder(ACL_FLOAT, {2, 5}).Build();
  const auto status = [&](const std::vector<int64_t>& sizes, const std::vector<Dims>& shapes) {
    const Pieces pieces(sizes, shapes);
    return testing::PhaseOne(aclnnSplitWithSizeGetWorkspaceSize, self.get(), pieces.sizes(), int64_t{1}, pieces.list());
  };
  EXPECT_EQ(status({2, 3}, {{2, 2}, {2, 3}}), 0);
  EXPECT_EQ(status({2, 2}, {{2, 2}, {2, 2}}), 161002);
  EXPECT_EQ(status({6, -1}, {{2, 6}, {2, 0}}), 161002);
  EXPECT_EQ(status({2, 3}, {{2, 2}, {2, 2}}), 161002);
  EXPECT_EQ(status({2, 3}, {{2, 2}, {1, 2, 3}}), 161002);
  EXPECT_EQ(status({2, 3}, {{2, 2}}), 161002);
  EXPECT_EQ(status({}, {}), 161002);
}

TEST_F(Split, SectionsAreSizesOfPieces) {
  const auto status = [&](int64_t length, uint64_t sections, const std::vector<Dims>& shapes) {
    const Pieces pieces({}, shapes);
    return testing::PhaseOne(aclnnSplitTensorGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {length}).Build().get(),
                             sections, int64_t{0}, pieces.list());
  };
  EXPECT_EQ(status(5, 3, {{3}, {2}}), 0);
  EXPECT_EQ(status(5, 5, {{5}}), 0);
  EXPECT_EQ(status(5, UINT64_MAX, {{5}}), 0);
  EXPECT_EQ(status(5, 3, {{3}, {3}}), 161002);
  EXPECT_EQ(status(5, 2, {{3}, {2}}), 161002);
  EXPECT_EQ(status(5, 0, {{5}}), 161002);
  EXPECT_EQ(status(0, 0, {{0}}), 0);
  EXPECT_EQ(status(0, 2, {{0}}), 0);
  EXPECT_EQ(status(0, 2, {}), 161002);
}

}  // namespace
}  // namespace portacl::ops::split
