// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/format.h"

namespace portacl {
namespace {

TEST(Dtype, SizesAreThoseOfTheContract) {
  const std::pair<int, size_t> rows[] = {
      {-1, 0}, {0, 4},  {1, 2},  {2, 1},  {3, 4},  {4, 1},   {6, 2},  {7, 2},  {8, 4},  {9, 8},
      {10, 8}, {11, 8}, {12, 1}, {13, 0}, {16, 8}, {17, 16}, {27, 2}, {29, 1}, {30, 1}, {33, 4},
      {34, 1}, {35, 1}, {36, 1}, {37, 1}, {38, 8}, {39, 8},  {40, 8}, {41, 8},
  };
  for (const auto& [value, bytes] : rows) {
    EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(value)), bytes) << value;
    EXPECT_NE(FindDtype(static_cast<aclDataType>(value)), nullptr) << value;
  }
  EXPECT_EQ(std::size(rows), std::size(kDtypes));
}

TEST(Dtype, UnknownValuesHaveEightBytesAndNoRow) {
  for (const int value : {5, 14, 15, 18, 26, 28, 31, 32, 42, 60}) {
    EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(value)), 8U) << value;
    EXPECT_EQ(FindDtype(static_cast<aclDataType>(value)), nullptr) << value;
    EXPECT_STREQ(DtypeName(static_cast<aclDataType>(value)), "UNKNOWN") << value;
    EXPECT_EQ(ElementBytes(static_cast<aclDataType>(value)), 0U) << value;
  }
}

TEST(Dtype, NamesAreUnique) {
  std::set<std::string> names;
  for (const DtypeInfo& info : kDtypes) EXPECT_TRUE(names.insert(info.name).second) << info.name;
  EXPECT_STREQ(DtypeName(ACL_BF16), "BFLOAT16");
  EXPECT_STREQ(DtypeName(ACL_FLOAT), "FLOAT");
}

TEST(Dtype, ElementsBelowOneByteHaveNoAddressOfTheirOwn) {
  for (const aclDataType dtype : {ACL_INT4, ACL_UINT1, ACL_FLOAT4_E2M1, ACL_FLOAT6_E3M2, ACL_STRING}) {
    EXPECT_EQ(ElementBytes(dtype), 0U) << DtypeName(dtype);
  }
  EXPECT_EQ(ElementBytes(ACL_FLOAT8_E5M2), 1U);
  EXPECT_EQ(ElementBytes(ACL_COMPLEX128), 16U);
}

TEST(Format, OnlyTheDimensionLabelledFormatsArePlain) {
  std::set<int> plain;
  for (int value = -1; value < 60; ++value) {
    if (IsPlainFormat(static_cast<aclFormat>(value))) plain.insert(value);
  }
  EXPECT_EQ(plain, (std::set<int>{0, 1, 2, 16, 27, 30, 35, 47}));
  EXPECT_STREQ(FormatName(ACL_FORMAT_FRACTAL_NZ), "FRACTAL_NZ");
  EXPECT_STREQ(FormatName(static_cast<aclFormat>(5)), "UNKNOWN");
}

}  // namespace
}  // namespace portacl
