// SPDX-License-Identifier: Apache-2.0
#include "tensor/array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace portacl {
namespace {

aclTensor* MakeTensor() {
  return aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
}

TEST(Array, CopiesShortAndLongValues) {
  for (const size_t size : {1U, 7U, 8U, 9U, 1000U}) {
    std::vector<int64_t> values(size);
    std::iota(values.begin(), values.end(), -3);
    aclIntArray* array = aclCreateIntArray(values.data(), size);
    const std::vector<int64_t> expected = values;
    std::fill(values.begin(), values.end(), 0);
    ASSERT_NE(array, nullptr);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), array->values().begin(), array->values().end()));
    uint64_t count = 0;
    EXPECT_EQ(aclGetIntArraySize(array, &count), 0);
    EXPECT_EQ(count, size);
    EXPECT_EQ(aclDestroyIntArray(array), 0);
  }
}

TEST(Array, NullOrNoValuesMakeAnEmptyArray) {
  const float value = 1.0F;
  for (aclFloatArray* array : {aclCreateFloatArray(nullptr, 5), aclCreateFloatArray(&value, 0)}) {
    ASSERT_NE(array, nullptr);
    uint64_t count = 9;
    EXPECT_EQ(aclGetFloatArraySize(array, &count), 0);
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(aclDestroyFloatArray(array), 0);
  }
}

TEST(Array, AnyByteButZeroIsTrue) {
  const unsigned char bytes[] = {0, 1, 2, 255};
  aclBoolArray* array = aclCreateBoolArray(reinterpret_cast<const bool*>(bytes), 4);
  ASSERT_NE(array, nullptr);
  const bool expected[] = {false, true, true, true};
  EXPECT_TRUE(std::equal(array->values().begin(), array->values().end(), expected));
  uint64_t count = 0;
  EXPECT_EQ(aclGetBoolArraySize(array, &count), 0);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(aclDestroyBoolArray(array), 0);
}

TEST(Array, ASizeNoMemoryHoldsGivesNull) {
  const int64_t value = 0;
  aclGetRecentErrMsg();
  EXPECT_EQ(aclCreateIntArray(&value, std::numeric_limits<uint64_t>::max()), nullptr);
  EXPECT_EQ(aclCreateIntArray(&value, std::numeric_limits<uint64_t>::max() / 8), nullptr);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

TEST(Array, SizeQueriesNameTheNullArgument) {
  aclIntArray* array = aclCreateIntArray(nullptr, 0);
  uint64_t count = 5;
  EXPECT_EQ(aclGetIntArraySize(nullptr, &count), 161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("aclGetIntArraySize: argument 'array'"), std::string::npos);
  EXPECT_EQ(aclGetIntArraySize(array, nullptr), 161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("'size'"), std::string::npos);
  EXPECT_EQ(aclGetTensorListSize(nullptr, &count), 161001);
  EXPECT_EQ(aclGetScalarListSize(nullptr, &count), 161001);
  EXPECT_EQ(aclGetFloatArraySize(nullptr, &count), 161001);
  EXPECT_EQ(aclGetBoolArraySize(nullptr, &count), 161001);
  EXPECT_EQ(count, 5U);
  EXPECT_EQ(aclDestroyIntArray(array), 0);
}

TEST(Array, DestroyingTwiceOrNothingIsFine) {
  const std::vector<int64_t> values(100, 1);
  aclIntArray* array = aclCreateIntArray(values.data(), values.size());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(aclDestroyIntArray(array), 0);
  EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), 0);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), 0);
  EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
  EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
}

TEST(TensorList, DestroysItsTensors) {
  const aclTensor* tensors[] = {MakeTensor(), nullptr, MakeTensor()};
  aclTensorList* list = aclCreateTensorList(tensors, 3);
  ASSERT_NE(list, nullptr);
  uint64_t count = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &count), 0);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(list->values()[2], tensors[2]);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  EXPECT_FALSE(tensors[0]->alive());
  EXPECT_FALSE(tensors[2]->alive());
}

TEST(TensorList, TensorsDestroyedBeforeOrAfterItAreLeftAlone) {
  aclTensor* before = MakeTensor();
  aclTensor* twice = MakeTensor();
  const aclTensor* tensors[] = {before, twice, twice};
  aclTensorList* list = aclCreateTensorList(tensors, 3);
  EXPECT_EQ(aclDestroyTensor(before), 0);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  EXPECT_EQ(aclDestroyTensor(twice), 0);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

TEST(ScalarList, DestroysItsScalars) {
  float value = 2.0F;
  const aclScalar* scalars[] = {aclCreateScalar(&value, ACL_FLOAT), aclCreateScalar(&value, ACL_FLOAT)};
  aclScalarList* list = aclCreateScalarList(scalars, 2);
  ASSERT_NE(list, nullptr);
  uint64_t count = 0;
  EXPECT_EQ(aclGetScalarListSize(list, &count), 0);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(aclDestroyScalarList(list), 0);
  EXPECT_FALSE(scalars[1]->alive());
  EXPECT_EQ(aclDestroyScalar(scalars[0]), 0);
}

}  // namespace
}  // namespace portacl
