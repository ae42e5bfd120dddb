// SPDX-License-Identifier: Apache-2.0
//
// aclnnInplaceCopy between all pairs of dtypes, compared bit for bit with long double on every instruction set: each
// value is rounded once.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/conversion/copy/copy_test_support.h"
#include "testing/random.h"

namespace portacl::ops::copy {
namespace {

using calls::ElementBytes;
using calls::PartDtype;
using testing::ForEachTarget;

// Values at which the range of some dtype starts or ends, or that are halfway between two of its values.
std::vector<long double> Landmarks() {
  std::vector<long double> values = {0, 0.5L, 0.99L, 1.5L, 2.5L, 100.7L, 65504, 65519.99L, 65520, 65535.5L, 1e300L};
  for (const int exponent : {-1074, -1022, -149, -133, -126, -25, -24, -14, 7,  8,   11,  15,  16,
                             24,    25,    31,   32,   41,   53,  54,  63,  64, 127, 128, 1023}) {
    const long double power = std::ldexp(1.0L, exponent);
    // Up to 64 bits below the leading one: halfway points for 8, 11, 24 and 53 bits, and their neighbours.
    for (const int bits : {0, 7, 8, 9, 10, 11, 12, 22, 23, 24, 25, 40, 52, 53, 54, 62, 63}) {
      const long double step = bits == 0 ? 0 : std::ldexp(power, -bits);
      for (const long double offset : {step, 3 * step, -step}) {
        for (const long double rest : {0.0L, std::ldexp(power, -63), -std::ldexp(power, -63)})
          values.push_back(power + offset + rest);
      }
    }
  }
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<long double>::infinity());
  values.push_back(-std::numeric_limits<long double>::infinity());
  values.push_back(std::numeric_limits<long double>::quiet_NaN());
  return values;
}

// The landmarks that the dtype can represent, then random bits; the count is not a multiple of any register's lanes.
Elements Samples(aclDataType dtype) {
  const aclDataType part = PartDtype(dtype);
  const size_t size = ElementBytes(part);
  Elements elements;
  const auto add = [&](const void* element) {
    elements.insert(elements.end(), static_cast<const std::byte*>(element),
                    static_cast<const std::byte*>(element) + size);
  };
  for (const long double value : Landmarks()) {
    uint64_t bits = 0;
    calls::StoreElement(part, value, &bits);
    add(&bits);
  }
  testing::Random random;
  for (int i = 0; i < 1001; ++i) {
    // Also values with few significant bits: exact conversions and ties are rare otherwise.
    uint64_t bits = random.Bits();
    if (i % 2 == 0) bits &= ~uint64_t{0} << random.Below(64);
    if (i % 4 == 1) bits >>= random.Below(64);
    add(&bits);
  }
  if (elements.size() / size % 2 != 0) elements.resize(elements.size() - size);
  return elements;
}

class InplaceCopyAccuracy : public DeviceTest {};

TEST_F(InplaceCopyAccuracy, EveryPairOfDtypesAgreesWithTheReference) {
  std::vector<Elements> samples;
  for (const aclDataType from : kAllDtypes) samples.push_back(Samples(from));
  for (size_t i = 0; i < samples.size(); ++i) {
    for (const aclDataType to : kAllDtypes) {
      const Elements want = Expected(kAllDtypes[i], samples[i], to);
      ForEachTarget(
          [&] { ExpectSameElements(kAllDtypes[i], samples[i], to, want, Converted(kAllDtypes[i], samples[i], to)); });
    }
  }
}

TEST_F(InplaceCopyAccuracy, AllValuesOf16Bits) {
  std::vector<uint16_t> all(0x10000);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  const Elements elements = BytesOf(all);
  for (const aclDataType from : {ACL_FLOAT16, ACL_BF16, ACL_INT16, ACL_UINT16}) {
    for (const aclDataType to :
         {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_DOUBLE, ACL_INT8, ACL_INT64, ACL_UINT32, ACL_BOOL}) {
      const Elements want = Expected(from, elements, to);
      ForEachTarget([&] { ExpectSameElements(from, elements, to, want, Converted(from, elements, to)); });
    }
  }
}

// Every halfway point between two 16-bit values, and its neighbours in the wide dtype: double rounding would show
// there.
template <class Wide>
void ExpectRoundedOnce(aclDataType wide_dtype, aclDataType narrow_dtype) {
  std::vector<Wide> values;
  for (uint32_t bits = 0; bits < 0xFFFF; bits += 3) {
    const uint32_t next = bits + 1;
    const long double low = calls::LoadElement(narrow_dtype, &bits);
    const long double high = calls::LoadElement(narrow_dtype, &next);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const auto halfway = static_cast<Wide>((low + high) / 2);
    if constexpr (std::is_floating_point_v<Wide>) {
      const Wide infinity = std::numeric_limits<Wide>::infinity();
      values.insert(values.end(), {std::nextafter(halfway, -infinity), halfway, std::nextafter(halfway, infinity)});
    } else if (std::fabs((low + high) / 2) < 0x1p62L) {
      values.insert(values.end(), {halfway - 1, halfway, halfway + 1});
    }
  }
  const Elements elements = BytesOf(values);
  const Elements want = Expected(wide_dtype, elements, narrow_dtype);
  ForEachTarget([&] {
    ExpectSameElements(wide_dtype, elements, narrow_dtype, want, Converted(wide_dtype, elements, narrow_dtype));
  });
}

TEST_F(InplaceCopyAccuracy, HalfwayPointsAreRoundedOnce) {
  for (const aclDataType narrow : {ACL_FLOAT16, ACL_BF16}) {
    ExpectRoundedOnce<float>(ACL_FLOAT, narrow);
    ExpectRoundedOnce<double>(ACL_DOUBLE, narrow);
    ExpectRoundedOnce<int64_t>(ACL_INT64, narrow);
  }
}

}  // namespace
}  // namespace portacl::ops::copy
