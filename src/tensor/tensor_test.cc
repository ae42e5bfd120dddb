// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "tensor/view.h"

namespace portacl {
namespace {

struct TensorDeleter {
  void operator()(const aclTensor* tensor) const { aclDestroyTensor(tensor); }
};
using Tensor = std::unique_ptr<aclTensor, TensorDeleter>;
using Dims = std::vector<int64_t>;
using ArrayQuery = aclnnStatus (*)(const aclTensor*, int64_t**, uint64_t*);

int data[16];

Tensor Make(const Dims& shape, const int64_t* strides = nullptr, int64_t offset = 0, const Dims& storage = {}) {
  return Tensor(aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT16, strides, offset, ACL_FORMAT_NCHW,
                                storage.data(), storage.size(), data));
}

Dims Query(ArrayQuery query, const aclTensor* tensor) {
  int64_t* values = nullptr;
  uint64_t count = 99;
  EXPECT_EQ(query(tensor, &values, &count), 0);
  EXPECT_NE(values, nullptr);
  Dims result(values, values + count);
  delete[] values;
  return result;
}

std::string Recent() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

TEST(Tensor, GivesBackWhatItWasMadeOf) {
  Dims shape = {2, 3};
  Dims strides = {1, 2};
  Dims storage = {16};
  const Tensor tensor = Make(shape, strides.data(), 5, storage);
  shape = strides = storage = {0, 0};  // everything was copied
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(Query(aclGetViewShape, tensor.get()), (Dims{2, 3}));
  EXPECT_EQ(Query(aclGetViewStrides, tensor.get()), (Dims{1, 2}));
  EXPECT_EQ(Query(aclGetStorageShape, tensor.get()), (Dims{16}));
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  aclDataType dtype = ACL_FLOAT;
  void* address = nullptr;
  EXPECT_EQ(aclGetViewOffset(tensor.get(), &offset), 0);
  EXPECT_EQ(aclGetFormat(tensor.get(), &format), 0);
  EXPECT_EQ(aclGetDataType(tensor.get(), &dtype), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor.get(), &address), 0);
  EXPECT_EQ(offset, 5);
  EXPECT_EQ(format, ACL_FORMAT_NCHW);
  EXPECT_EQ(dtype, ACL_FLOAT16);
  EXPECT_EQ(address, data) << "the offset is not added";
}

TEST(Tensor, WithoutStridesIsContiguous) {
  EXPECT_EQ(Query(aclGetViewStrides, Make({2, 3, 4}).get()), (Dims{12, 4, 1}));
}

TEST(Tensor, OfRankZeroHasArraysOfNoValues) {
  const Tensor tensor(aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr));
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(Query(aclGetViewShape, tensor.get()), Dims{});
  EXPECT_EQ(Query(aclGetViewStrides, tensor.get()), Dims{});
}

TEST(Tensor, RefusesMissingDims) {
  const Dims dims = {2};
  EXPECT_EQ(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims.data(), 1, data), nullptr);
  EXPECT_NE(Recent().find("aclCreateTensor: argument 'viewDims': expected 1 dims, got NULL"), std::string::npos);
  EXPECT_EQ(aclCreateTensor(dims.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, data), nullptr);
  EXPECT_NE(Recent().find("'storageDims'"), std::string::npos);
}

TEST(Tensor, HoldsUpTo25Dims) {
  EXPECT_NE(Make(Dims(25, 1), nullptr, 0, Dims(25, 1)), nullptr);
  EXPECT_EQ(Make(Dims(26, 1)), nullptr);
  EXPECT_NE(Recent().find("at most 25 dims, got 26"), std::string::npos);
  EXPECT_EQ(Make({1}, nullptr, 0, Dims(26, 1)), nullptr);
}

TEST(Tensor, IsNotValidated) {
  aclGetRecentErrMsg();
  const Dims strides = {-1, 0};
  EXPECT_NE(Make({-5, 0}, strides.data(), -7, {1}), nullptr);
  const Tensor odd(
      aclCreateTensor(nullptr, 0, static_cast<aclDataType>(5), nullptr, 0, ACL_FORMAT_FRACTAL_NZ, nullptr, 0, nullptr));
  EXPECT_NE(odd, nullptr);
  EXPECT_EQ(Recent(), "");
}

TEST(Tensor, TakesAnotherAddress) {
  const Tensor tensor = Make({1});
  void* address = data;
  EXPECT_EQ(aclSetRawTensorAddr(tensor.get(), nullptr), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor.get(), &address), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(aclSetRawTensorAddr(nullptr, data), 161001);
}

TEST(Tensor, InitKeepsDimsThatAreNotGiven) {
  const Tensor tensor = Make({2, 3}, nullptr, 5, {6});
  const Dims strides = {1, 2};
  EXPECT_EQ(aclInitTensor(tensor.get(), nullptr, 0, ACL_DOUBLE, strides.data(), 1, ACL_FORMAT_ND, nullptr, 0, nullptr),
            0);
  EXPECT_EQ(Query(aclGetViewShape, tensor.get()), (Dims{2, 3}));
  EXPECT_EQ(Query(aclGetViewStrides, tensor.get()), strides);
  EXPECT_EQ(Query(aclGetStorageShape, tensor.get()), (Dims{6}));
  EXPECT_EQ(tensor->data, data);
  EXPECT_EQ(tensor->dtype, ACL_DOUBLE);
  EXPECT_EQ(tensor->format, ACL_FORMAT_ND);
  EXPECT_EQ(tensor->offset, 1);
}

