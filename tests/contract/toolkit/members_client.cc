// SPDX-License-Identifier: Apache-2.0
// A client that calls members of C++ classes: with the toolkit's declarations, or with its own (-DOWN_DECLARATIONS), as
// binaries have that were built with others. Prints what is wrong.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#ifdef OWN_DECLARATIONS
#include "aclnn/acl_meta.h"

namespace ge {
enum DataType : int {};
class AscendString {
 public:
  explicit AscendString(const char* name);
  const char* GetString() const;
  bool operator<(const AscendString& other) const;

 private:
  std::shared_ptr<std::string> name_;
};
}  // namespace ge
namespace op {
using ge::DataType;
}
class aclTensor {
 public:
  void* GetData() const;
  void* GetStorageAddr() const;
};
class aclScalar {
 public:
  const void* GetData() const;
  op::DataType GetDataType() const;
  float ToFloat() const;
  double ToDouble() const;
  bool ToBool() const;
  int8_t ToInt8() const;
  int16_t ToInt16() const;
  int32_t ToInt32() const;
  int64_t ToInt64() const;
  uint8_t ToUint8() const;
  uint16_t ToUint16() const;
  uint32_t ToUint32() const;
  uint64_t ToUint64() const;
  std::complex<float> ToComplex64() const;
  std::complex<double> ToComplex128() const;
  ge::AscendString ToString() const;
};
template <class T>
class aclArray {
 public:
  const T* GetData() const;
  uint64_t Size() const;
};
class aclIntArray : public aclArray<int64_t> {};
class aclFloatArray : public aclArray<float> {};
class aclBoolArray : public aclArray<bool> {};
#else
#include "aclnn/opdev/common_types.h"
#include "aclnn/opdev/data_type_utils.h"
#endif

namespace {

int g_wrong = 0;

void Expect(bool is_right, const char* text, int line) {
  if (is_right) return;
  std::printf("line %d: %s\n", line, text);
  ++g_wrong;
}
#define EXPECT(condition) Expect(condition, #condition, __LINE__)

class Scalar {
 public:
  template <class T>
  Scalar(T value, aclDataType type) : scalar_(aclCreateScalar(&value, type)) {}
  ~Scalar() { aclDestroyScalar(scalar_); }
  Scalar(const Scalar&) = delete;
  Scalar& operator=(const Scalar&) = delete;
  const aclScalar* operator->() const { return scalar_; }

 private:
  aclScalar* scalar_;
};

std::string Text(const Scalar& scalar) { return scalar->ToString().GetString(); }

void CheckTensors() {
  float storage[8] = {};
  const int64_t dims[] = {2};
  aclTensor* tensor = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 3, ACL_FORMAT_ND, dims, 1, storage);
  EXPECT(tensor->GetStorageAddr() == storage);
  EXPECT(tensor->GetData() == storage + 3);
  aclDestroyTensor(tensor);
  tensor = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 3, ACL_FORMAT_ND, dims, 1, nullptr);
  EXPECT(tensor->GetData() == nullptr && tensor->GetStorageAddr() == nullptr);
  aclDestroyTensor(tensor);
}

void CheckArrays() {
  const int64_t ints[] = {1, -2, INT64_MAX, 4, 5, 6, 7, 8, 9};
  const float floats[] = {0.5F, -1};
  const bool bools[] = {true, false, true};
  aclIntArray* int_array = aclCreateIntArray(ints, 9);
  aclFloatArray* float_array = aclCreateFloatArray(floats, 2);
  aclBoolArray* bool_array = aclCreateBoolArray(bools, 3);
  aclIntArray* empty = aclCreateIntArray(nullptr, 0);
  EXPECT(int_array->Size() == 9 && std::memcmp(int_array->GetData(), ints, sizeof ints) == 0);
  EXPECT(float_array->Size() == 2 && float_array->GetData()[0] == 0.5F && float_array->GetData()[1] == -1);
  EXPECT(bool_array->Size() == 3 && bool_array->GetData()[0] && !bool_array->GetData()[1]);
  EXPECT(empty->Size() == 0);
  aclDestroyIntArray(int_array);
  aclDestroyFloatArray(float_array);
  aclDestroyBoolArray(bool_array);
  aclDestroyIntArray(empty);
}

