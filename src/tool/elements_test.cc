// SPDX-License-Identifier: Apache-2.0
#include "tool/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "calls/element.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

template <class T>
std::vector<std::byte> Bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

constexpr aclDataType kNumbers[] = {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16, ACL_BF16,   ACL_BOOL,  ACL_INT8,  ACL_UINT8,
                                    ACL_INT16, ACL_UINT16, ACL_INT32,   ACL_UINT32, ACL_INT64, ACL_UINT64};

TEST(Elements, KnowsTheNamesThatPeopleUse) {
  EXPECT_EQ(DtypeOf("bf16"), ACL_BF16);
  EXPECT_EQ(DtypeOf("BFLOAT16"), ACL_BF16);
  EXPECT_EQ(DtypeOf("float32"), ACL_FLOAT);
  EXPECT_EQ(DtypeOf("Half"), ACL_FLOAT16);
  EXPECT_EQ(DtypeOf("int64"), ACL_INT64);
  EXPECT_EQ(DtypeOf("float"), ACL_FLOAT);
  EXPECT_EQ(DtypeOf("bf17"), ACL_DT_UNDEFINED);
}

TEST(Elements, RoundsOnceToNearestEven) {
  // Slightly more than halfway between two FLOAT16 values, by less than FLOAT can resolve: rounding twice would round
  // down.
  const double above_half = 1 + 0x1p-11 + 0x1p-40;
  const auto half = Converted(ACL_DOUBLE, Bytes<double>({above_half, 1 + 0x1p-11, 1e9}), ACL_FLOAT16);
  EXPECT_EQ(ToDouble(ACL_FLOAT16, half),
            (std::vector<double>{1 + 0x1p-10, 1, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(ToDouble(ACL_BF16, Converted(ACL_FLOAT, Bytes<float>({1 + 0x1p-8f, 1 + 0x3p-8f}), ACL_BF16)),
            (std::vector<double>{1, 1 + 0x1p-6}));
}

TEST(Elements, BecomeIntegersAsCastHasThem) {
  const auto from = Bytes<double>({1.9, -1.9, 300, -300, 1e30, -1e30, std::nan("")});
  const auto expect = [&](aclDataType to, const std::vector<double>& want) {
    EXPECT_EQ(ToDouble(to, Converted(ACL_DOUBLE, from, to)), want) << to;
  };
  expect(ACL_UINT8, {1, 255, 44, 212, 255, 0, 0});
  expect(ACL_INT8, {1, -1, 44, -44, -1, 0, 0});
  expect(ACL_INT16, {1, -1, 300, -300, -1, 0, 0});
  expect(ACL_INT32, {1, -1, 300, -300, 2147483647, -2147483648.0, 0});
  expect(ACL_UINT16, {1, 0, 300, 0, 65535, 0, 0});
  expect(ACL_BOOL, {1, 1, 1, 1, 1, 1, 1});
}

TEST(Elements, KeepTheLowBitsOfIntegers) {
  const auto from = Bytes<int64_t>({(int64_t{1} << 62) + 300, -300, -1});
  const auto expect = [&](aclDataType to, const std::vector<double>& want) {
    EXPECT_EQ(ToDouble(to, Converted(ACL_INT64, from, to)), want) << to;
  };
  expect(ACL_UINT8, {44, 212, 255});
  expect(ACL_INT16, {300, -300, -1});
  expect(ACL_UINT32, {300, 4294966996, 4294967295});
  EXPECT_EQ(Converted(ACL_INT64, Bytes<int64_t>({(int64_t{1} << 62) + 1}), ACL_UINT64),
            Bytes<uint64_t>({(uint64_t{1} << 62) + 1}));
}

TEST(Elements, AgreesWithTheTestsOwnReader) {
  for (const aclDataType dtype : kNumbers) {
    const auto elements = RandomElements(dtype, 100);
    const auto numbers = ToDouble(dtype, elements);
    const size_t bytes = calls::ElementBytes(dtype);
    ASSERT_EQ(elements.size(), 100 * bytes);
    for (size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(numbers[i], static_cast<double>(calls::LoadElement(dtype, &elements[i * bytes]))) << dtype;
    }
  }
}

TEST(Elements, MakesRandomFloatsInsideZeroAndOneAndOtherwiseBits) {
  const auto floats = ToDouble(ACL_FLOAT, RandomElements(ACL_FLOAT, 100'000));
  for (const double value : floats) {
    ASSERT_GT(value, 0);
    ASSERT_LT(value, 1);
  }
  for (const double value : ToDouble(ACL_INT64, RandomElements(ACL_INT64, 1000))) ASSERT_TRUE(value == 0 || value == 1);
  EXPECT_EQ(RandomElements(ACL_FLOAT, 10), RandomElements(ACL_FLOAT, 10));
  EXPECT_TRUE(RandomElements(ACL_FLOAT, 0).empty());
}

TEST(Elements, WidensWhatNpyDoesNotHave) {
  const npy::Array array = ToNpy(ACL_BF16, {1}, Converted(ACL_FLOAT, Bytes<float>({1.5}), ACL_BF16));
  EXPECT_EQ(array.type, "f4");
  float value = 0;
  std::memcpy(&value, array.bytes.data(), sizeof(value));
  EXPECT_EQ(value, 1.5f);
  EXPECT_THROW(ToNpy(ACL_COMPLEX32, {1}, std::vector<std::byte>(4)), Failure);
}

}  // namespace
}  // namespace portacl::tool