TEST(Tensor, InitReplacesDimsThatAreGiven) {
  const Tensor tensor = Make({2, 3}, nullptr, 5, {6});
  const Dims shape = {4, 5, 6};
  const Dims storage = {200};
  EXPECT_EQ(
      aclInitTensor(tensor.get(), shape.data(), 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage.data(), 1, data + 1),
      0);
  EXPECT_EQ(Query(aclGetViewShape, tensor.get()), shape);
  EXPECT_EQ(Query(aclGetViewStrides, tensor.get()), (Dims{30, 6, 1}));
  EXPECT_EQ(Query(aclGetStorageShape, tensor.get()), storage);
  EXPECT_EQ(tensor->data, data + 1);
}

TEST(Tensor, InitWithoutStridesRecomputesThem) {
  const Dims strides = {1, 2};
  const Tensor tensor = Make({2, 3}, strides.data());
  EXPECT_EQ(aclInitTensor(tensor.get(), nullptr, 7, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 7, nullptr), 0);
  EXPECT_EQ(Query(aclGetViewStrides, tensor.get()), (Dims{3, 1}));
}

TEST(Tensor, InitRefusesNullAndTooManyDimsWithoutAChange) {
  EXPECT_EQ(aclInitTensor(nullptr, nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr), 161001);
  const Tensor tensor = Make({2, 3});
  const Dims many(26, 1);
  EXPECT_EQ(aclInitTensor(tensor.get(), many.data(), 26, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
            161002);
  EXPECT_EQ(aclInitTensor(tensor.get(), many.data(), 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, many.data(), 26, nullptr),
            161002);
  EXPECT_EQ(Query(aclGetViewShape, tensor.get()), (Dims{2, 3}));
  EXPECT_EQ(tensor->dtype, ACL_FLOAT16);
}

TEST(Tensor, QueriesNameTheNullArgument) {
  const Tensor tensor = Make({1});
  int64_t* values = nullptr;
  uint64_t count = 0;
  for (const ArrayQuery query : {aclGetViewShape, aclGetViewStrides, aclGetStorageShape}) {
    EXPECT_EQ(query(nullptr, &values, &count), 161001);
    EXPECT_NE(Recent().find("argument 'tensor': expected a pointer, got NULL"), std::string::npos);
    EXPECT_EQ(query(tensor.get(), nullptr, &count), 161001);
    EXPECT_EQ(query(tensor.get(), &values, nullptr), 161001);
    EXPECT_EQ(values, nullptr);
  }
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(nullptr, &offset), 161001);
  EXPECT_EQ(aclGetViewOffset(tensor.get(), nullptr), 161001);
  EXPECT_EQ(aclGetFormat(tensor.get(), nullptr), 161001);
  EXPECT_EQ(aclGetDataType(tensor.get(), nullptr), 161001);
  EXPECT_EQ(aclGetRawTensorAddr(tensor.get(), nullptr), 161001);
  EXPECT_NE(Recent().find("aclGetRawTensorAddr: argument 'addr'"), std::string::npos);
}

TEST(Tensor, DestroyingTwiceOrNothingIsFine) {
  aclTensor* tensor = Make({2}).release();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(aclDestroyTensor(tensor), 0);
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
  uint64_t count = 0;
  int64_t* values = nullptr;
  EXPECT_EQ(aclGetViewShape(tensor, &values, &count), 161001);
  EXPECT_NE(Recent().find("got a destroyed one"), std::string::npos);
}

TEST(Tensor, DumpChecksItsTensorsAndDoesNothing) {
  const Tensor tensor = Make({1});
  aclTensor* tensors[] = {tensor.get()};
  EXPECT_EQ(aclDumpOpTensors("Add", "add", tensors, 1, 0, nullptr), 0);
  EXPECT_EQ(aclDumpOpTensors("Add", "add", nullptr, 1, 0, nullptr), 161001);
}

TEST(Tensor, BecomesAViewUpToRankEight) {
  const Dims strides = {1, 2};
  View view;
  ASSERT_TRUE(ViewOf(*Make({2, 3}, strides.data(), 5), &view));
  EXPECT_EQ(view.data, data);
  EXPECT_EQ(view.offset, 5);
  EXPECT_EQ(view.dtype, ACL_FLOAT16);
  EXPECT_EQ(view.format, ACL_FORMAT_NCHW);
  EXPECT_EQ(Dims(view.dims().begin(), view.dims().end()), (Dims{2, 3}));
  EXPECT_EQ(view.strides[1], 2);
  EXPECT_TRUE(ViewOf(*Make(Dims(8, 1)), &view));
  EXPECT_EQ(view.rank, 8);
  EXPECT_FALSE(ViewOf(*Make(Dims(9, 2)), &view));
  EXPECT_EQ(view.rank, 8) << "left untouched";
}

}  // namespace
}  // namespace portacl
