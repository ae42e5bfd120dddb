// SPDX-License-Identifier: Apache-2.0
// The objects that operators take: what their creation stores, what queries return, and what null and repeated
// destruction do. No context is needed.
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"
#include "contract_support.h"

namespace contract {
namespace {

using Dims = std::vector<int64_t>;

template <class Query>
Dims Take(Query query, const aclTensor* tensor) {
  int64_t* values = nullptr;
  uint64_t count = 99;
  EXPECT_EQ(query(tensor, &values, &count), kOk);
  EXPECT_NE(values, nullptr) << "also for rank 0";
  Dims result(values, values + count);
  delete[] values;  // the documented way to free it
  return result;
}

TEST(Tensor, RemembersItsDescription) {
  int64_t dims[] = {2, 3, 4}, strides[] = {100, 0, 7}, storage[] = {1000};
  char data = 0;
  aclTensor* tensor = aclCreateTensor(dims, 3, ACL_BF16, strides, 5, ACL_FORMAT_NCL, storage, 1, &data);
  ASSERT_NE(tensor, nullptr);
  dims[0] = strides[0] = storage[0] = -1;  // everything was copied
  EXPECT_EQ(Take(aclGetViewShape, tensor), (Dims{2, 3, 4}));
  EXPECT_EQ(Take(aclGetViewStrides, tensor), (Dims{100, 0, 7}));
  EXPECT_EQ(Take(aclGetStorageShape, tensor), (Dims{1000}));
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclDataType dtype = ACL_DT_UNDEFINED;
  void* address = nullptr;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), kOk);
  EXPECT_EQ(aclGetFormat(tensor, &format), kOk);
  EXPECT_EQ(aclGetDataType(tensor, &dtype), kOk);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), kOk);
  EXPECT_EQ(offset, 5);
  EXPECT_EQ(format, ACL_FORMAT_NCL);
  EXPECT_EQ(dtype, ACL_BF16);
  EXPECT_EQ(address, &data) << "the offset is not added";
  EXPECT_EQ(aclSetRawTensorAddr(tensor, nullptr), kOk);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), kOk);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(aclDestroyTensor(tensor), kOk);
}

TEST(Tensor, WithoutStridesIsContiguous) {
  const int64_t dims[] = {2, 3, 4};
  aclTensor* tensor = aclCreateTensor(dims, 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 3, nullptr);
  EXPECT_EQ(Take(aclGetViewStrides, tensor), (Dims{12, 4, 1}));
  EXPECT_EQ(aclDestroyTensor(tensor), kOk);
}

TEST(Tensor, MayBeAScalarOrEmpty) {
  aclTensor* scalar = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(Take(aclGetViewShape, scalar), Dims{});
  EXPECT_EQ(aclDestroyTensor(scalar), kOk);
  const int64_t dims[] = {0, 4};
  aclTensor* empty = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(Take(aclGetViewShape, empty), (Dims{0, 4}));
  EXPECT_EQ(aclDestroyTensor(empty), kOk);
}

TEST(Tensor, CreationRefusesOnlyTheImpossible) {
  const Dims dims(26, 1);
  EXPECT_EQ(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims.data(), 1, nullptr), nullptr);
  EXPECT_EQ(aclCreateTensor(dims.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr), nullptr);
  EXPECT_EQ(aclCreateTensor(dims.data(), 26, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims.data(), 1, nullptr), nullptr);
  EXPECT_NE(TakeMessage(), "");
  const int64_t odd[] = {-3, 5}, negative[] = {-1, -7};
  aclTensor* tensor = aclCreateTensor(odd, 2, static_cast<aclDataType>(777), negative, -9, static_cast<aclFormat>(555),
                                      odd, 2, nullptr);
  ASSERT_NE(tensor, nullptr) << "operators check these, creation does not";
  EXPECT_EQ(Take(aclGetViewStrides, tensor), (Dims{-1, -7}));
  EXPECT_EQ(aclDestroyTensor(tensor), kOk);
}

