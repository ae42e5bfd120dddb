// SPDX-License-Identifier: Apache-2.0
// Operators by name: descriptions of tensors, settings of the compiler, and what is refused. Functions under the names
// of the layer below the runtime, and of the profiler.
#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/rt/rt_functions.h"
#include "contract_support.h"

namespace contract {
namespace {

using Dims = std::vector<int64_t>;

constexpr int32_t kFormatNotMatch = 100027;

// A description that is freed with the test.
class Tensor {
 public:
  Tensor(aclDataType dtype, const Dims& dims, aclFormat format = ACL_FORMAT_ND)
      : desc_(aclCreateTensorDesc(dtype, static_cast<int>(dims.size()), dims.data(), format)) {}
  explicit Tensor(aclTensorDesc* desc) : desc_(desc) {}
  ~Tensor() { aclDestroyTensorDesc(desc_); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  operator aclTensorDesc*() const { return desc_; }  // NOLINT(google-explicit-constructor)

 private:
  aclTensorDesc* desc_;
};

Dims DimsOf(const aclTensorDesc* desc) {
  Dims dims(aclGetTensorDescNumDims(desc));
  for (size_t i = 0; i < dims.size(); ++i) EXPECT_EQ(aclGetTensorDescDimV2(desc, i, &dims[i]), kOk);
  return dims;
}

// The address of no description.
aclTensorDesc* Dead() {
  auto* desc = aclCreateTensorDesc(ACL_FLOAT, 0, nullptr, ACL_FORMAT_ND);
  aclDestroyTensorDesc(desc);
  return desc;
}

TEST(TensorDescription, HasWhatItWasCreatedWith) {
  const Tensor tensor(ACL_INT8, {2, 3, 4}, ACL_FORMAT_NCHW);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(aclGetTensorDescType(tensor), ACL_INT8);
  EXPECT_EQ(aclGetTensorDescFormat(tensor), ACL_FORMAT_NCHW);
  EXPECT_EQ(DimsOf(tensor), (Dims{2, 3, 4}));
  EXPECT_EQ(aclGetTensorDescDim(tensor, 2), 4);
  EXPECT_EQ(aclGetTensorDescDim(tensor, 3), -1);
  int64_t dim = 7;
  EXPECT_REFUSED(kInvalidParam, aclGetTensorDescDimV2(tensor, 3, &dim));
  EXPECT_REFUSED(kInvalidParam, aclGetTensorDescDimV2(tensor, 0, nullptr));
  EXPECT_EQ(dim, 7);
  EXPECT_EQ(aclGetTensorDescByIndex(tensor, 0), tensor);
  EXPECT_EQ(aclGetTensorDescByIndex(tensor, 1), nullptr);
  EXPECT_EQ(aclGetTensorDescAddress(tensor), nullptr);
}

TEST(TensorDescription, IsNotCreatedFromWrongDims) {
  TakeMessage();
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, -1, nullptr, ACL_FORMAT_ND), nullptr);
  EXPECT_NE(TakeMessage().find("aclCreateTensorDesc: argument 'numDims'"), std::string::npos);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 1, nullptr, ACL_FORMAT_ND), nullptr);
  EXPECT_NE(TakeMessage().find("aclCreateTensorDesc: argument 'dims'"), std::string::npos);
}

TEST(TensorDescription, CountsItsElementsAndBytes) {
  const struct {
    aclDataType dtype;
    Dims dims;
    size_t count, bytes;
  } kCases[] = {
      {ACL_FLOAT, {2, 3}, 6, 24},
      {ACL_DOUBLE, {}, 1, 8},
      {ACL_FLOAT, {2, 0, 3}, 0, 0},
      {ACL_FLOAT, {2, -1}, 0, 0},  // unknown
      {ACL_FLOAT, {-2}, 0, 0},     // unknown, and how many
      {ACL_INT4, {5}, 5, 3},       // the last byte holds one
      {ACL_FLOAT4_E2M1, {4}, 4, 2},
      {ACL_STRING, {4}, 4, 0},
      {ACL_INT8, {INT64_MAX, 2}, size_t{INT64_MAX} * 2, size_t{INT64_MAX} * 2},
      {ACL_INT16, {INT64_MAX, 2}, size_t{INT64_MAX} * 2, 0},  // the bytes do not fit
      {ACL_INT8, {INT64_MAX, 4}, 0, 0},                       // the elements do not fit
      {ACL_INT8, {INT64_MAX, 4, 0}, 0, 0},
  };
  for (const auto& each : kCases) {
    const Tensor tensor(each.dtype, each.dims);
    EXPECT_EQ(aclGetTensorDescElementCount(tensor), each.count) << ::testing::PrintToString(each.dims);
    EXPECT_EQ(aclGetTensorDescSize(tensor), each.bytes) << ::testing::PrintToString(each.dims);
  }
}