void CheckScalars() {
  const Scalar real(2.75F, ACL_FLOAT);
  EXPECT(reinterpret_cast<uintptr_t>(real->GetData()) % 16 == 0);
  EXPECT(*static_cast<const float*>(real->GetData()) == 2.75F);
  EXPECT(static_cast<int>(real->GetDataType()) == ACL_FLOAT);
  EXPECT(real->ToFloat() == 2.75F && real->ToDouble() == 2.75 && real->ToBool());
  EXPECT(real->ToInt8() == 2 && real->ToInt16() == 2 && real->ToInt32() == 2 && real->ToInt64() == 2);
  EXPECT(real->ToUint8() == 2 && real->ToUint16() == 2 && real->ToUint32() == 2 && real->ToUint64() == 2);
  EXPECT(real->ToComplex64() == std::complex<float>(2.75F, 0) && real->ToComplex128() == std::complex<double>(2.75, 0));
  EXPECT(Text(real) == "2.75");

  const Scalar negative(int64_t{-300}, ACL_INT64);
  EXPECT(negative->ToInt8() == int8_t(-300 + 256) && negative->ToUint8() == uint8_t(212) &&
         negative->ToInt16() == -300);
  EXPECT(negative->ToUint64() == uint64_t(-300) && negative->ToFloat() == -300 && Text(negative) == "-300");
  const Scalar large(UINT64_MAX, ACL_UINT64);
  EXPECT(large->ToUint64() == UINT64_MAX && large->ToInt64() == -1 && large->ToDouble() == 0x1p64);
  EXPECT(Text(large) == "18446744073709551615");

  const Scalar beyond(1e30, ACL_DOUBLE);
  EXPECT(beyond->ToInt64() == INT64_MAX && beyond->ToUint64() == UINT64_MAX);
  const Scalar below(-1e30, ACL_DOUBLE);
  EXPECT(below->ToInt64() == INT64_MIN && std::isinf(Scalar(1e300, ACL_DOUBLE)->ToFloat()));
  const Scalar nan(std::numeric_limits<double>::quiet_NaN(), ACL_DOUBLE);
  EXPECT(nan->ToInt32() == 0 && nan->ToBool() && std::isnan(nan->ToFloat()));

  EXPECT(Scalar(uint16_t{0x3E00}, ACL_FLOAT16)->ToFloat() == 1.5F);
  EXPECT(Scalar(uint16_t{0x3FC0}, ACL_BF16)->ToDouble() == 1.5);
  EXPECT(Scalar(uint16_t{0x3E00}, ACL_FLOAT16)->ToInt32() == 1);
  const Scalar truth(true, ACL_BOOL);
  EXPECT(truth->ToInt32() == 1 && truth->ToBool() && Text(truth) == "1");
  const Scalar complex(std::complex<float>(1, 2), ACL_COMPLEX64);
  EXPECT(complex->ToFloat() == 1 && complex->ToInt8() == 1 && complex->ToComplex128() == std::complex<double>(1, 2));
  EXPECT(complex->ToComplex64() == std::complex<float>(1, 2) && Text(complex) == "(1,2)");
  const Scalar wide(std::complex<double>(0.5, -3), ACL_COMPLEX128);
  EXPECT(wide->ToComplex64() == std::complex<float>(0.5F, -3) && Text(wide) == "(0.5,-3)");
}

void CheckText() {
  const ge::AscendString a("a");
  const ge::AscendString b("b");
  const ge::AscendString none(nullptr);
  const ge::AscendString copy = b;
  EXPECT(a < b && !(b < a) && !(a < a) && none < a);
  EXPECT(std::string(copy.GetString()) == "b" && std::string(none.GetString()).empty());
}