TEST(Tensor, CanBeDescribedAnew) {
  const int64_t dims[] = {2, 3}, other[] = {4};
  char first = 0, second = 0;
  aclTensor* tensor = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 1, ACL_FORMAT_ND, dims, 2, &first);
  EXPECT_EQ(aclInitTensor(tensor, nullptr, 0, ACL_FLOAT16, nullptr, 7, ACL_FORMAT_NCHW, nullptr, 0, nullptr), kOk);
  EXPECT_EQ(Take(aclGetViewShape, tensor), (Dims{2, 3})) << "absent dims keep their value";
  EXPECT_EQ(Take(aclGetStorageShape, tensor), (Dims{2, 3}));
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), kOk);
  EXPECT_EQ(address, &first);
  aclDataType dtype = ACL_DT_UNDEFINED;
  EXPECT_EQ(aclGetDataType(tensor, &dtype), kOk);
  EXPECT_EQ(dtype, ACL_FLOAT16);
  EXPECT_EQ(aclInitTensor(tensor, other, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, other, 1, &second), kOk);
  EXPECT_EQ(Take(aclGetViewShape, tensor), (Dims{4}));
  EXPECT_EQ(Take(aclGetViewStrides, tensor), (Dims{1}));
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), kOk);
  EXPECT_EQ(address, &second);
  EXPECT_EQ(aclDestroyTensor(tensor), kOk);
  EXPECT_REFUSED(kNullParameter,
                 aclInitTensor(nullptr, other, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, other, 1, &second));
}

TEST(Tensor, QueriesRefuseNull) {
  const int64_t dims[] = {2};
  aclTensor* tensor = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
  int64_t* values = nullptr;
  uint64_t count = 99;
  int64_t offset = 99;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclDataType dtype = ACL_DT_UNDEFINED;
  void* address = nullptr;
  EXPECT_REFUSED(kNullParameter, aclGetViewShape(nullptr, &values, &count));
  EXPECT_REFUSED(kNullParameter, aclGetViewShape(tensor, nullptr, &count));
  EXPECT_REFUSED(kNullParameter, aclGetViewShape(tensor, &values, nullptr));
  EXPECT_REFUSED(kNullParameter, aclGetStorageShape(nullptr, &values, &count));
  EXPECT_REFUSED(kNullParameter, aclGetStorageShape(tensor, nullptr, &count));
  EXPECT_REFUSED(kNullParameter, aclGetViewStrides(nullptr, &values, &count));
  EXPECT_REFUSED(kNullParameter, aclGetViewStrides(tensor, &values, nullptr));
  EXPECT_REFUSED(kNullParameter, aclGetViewOffset(nullptr, &offset));
  EXPECT_REFUSED(kNullParameter, aclGetViewOffset(tensor, nullptr));
  EXPECT_REFUSED(kNullParameter, aclGetFormat(nullptr, &format));
  EXPECT_REFUSED(kNullParameter, aclGetFormat(tensor, nullptr));
  EXPECT_REFUSED(kNullParameter, aclGetDataType(nullptr, &dtype));
  EXPECT_REFUSED(kNullParameter, aclGetDataType(tensor, nullptr));
  EXPECT_REFUSED(kNullParameter, aclGetRawTensorAddr(nullptr, &address));
  EXPECT_REFUSED(kNullParameter, aclGetRawTensorAddr(tensor, nullptr));
  EXPECT_REFUSED(kNullParameter, aclSetRawTensorAddr(nullptr, &address));
  EXPECT_EQ(values, nullptr);
  EXPECT_EQ(count, 99u);
  EXPECT_EQ(offset, 99);
  EXPECT_EQ(aclDestroyTensor(tensor), kOk);
}

TEST(Destroy, TakesNullEverywhere) {
  EXPECT_EQ(aclDestroyTensor(nullptr), kOk);
  EXPECT_EQ(aclDestroyScalar(nullptr), kOk);
  EXPECT_EQ(aclDestroyIntArray(nullptr), kOk);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), kOk);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), kOk);
  EXPECT_EQ(aclDestroyTensorList(nullptr), kOk);
  EXPECT_EQ(aclDestroyScalarList(nullptr), kOk);
}