TEST(TensorDescription, KeepsTheOriginApartFromTheStorage) {
  const Tensor tensor(ACL_FLOAT16, {16, 16}, ACL_FORMAT_ND);
  const Dims blocks = {1, 1, 16, 16};
  EXPECT_EQ(aclSetTensorFormat(tensor, ACL_FORMAT_FRACTAL_NZ), kOk);
  EXPECT_EQ(aclSetTensorShape(tensor, 4, blocks.data()), kOk);
  EXPECT_EQ(aclSetTensorStorageFormat(tensor, ACL_FORMAT_FRACTAL_NZ), kOk);
  EXPECT_EQ(aclSetTensorStorageShape(tensor, 4, blocks.data()), kOk);
  EXPECT_EQ(aclGetTensorDescFormat(tensor), ACL_FORMAT_ND);
  EXPECT_EQ(DimsOf(tensor), (Dims{16, 16}));
  EXPECT_EQ(aclSetTensorOriginFormat(tensor, ACL_FORMAT_NCHW), kOk);
  EXPECT_EQ(aclSetTensorOriginShape(tensor, 4, blocks.data()), kOk);
  EXPECT_EQ(aclGetTensorDescFormat(tensor), ACL_FORMAT_NCHW);
  EXPECT_EQ(DimsOf(tensor), blocks);
  EXPECT_EQ(aclSetTensorOriginShape(tensor, 0, nullptr), kOk);
  EXPECT_EQ(DimsOf(tensor), Dims());
}

TEST(TensorDescription, HasAName) {
  const Tensor tensor(ACL_FLOAT, {1});
  EXPECT_STREQ(aclGetTensorDescName(tensor), "");
  char name[] = "var";
  aclSetTensorDescName(tensor, name);
  name[0] = 'c';
  EXPECT_STREQ(aclGetTensorDescName(tensor), "var");
  aclSetTensorDescName(tensor, nullptr);
  EXPECT_STREQ(aclGetTensorDescName(tensor), "");
  EXPECT_STREQ(aclGetTensorDescName(nullptr), "");
  EXPECT_EQ(aclSetTensorDynamicInput(tensor, "x"), kOk);
  EXPECT_STREQ(aclGetTensorDescName(tensor), "");
}

TEST(TensorDescription, TakesAConstantAndAPlace) {
  const Tensor tensor(ACL_FLOAT, {2});
  float values[] = {1, 2};
  EXPECT_EQ(aclSetTensorConst(tensor, values, sizeof values), kOk);
  EXPECT_EQ(aclSetTensorConst(tensor, values, 1), kOk);
  EXPECT_REFUSED(kInvalidParam, aclSetTensorConst(tensor, values, 0));
  EXPECT_REFUSED(kInvalidParam, aclSetTensorConst(tensor, nullptr, 4));
  EXPECT_REFUSED(200000, aclSetTensorConst(tensor, values, SIZE_MAX));
  EXPECT_EQ(aclSetTensorPlaceMent(tensor, ACL_MEMTYPE_HOST), kOk);
  EXPECT_REFUSED(kInvalidParam, aclSetTensorPlaceMent(tensor, static_cast<aclMemType>(3)));
}