#ifndef OWN_DECLARATIONS
static_assert(op::DT_FLOAT == int(ACL_FLOAT) && op::DT_FLOAT16 == int(ACL_FLOAT16) && op::DT_INT8 == int(ACL_INT8), "");
static_assert(op::DT_INT32 == int(ACL_INT32) && op::DT_UINT8 == int(ACL_UINT8) && op::DT_INT16 == int(ACL_INT16), "");
static_assert(op::DT_UINT16 == int(ACL_UINT16) && op::DT_UINT32 == int(ACL_UINT32) && op::DT_INT64 == int(ACL_INT64),
              "");
static_assert(op::DT_UINT64 == int(ACL_UINT64) && op::DT_DOUBLE == int(ACL_DOUBLE) && op::DT_BOOL == int(ACL_BOOL), "");
static_assert(op::DT_STRING == int(ACL_STRING) && op::DT_COMPLEX64 == int(ACL_COMPLEX64), "");
static_assert(op::DT_COMPLEX128 == int(ACL_COMPLEX128) && op::DT_BF16 == int(ACL_BF16) && op::DT_UNDEFINED == 28, "");
static_assert(op::FORMAT_NCHW == int(ACL_FORMAT_NCHW) && op::FORMAT_NHWC == int(ACL_FORMAT_NHWC), "");
static_assert(op::FORMAT_ND == int(ACL_FORMAT_ND) && op::FORMAT_NC1HWC0 == int(ACL_FORMAT_NC1HWC0), "");
static_assert(op::FORMAT_FRACTAL_Z == int(ACL_FORMAT_FRACTAL_Z) && op::FORMAT_HWCN == int(ACL_FORMAT_HWCN), "");
static_assert(op::FORMAT_NDHWC == int(ACL_FORMAT_NDHWC) && op::FORMAT_FRACTAL_NZ == int(ACL_FORMAT_FRACTAL_NZ), "");
static_assert(op::FORMAT_NCDHW == int(ACL_FORMAT_NCDHW) && op::FORMAT_NCL == int(ACL_FORMAT_NCL), "");
static_assert(sizeof(ge::AscendString) == 16 && sizeof(op::fp16_t) == 2 && sizeof(op::bfloat16) == 2, "");

template <class Number>
uint16_t Bits(Number number) {
  uint16_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

// All numbers of 16 bits return from float as they were, and the middle between two neighbours goes to the even one.
template <class Number>
void CheckRounding(uint16_t infinity) {
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    Number number;
    Number next;
    const auto following = static_cast<uint16_t>(bits + 1);
    std::memcpy(static_cast<void*>(&number), &bits, sizeof bits);
    std::memcpy(static_cast<void*>(&next), &following, sizeof following);
    const float value = number;
    EXPECT(Bits(Number(value)) == bits && Bits(Number(-value)) == (bits | 0x8000U));
    if (following == infinity) continue;
    const float middle = value + (static_cast<float>(next) - value) / 2;
    EXPECT(Bits(Number(middle)) == (bits % 2 == 0 ? bits : following));
  }
  EXPECT(Bits(Number(std::numeric_limits<float>::infinity())) == infinity);
  EXPECT(std::isnan(static_cast<float>(Number(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT(Bits(Number(std::numeric_limits<float>::max())) == infinity);
}

void CheckTypes() {
  EXPECT(op::IsBasicType(op::DT_BF16) && op::IsBasicType(op::DT_UINT32) && !op::IsBasicType(op::DataType::DT_BOOL));
  EXPECT(!op::IsBasicType(op::DT_COMPLEX64) && op::TypeSize(op::DT_DOUBLE) == 8 && op::TypeSize(op::DT_UNDEFINED) == 0);
  CheckRounding<op::fp16_t>(0x7C00);
  CheckRounding<op::bfloat16>(0x7F80);
  EXPECT(Bits(op::fp16_t(65519.0F)) == 0x7BFF && Bits(op::fp16_t(65520.0F)) == 0x7C00);
}
#else
void CheckTypes() {}
#endif

}  // namespace

int main() {
  CheckTensors();
  CheckArrays();
  CheckScalars();
  CheckText();
  CheckTypes();
  std::printf("%d wrong\n", g_wrong);
  return g_wrong == 0 ? 0 : 1;
}
