// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, the effect on the tensor, and the sizes of weights.
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "base/soc.h"
#include "calls/tensor_builder.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(TransMatmulWeight, weight_format, 0);

namespace portacl::ops::weight_format {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;

class TransMatmulWeight : public testing::DeviceTest {};

aclFormat FormatOf(const TensorHandle& tensor) {
  aclFormat format = ACL_FORMAT_UNDEFINED;
  EXPECT_EQ(aclGetFormat(tensor.get(), &format), 0);
  return format;
}

TEST_F(TransMatmulWeight, ChangesTheFormatOfTheClientsTensorInPhaseOne) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_BF16}) {
    for (int turn = 0; turn < 3; ++turn) {  // the plan is found in the cache from the second time on
      const testing::DeviceArray<float> block(std::vector<float>(64, 1.5F));
      const TensorHandle weight =
          TensorBuilder(dtype, {3, 5}).Strides({1, 7}).Offset(2).Storage({50}).Data(block.data()).Build();
      uint64_t bytes = 1;
      aclOpExecutor* executor = nullptr;
      ASSERT_EQ(aclnnTransMatmulWeightGetWorkspaceSize(weight.get(), &bytes, &executor), 0);
      EXPECT_EQ(bytes, 0u);
      EXPECT_EQ(FormatOf(weight), ACL_FORMAT_FRACTAL_NZ);
      int64_t* dims = nullptr;
      uint64_t count = 0;
      ASSERT_EQ(aclGetStorageShape(weight.get(), &dims, &count), 0);
      EXPECT_EQ(std::vector<int64_t>(dims, dims + count), (std::vector<int64_t>{50}));
      delete[] dims;
      ASSERT_EQ(aclGetViewStrides(weight.get(), &dims, &count), 0);
      EXPECT_EQ(std::vector<int64_t>(dims, dims + count), (std::vector<int64_t>{1, 7}));
      delete[] dims;
      ASSERT_EQ(aclnnTransMatmulWeight(block.data(), 256, executor, nullptr), 0) << "with another call's workspace";
      ASSERT_EQ(aclrtSynchronizeDevice(), 0);
      EXPECT_EQ(block.ToHost(), std::vector<float>(64, 1.5F));
    }
  }
}

