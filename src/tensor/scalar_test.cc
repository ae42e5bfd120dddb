// SPDX-License-Identifier: Apache-2.0
#include "tensor/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "base/dtype.h"
#include "base/float16.h"

namespace portacl {
namespace {

struct ScalarDeleter {
  void operator()(const aclScalar* scalar) const { aclDestroyScalar(scalar); }
};
using Scalar = std::unique_ptr<aclScalar, ScalarDeleter>;

template <class T>
Scalar Make(T value, aclDataType dtype) {
  return Scalar(aclCreateScalar(&value, dtype));
}

template <class T>
double AsDouble(T value, aclDataType dtype) {
  double result = std::nan("");
  EXPECT_TRUE(ScalarToDouble(*Make(value, dtype), &result)) << DtypeName(dtype);
  return result;
}

template <class T>
int64_t AsInt64(T value, aclDataType dtype) {
  int64_t result = -77;
  EXPECT_TRUE(ScalarToInt64(*Make(value, dtype), &result)) << DtypeName(dtype);
  return result;
}

TEST(Scalar, EveryRealTypeIsReadAsDouble) {
  EXPECT_EQ(AsDouble(0.1F, ACL_FLOAT), static_cast<double>(0.1F));
  EXPECT_EQ(AsDouble(0.1, ACL_DOUBLE), 0.1);
  EXPECT_EQ(AsDouble(FloatToFloat16(1.5F), ACL_FLOAT16), 1.5);
  EXPECT_EQ(AsDouble(uint16_t{0x3FC0}, ACL_BF16), 1.5);
  EXPECT_EQ(AsDouble(int8_t{-128}, ACL_INT8), -128.0);
  EXPECT_EQ(AsDouble(uint8_t{255}, ACL_UINT8), 255.0);
  EXPECT_EQ(AsDouble(int16_t{-32768}, ACL_INT16), -32768.0);
  EXPECT_EQ(AsDouble(uint16_t{65535}, ACL_UINT16), 65535.0);
  EXPECT_EQ(AsDouble(int32_t{-5}, ACL_INT32), -5.0);
  EXPECT_EQ(AsDouble(uint32_t{4000000000U}, ACL_UINT32), 4e9);
  EXPECT_EQ(AsDouble(int64_t{1} << 60, ACL_INT64), std::ldexp(1.0, 60));
  EXPECT_EQ(AsDouble(uint64_t{1} << 63, ACL_UINT64), std::ldexp(1.0, 63));
}

TEST(Scalar, AnyByteButZeroIsTrue) {
  EXPECT_EQ(AsDouble(uint8_t{0}, ACL_BOOL), 0.0);
  EXPECT_EQ(AsDouble(uint8_t{1}, ACL_BOOL), 1.0);
  EXPECT_EQ(AsInt64(uint8_t{0x80}, ACL_BOOL), 1);
}

TEST(Scalar, IntegersAreReadExactly) {
  constexpr int64_t kOdd = (int64_t{1} << 62) + 1;
  EXPECT_EQ(AsInt64(kOdd, ACL_INT64), kOdd);
  EXPECT_EQ(AsInt64(std::numeric_limits<int64_t>::min(), ACL_INT64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(AsInt64(uint32_t{4000000000U}, ACL_UINT32), 4000000000);
}

TEST(Scalar, WhatNoInt64HoldsBecomesTheEndOfTheRange) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(AsInt64(std::numeric_limits<uint64_t>::max(), ACL_UINT64), kMost);
  EXPECT_EQ(AsInt64(std::ldexp(1.0, 63), ACL_DOUBLE), kMost);
  EXPECT_EQ(AsInt64(-std::ldexp(1.0, 63), ACL_DOUBLE), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(AsInt64(-HUGE_VALF, ACL_FLOAT), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(AsInt64(std::nan(""), ACL_DOUBLE), 0);
  EXPECT_EQ(AsInt64(-2.9, ACL_DOUBLE), -2);
}

TEST(Scalar, CountsModuloWhatIntegersHold) {
  const auto modulo = [](auto value, aclDataType dtype) {
    int64_t whole = -7;
    EXPECT_TRUE(ScalarModulo(*Make(value, dtype), &whole)) << DtypeName(dtype);
    return whole;
  };
  EXPECT_EQ(modulo(1e30, ACL_DOUBLE), 5076964154930102272);
  EXPECT_EQ(modulo(-1e30, ACL_DOUBLE), -5076964154930102272);
  EXPECT_EQ(modulo(0x1p64 + 0x1p12, ACL_DOUBLE), 4096);
  EXPECT_EQ(modulo(0x1p63, ACL_DOUBLE), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(modulo(-300.9, ACL_DOUBLE), -300);
  EXPECT_EQ(modulo(HUGE_VALF, ACL_FLOAT), 0);
  EXPECT_EQ(modulo(std::nanf(""), ACL_FLOAT), 0);
  EXPECT_EQ(modulo(~uint64_t{0}, ACL_UINT64), -1);
}

TEST(Scalar, ComplexValuesHaveTwoParts) {
  std::complex<double> value;
  EXPECT_TRUE(ScalarToComplex(*Make(std::complex<float>(1.5F, -2.5F), ACL_COMPLEX64), &value));
  EXPECT_EQ(value, std::complex<double>(1.5, -2.5));
  EXPECT_TRUE(ScalarToComplex(*Make(std::complex<double>(0.1, 0.2), ACL_COMPLEX128), &value));
  EXPECT_EQ(value, std::complex<double>(0.1, 0.2));
  EXPECT_TRUE(ScalarToComplex(*Make(int32_t{7}, ACL_INT32), &value));
  EXPECT_EQ(value, std::complex<double>(7.0, 0.0));
  double real = 0;
  EXPECT_FALSE(ScalarToDouble(*Make(std::complex<float>(1.0F, 0.0F), ACL_COMPLEX64), &real));
}

TEST(Scalar, TypesWithoutASingleValueAreRefused) {
  uint64_t value[2] = {};
  for (const int dtype : {-1, 5, 13, 29, 30, 33, 60}) {
    aclGetRecentErrMsg();
    EXPECT_EQ(aclCreateScalar(value, static_cast<aclDataType>(dtype)), nullptr) << dtype;
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text).find("aclCreateScalar: argument 'dataType'"), std::string::npos) << text;
  }
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("'value'"), std::string::npos);
}

TEST(Scalar, NarrowTypesAreKeptButAreNoNumber) {
  const auto value = std::make_unique<uint8_t>(uint8_t{3});  // one byte on the heap: a longer read would be detected
  for (const aclDataType dtype : {ACL_HIFLOAT8, ACL_FLOAT8_E8M0, ACL_FLOAT6_E3M2, ACL_FLOAT4_E1M2}) {
    const Scalar scalar(aclCreateScalar(value.get(), dtype));
    ASSERT_NE(scalar, nullptr);
    double number = 0;
    EXPECT_FALSE(ScalarToDouble(*scalar, &number));
  }
}

TEST(Scalar, DestroyingTwiceOrNothingIsFine) {
  aclScalar* scalar = Make(1.0F, ACL_FLOAT).release();
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
  EXPECT_EQ(aclDestroyScalar(nullptr), 0);
}

}  // namespace
}  // namespace portacl
