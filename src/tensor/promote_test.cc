// SPDX-License-Identifier: Apache-2.0
#include "tensor/promote.h"

#include <gtest/gtest.h>

#include "base/dtype.h"

namespace portacl {
namespace {

struct Row {
  aclDataType a, b, result;
};

TEST(Promote, FollowsTheTable) {
  const Row rows[] = {
      {ACL_FLOAT16, ACL_BF16, ACL_FLOAT},
      {ACL_FLOAT16, ACL_FLOAT, ACL_FLOAT},
      {ACL_BF16, ACL_FLOAT, ACL_FLOAT},
      {ACL_FLOAT16, ACL_DOUBLE, ACL_DOUBLE},
      {ACL_FLOAT, ACL_DOUBLE, ACL_DOUBLE},
      {ACL_BOOL, ACL_INT8, ACL_INT8},
      {ACL_BOOL, ACL_BF16, ACL_BF16},
      {ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX64},
      {ACL_UINT8, ACL_INT8, ACL_INT16},
      {ACL_UINT8, ACL_INT16, ACL_INT16},
      {ACL_UINT8, ACL_INT64, ACL_INT64},
      {ACL_UINT16, ACL_INT16, ACL_DT_UNDEFINED},
      {ACL_UINT32, ACL_INT8, ACL_DT_UNDEFINED},
      {ACL_UINT64, ACL_INT64, ACL_DT_UNDEFINED},
      {ACL_UINT8, ACL_UINT32, ACL_DT_UNDEFINED},
      {ACL_INT32, ACL_INT64, ACL_INT64},
      {ACL_INT64, ACL_FLOAT16, ACL_FLOAT16},
      {ACL_UINT64, ACL_FLOAT, ACL_DT_UNDEFINED},
      {ACL_INT32, ACL_COMPLEX64, ACL_COMPLEX64},
      {ACL_FLOAT, ACL_COMPLEX32, ACL_COMPLEX64},
      {ACL_BF16, ACL_COMPLEX32, ACL_COMPLEX64},
      {ACL_FLOAT16, ACL_COMPLEX32, ACL_COMPLEX64},
      {ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128},
      {ACL_COMPLEX64, ACL_COMPLEX128, ACL_COMPLEX128},
      {ACL_INT4, ACL_INT8, ACL_DT_UNDEFINED},
      {ACL_FLOAT8_E5M2, ACL_FLOAT, ACL_DT_UNDEFINED},
      {ACL_STRING, ACL_FLOAT, ACL_DT_UNDEFINED},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(PromoteDtypes(row.a, row.b), row.result) << DtypeName(row.a) << " " << DtypeName(row.b);
    EXPECT_EQ(PromoteDtypes(row.b, row.a), row.result) << DtypeName(row.b) << " " << DtypeName(row.a);
  }
}

TEST(Promote, ATypeWithItselfStays) {
  for (const DtypeInfo& info : kDtypes) {
    EXPECT_EQ(PromoteDtypes(info.dtype, info.dtype), info.kind == DtypeKind::kNone ? ACL_DT_UNDEFINED : info.dtype)
        << info.name;
  }
  EXPECT_EQ(PromoteDtypes(static_cast<aclDataType>(5), static_cast<aclDataType>(5)), ACL_DT_UNDEFINED);
}

TEST(Promote, TheResultTakesBothTypes) {
  for (const DtypeInfo& a : kDtypes) {
    for (const DtypeInfo& b : kDtypes) {
      const aclDataType result = PromoteDtypes(a.dtype, b.dtype);
      if (result == ACL_DT_UNDEFINED) continue;
      EXPECT_TRUE(CanCast(a.dtype, result)) << a.name << " to " << DtypeName(result);
      EXPECT_EQ(PromoteDtypes(result, a.dtype), result) << a.name << " " << b.name;
    }
  }
}

TEST(Promote, AScalarOnlyBringsItsKind) {
  const Row rows[] = {
      {ACL_FLOAT16, ACL_DOUBLE, ACL_FLOAT16},
      {ACL_BF16, ACL_INT64, ACL_BF16},
      {ACL_INT8, ACL_INT64, ACL_INT8},
      {ACL_BOOL, ACL_INT32, ACL_INT32},
      {ACL_INT32, ACL_DOUBLE, ACL_FLOAT},
      {ACL_BOOL, ACL_FLOAT16, ACL_FLOAT},
      {ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128},
      {ACL_FLOAT16, ACL_COMPLEX128, ACL_COMPLEX64},
      {ACL_INT64, ACL_COMPLEX128, ACL_COMPLEX64},
      {ACL_COMPLEX64, ACL_DOUBLE, ACL_COMPLEX64},
      {ACL_BOOL, ACL_BOOL, ACL_BOOL},
      {ACL_UINT32, ACL_INT8, ACL_UINT32},
      {ACL_UINT16, ACL_FLOAT, ACL_DT_UNDEFINED},
      {ACL_UINT16, ACL_BOOL, ACL_DT_UNDEFINED},
      {ACL_UINT64, ACL_COMPLEX64, ACL_COMPLEX64},
      {ACL_STRING, ACL_FLOAT, ACL_DT_UNDEFINED},
      {ACL_FLOAT, ACL_HIFLOAT8, ACL_DT_UNDEFINED},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(PromoteWithScalar(row.a, row.b), row.result) << DtypeName(row.a) << " " << DtypeName(row.b);
  }
}

TEST(CanCast, RefusesToLoseAKind) {
  EXPECT_TRUE(CanCast(ACL_DOUBLE, ACL_FLOAT16));
  EXPECT_TRUE(CanCast(ACL_BF16, ACL_FLOAT8_E4M3FN));
  EXPECT_TRUE(CanCast(ACL_FLOAT8_E4M3FN, ACL_FLOAT));
  EXPECT_TRUE(CanCast(ACL_INT64, ACL_UINT8));
  EXPECT_TRUE(CanCast(ACL_INT32, ACL_FLOAT));
  EXPECT_TRUE(CanCast(ACL_FLOAT, ACL_COMPLEX64));
  EXPECT_TRUE(CanCast(ACL_BOOL, ACL_INT4));
  EXPECT_TRUE(CanCast(ACL_BOOL, ACL_BOOL));
  EXPECT_FALSE(CanCast(ACL_FLOAT, ACL_INT64));
  EXPECT_FALSE(CanCast(ACL_FLOAT8_E5M2, ACL_INT8));
  EXPECT_FALSE(CanCast(ACL_COMPLEX64, ACL_FLOAT));
  EXPECT_FALSE(CanCast(ACL_INT8, ACL_BOOL));
  EXPECT_FALSE(CanCast(ACL_FLOAT, ACL_BOOL));
  EXPECT_FALSE(CanCast(ACL_STRING, ACL_STRING));
  EXPECT_FALSE(CanCast(ACL_FLOAT, static_cast<aclDataType>(5)));
}

TEST(CanStore, AlsoLosesFractionsAndImaginaryParts) {
  EXPECT_TRUE(CanStore(ACL_FLOAT, ACL_INT64));
  EXPECT_TRUE(CanStore(ACL_COMPLEX64, ACL_FLOAT16));
  EXPECT_TRUE(CanStore(ACL_INT32, ACL_INT8));
  EXPECT_TRUE(CanStore(ACL_BOOL, ACL_BOOL));
  EXPECT_FALSE(CanStore(ACL_COMPLEX64, ACL_INT32));
  EXPECT_FALSE(CanStore(ACL_INT8, ACL_BOOL));
  EXPECT_FALSE(CanStore(ACL_FLOAT, ACL_STRING));
}

}  // namespace
}  // namespace portacl