TEST(TensorDescription, HasRangesOfUnknownDims) {
  const Tensor tensor(ACL_FLOAT, {8, -1, 4, -1});
  int64_t range[2] = {};
  const auto get = [&](size_t index) {
    EXPECT_EQ(aclGetTensorDescDimRange(tensor, index, 2, range), kOk);
    return std::pair(range[0], range[1]);
  };
  EXPECT_EQ(get(0), std::pair(int64_t{8}, int64_t{8}));
  EXPECT_EQ(get(1), std::pair(int64_t{0}, int64_t{-1}));
  int64_t ranges[2][2] = {{8, 8}, {1, 16}};
  EXPECT_EQ(aclSetTensorShapeRange(tensor, 2, ranges), kOk);
  ranges[1][1] = 0;
  EXPECT_EQ(get(1), std::pair(int64_t{1}, int64_t{16}));
  EXPECT_EQ(get(2), std::pair(int64_t{4}, int64_t{4})) << "no range was set";
  EXPECT_REFUSED(kInvalidParam, aclGetTensorDescDimRange(tensor, 4, 2, range));
  EXPECT_REFUSED(kInvalidParam, aclGetTensorDescDimRange(tensor, 0, 1, range));
  EXPECT_REFUSED(kInvalidParam, aclGetTensorDescDimRange(tensor, 0, 2, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclSetTensorShapeRange(tensor, 1, nullptr));
  EXPECT_EQ(aclSetTensorShapeRange(tensor, 0, nullptr), kOk);
  EXPECT_EQ(get(1), std::pair(int64_t{0}, int64_t{-1}));
  EXPECT_EQ(aclSetTensorValueRange(tensor, 2, ranges), kOk);
  EXPECT_REFUSED(kInvalidParam, aclSetTensorValueRange(tensor, 2, nullptr));
}

TEST(TensorDescription, ChangesItsFormatInACopy) {
  const Tensor image(ACL_FLOAT, {2, 3, 4, 5}, ACL_FORMAT_NCHW);
  aclSetTensorDescName(image, "x");
  aclTensorDesc* out = nullptr;
  ASSERT_EQ(aclTransTensorDescFormat(image, ACL_FORMAT_NHWC, &out), kOk);
  const Tensor last(out);
  EXPECT_EQ(DimsOf(last), (Dims{2, 4, 5, 3}));
  EXPECT_EQ(aclGetTensorDescFormat(last), ACL_FORMAT_NHWC);
  EXPECT_EQ(aclGetTensorDescType(last), ACL_FLOAT);
  EXPECT_STREQ(aclGetTensorDescName(last), "");
  ASSERT_EQ(aclTransTensorDescFormat(last, ACL_FORMAT_NCHW, &out), kOk);
  const Tensor first(out);
  EXPECT_EQ(DimsOf(first), (Dims{2, 3, 4, 5}));
  const Tensor row(ACL_FLOAT, {6}, ACL_FORMAT_NCHW);
  ASSERT_EQ(aclTransTensorDescFormat(row, ACL_FORMAT_NCHW, &out), kOk);
  const Tensor same(out);
  EXPECT_EQ(DimsOf(same), (Dims{6}));
  out = nullptr;
  EXPECT_REFUSED(kFormatNotMatch, aclTransTensorDescFormat(row, ACL_FORMAT_NHWC, &out));
  EXPECT_REFUSED(kFormatNotMatch, aclTransTensorDescFormat(image, ACL_FORMAT_ND, &out));
  EXPECT_REFUSED(kInvalidParam, aclTransTensorDescFormat(image, ACL_FORMAT_NHWC, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclTransTensorDescFormat(nullptr, ACL_FORMAT_NHWC, &out));
  EXPECT_EQ(out, nullptr);
}

TEST(TensorDescription, IsReportedWhenItIsNoneOrFreed) {
  int64_t dim[2] = {7, 7};
  int64_t pair[1][2] = {{1, 2}};
  for (aclTensorDesc* desc : {static_cast<aclTensorDesc*>(nullptr), Dead()}) {
    const int32_t code = desc == nullptr ? kInvalidParam : kRtInvalidHandle;
    EXPECT_REFUSED(code, aclGetTensorDescDimV2(desc, 0, dim));
    EXPECT_REFUSED(code, aclSetTensorFormat(desc, ACL_FORMAT_ND));
    EXPECT_REFUSED(code, aclSetTensorShape(desc, 1, dim));
    EXPECT_REFUSED(code, aclSetTensorStorageFormat(desc, ACL_FORMAT_ND));
    EXPECT_REFUSED(code, aclSetTensorStorageShape(desc, 1, dim));
    EXPECT_REFUSED(code, aclSetTensorOriginFormat(desc, ACL_FORMAT_ND));
    EXPECT_REFUSED(code, aclSetTensorOriginShape(desc, 1, dim));
    EXPECT_REFUSED(code, aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST));
    EXPECT_REFUSED(code, aclSetTensorDynamicInput(desc, "x"));
    EXPECT_REFUSED(code, aclSetTensorConst(desc, dim, sizeof dim));
    EXPECT_REFUSED(code, aclSetTensorShapeRange(desc, 1, pair));
    EXPECT_REFUSED(code, aclSetTensorValueRange(desc, 1, pair));
    EXPECT_REFUSED(code, aclGetTensorDescDimRange(desc, 0, 2, dim));
    EXPECT_EQ(aclGetTensorDescType(desc), ACL_DT_UNDEFINED);
    EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_UNDEFINED);
    EXPECT_EQ(aclGetTensorDescNumDims(desc), 0u);
    EXPECT_EQ(aclGetTensorDescDim(desc, 0), -1);
    EXPECT_EQ(aclGetTensorDescElementCount(desc), 0u);
    EXPECT_EQ(aclGetTensorDescSize(desc), 0u);
    EXPECT_STREQ(aclGetTensorDescName(desc), "");
    aclDestroyTensorDesc(desc);
  }
  EXPECT_EQ(dim[0], 7);
  const Tensor live(ACL_FLOAT, {1});
  EXPECT_REFUSED(kInvalidParam, aclSetTensorShape(live, -1, dim));
  EXPECT_REFUSED(kInvalidParam, aclSetTensorShape(live, 1, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclSetTensorDynamicInput(live, nullptr));
}

}  // namespace
}  // namespace contract