TEST_F(TransMatmulWeight, LetsTheTensorBeDestroyedBetweenThePhases) {
  const testing::DeviceArray<float> block(6);
  TensorHandle weight = TensorBuilder(ACL_FLOAT, {2, 3}).Data(block.data()).Build();
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnTransMatmulWeightGetWorkspaceSize(weight.get(), &bytes, &executor), 0);
  weight.reset();
  const TensorHandle other = TensorBuilder(ACL_FLOAT, {2, 3}).Data(block.data()).Build();
  EXPECT_EQ(aclnnTransMatmulWeight(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(FormatOf(other), ACL_FORMAT_ND);
}

TEST_F(TransMatmulWeight, ARefusedTensorKeepsItsFormat) {
  const TensorHandle weight = TensorBuilder(ACL_DOUBLE, {2, 3}).Build();
  EXPECT_EQ(testing::PhaseOne(aclnnTransMatmulWeightGetWorkspaceSize, weight.get()), 161002);
  EXPECT_EQ(FormatOf(weight), ACL_FORMAT_ND);
  const TensorHandle vector = TensorBuilder(ACL_FLOAT, {3}).Build();
  EXPECT_EQ(testing::PhaseOne(aclnnTransMatmulWeightGetWorkspaceSize, vector.get()), 161002);
  const TensorHandle twice = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  EXPECT_EQ(testing::PhaseOne(aclnnTransMatmulWeightGetWorkspaceSize, twice.get()), 0);
  EXPECT_EQ(testing::PhaseOne(aclnnTransMatmulWeightGetWorkspaceSize, twice.get()), 161002);
}

// As in a program that loads weights: from several threads at once.
TEST_F(TransMatmulWeight, MayBeCalledFromSeveralThreads) {
  const testing::DeviceArray<float> block(6);
  const auto load = [&block] {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    for (int i = 0; i < 200; ++i) {
      TensorHandle weight = TensorBuilder(ACL_FLOAT, {2, 3}).Data(block.data()).Build();
      uint64_t bytes = 1;
      aclOpExecutor* executor = nullptr;
      ASSERT_EQ(aclnnTransMatmulWeightGetWorkspaceSize(weight.get(), &bytes, &executor), 0);
      ASSERT_EQ(FormatOf(weight), ACL_FORMAT_FRACTAL_NZ);
      ASSERT_EQ(aclnnTransMatmulWeight(nullptr, 0, executor, nullptr), 0);
    }
  };
  std::thread one(load), two(load);
  one.join();
  two.join();
  EXPECT_EQ(aclrtSynchronizeDevice(), 0);
}

struct Size {
  aclnnStatus status;
  uint64_t elements;
};

Size SizeOf(const std::vector<int64_t>& dims, aclDataType dtype) {
  aclIntArray* const shape = aclCreateIntArray(dims.data(), dims.size());
  Size size{.status = 0, .elements = 12345};
  size.status = aclnnCalculateMatmulWeightSizeV2(shape, dtype, &size.elements);
  if (dtype == ACL_FLOAT16) {
    uint64_t same = 12345;
    EXPECT_EQ(aclnnCalculateMatmulWeightSize(shape, &same), size.status);
    EXPECT_EQ(same, size.elements);
  }
  aclDestroyIntArray(shape);
  return size;
}

TEST(CalculateMatmulWeightSize, RoundsTheLastTwoAxesUp) {
  EXPECT_EQ(SizeOf({510, 510}, ACL_FLOAT16).elements, 262144u);
  EXPECT_EQ(SizeOf({510, 270}, ACL_INT8).elements, 147456u);
  EXPECT_EQ(SizeOf({1, 1}, ACL_BF16).elements, 256u);
  EXPECT_EQ(SizeOf({1, 1}, ACL_FLOAT).elements, 512u);
  EXPECT_EQ(SizeOf({16, 32}, ACL_FLOAT).elements, 512u);
  EXPECT_EQ(SizeOf({2, 3, 1, 1, 17, 33}, ACL_FLOAT16).elements, 6u * 32 * 48);
  EXPECT_EQ(SizeOf({2, 2}, ACL_DT_UNDEFINED).elements, 512u) << "any dtype";
}

TEST(CalculateMatmulWeightSize, RefusesWhatIsNoMatrix) {
  for (const std::vector<int64_t>& dims : std::initializer_list<std::vector<int64_t>>{
           {}, {16}, {1, 1, 1, 1, 1, 1, 1}, {0, 16}, {16, 0}, {-1, 16}, {int64_t{1} << 40, int64_t{1} << 40}}) {
    const Size size = SizeOf(dims, ACL_FLOAT16);
    EXPECT_EQ(size.status, 161002);
    EXPECT_EQ(size.elements, 12345u);
    EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'tensorShape'"), std::string_view::npos);
  }
  const int64_t dims[] = {16, 16};
  aclIntArray* const shape = aclCreateIntArray(dims, 2);
  uint64_t elements = 0;
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(nullptr, ACL_FLOAT, nullptr), 161001);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'tensorShape'"), std::string_view::npos);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT, nullptr), 161001);
  EXPECT_EQ(aclnnCalculateMatmulWeightSize(nullptr, &elements), 161001);
  EXPECT_EQ(aclnnCalculateMatmulWeightSize(shape, nullptr), 161001);
  aclDestroyIntArray(shape);
}

TEST(CalculateMatmulWeightSize, IsThatOfSocsWithTheFormat) {
  SetCurrentSocForTest(&kSocs[static_cast<size_t>(SocFamily::kAscend910)]);
  EXPECT_EQ(SizeOf({16, 16}, ACL_FLOAT16).status, 361001);
  EXPECT_EQ(aclnnCalculateMatmulWeightSize(nullptr, nullptr), 161001) << "null pointers come first";
  SetCurrentSocForTest(&kSocs[static_cast<size_t>(SocFamily::kAscend310P)]);
  EXPECT_EQ(SizeOf({16, 16}, ACL_FLOAT16).status, 0);
  SetCurrentSocForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::weight_format