TEST(Scalar, TakesEveryTypeThatIsOneElement) {
  alignas(16) char value[16] = {};
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT32, ACL_UINT8, ACL_INT16, ACL_UINT16, ACL_UINT32,
                            ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16}) {
    aclScalar* scalar = aclCreateScalar(value, dtype);
    EXPECT_NE(scalar, nullptr) << dtype;
    EXPECT_EQ(aclDestroyScalar(scalar), kOk);
  }
  for (aclDataType dtype :
       {ACL_STRING, ACL_INT4, ACL_UINT1, ACL_COMPLEX32, ACL_DT_UNDEFINED, static_cast<aclDataType>(777)}) {
    EXPECT_EQ(aclCreateScalar(value, dtype), nullptr) << dtype;
  }
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
}

template <class T, class Array>
void ExpectArraysCount(Array* (*create)(const T*, uint64_t), aclnnStatus (*size)(const Array*, uint64_t*),
                       aclnnStatus (*destroy)(const Array*)) {
  const T values[3] = {};
  for (uint64_t length : {0, 1, 3}) {
    Array* array = create(values, length);
    ASSERT_NE(array, nullptr);
    uint64_t count = 99;
    EXPECT_EQ(size(array, &count), kOk);
    EXPECT_EQ(count, length);
    EXPECT_EQ(size(array, nullptr), kNullParameter);
    EXPECT_EQ(destroy(array), kOk);
  }
  Array* empty = create(nullptr, 3);
  ASSERT_NE(empty, nullptr) << "null is a valid empty array";
  uint64_t count = 99;
  EXPECT_EQ(size(empty, &count), kOk);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(destroy(empty), kOk);
  EXPECT_EQ(size(nullptr, &count), kNullParameter);
}

TEST(Array, KnowsItsLength) {
  ExpectArraysCount<int64_t, aclIntArray>(aclCreateIntArray, aclGetIntArraySize, aclDestroyIntArray);
  ExpectArraysCount<float, aclFloatArray>(aclCreateFloatArray, aclGetFloatArraySize, aclDestroyFloatArray);
  ExpectArraysCount<bool, aclBoolArray>(aclCreateBoolArray, aclGetBoolArraySize, aclDestroyBoolArray);
}

aclTensor* AnyTensor() {
  const int64_t dims[] = {2};
  return aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
}

// With a leak checker this also shows that a list destroys its elements.
TEST(List, OwnsItsElements) {
  const aclTensor* tensors[] = {AnyTensor(), nullptr, AnyTensor()};
  aclTensorList* list = aclCreateTensorList(tensors, 3);
  ASSERT_NE(list, nullptr);
  uint64_t count = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &count), kOk);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(aclDestroyTensorList(list), kOk);
  float one = 1;
  const aclScalar* scalars[] = {aclCreateScalar(&one, ACL_FLOAT)};
  aclScalarList* scalar_list = aclCreateScalarList(scalars, 1);
  EXPECT_EQ(aclGetScalarListSize(scalar_list, &count), kOk);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(aclDestroyScalarList(scalar_list), kOk);
  aclTensorList* empty = aclCreateTensorList(nullptr, 0);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(aclGetTensorListSize(empty, &count), kOk);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(aclDestroyTensorList(empty), kOk);
  EXPECT_REFUSED(kNullParameter, aclGetTensorListSize(nullptr, &count));
  EXPECT_REFUSED(kNullParameter, aclGetScalarListSize(scalar_list = nullptr, &count));
}

// A mistake that exists in clients: elements are destroyed again after their list.
TEST(List, ElementDestroyedAgainIsHarmless) {
  const aclTensor* tensors[] = {AnyTensor()};
  aclTensorList* list = aclCreateTensorList(tensors, 1);
  EXPECT_EQ(aclDestroyTensorList(list), kOk);
  aclDestroyTensor(tensors[0]);
  aclTensor* next = AnyTensor();
  EXPECT_EQ(Take(aclGetViewShape, next), (Dims{2}));
  EXPECT_EQ(aclDestroyTensor(next), kOk);
}

}  // namespace
}  // namespace contract
