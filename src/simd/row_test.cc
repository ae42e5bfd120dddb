// SPDX-License-Identifier: Apache-2.0
//
// Rows in order, and the order in which they are summed.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "calls/element.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

using testing::GuardedBuffer;
using testing::GuardSide;

class Row : public ::testing::TestWithParam<int64_t> {};

// 64 lanes with at most four elements each, added as a tree, whose last 16 lanes are float64.
double Sum(const std::vector<float>& row) {
  double sum = 0;
  for (size_t begin = 0; begin < row.size(); begin += 256) {
    float lane[64] = {};
    for (size_t i = begin; i < std::min(begin + 256, row.size()); ++i) lane[i % 64] += row[i];
    if (row.size() <= 16) {
      for (size_t j = 0; j < 8; ++j) lane[j] += lane[j + 8];
      return double{((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))};
    }
    for (const size_t width : {32, 16}) {
      for (size_t j = 0; j < width; ++j) lane[j] += lane[j + width];
    }
    double wide[16];
    std::copy(lane, lane + 16, wide);
    for (const size_t width : {8, 4, 2, 1}) {
      for (size_t j = 0; j < width; ++j) wide[j] += wide[j + width];
    }
    sum += wide[0];
  }
  return sum;
}

TEST_P(Row, IsSummedInOneOrderOnEveryTarget) {
  testing::Random random;
  for (size_t n = 0; n < 800; n += n < 140 ? 1 : 29) {
    GuardedBuffer memory(n * sizeof(float));
    std::vector<float> row(n);
    for (float& value : row) value = static_cast<float>(random.Real(-1, 1));
    if (n != 0) std::memcpy(memory.begin(), row.data(), memory.size());
    EXPECT_EQ(LaneFunctionsFor(GetParam()).row.sum(memory.As<float>(), n), Sum(row)) << n << " elements";
  }
}

template <class E>
void CheckStores(aclDataType dtype, void (*twice)(const E*, E*, size_t, bool, bool)) {
  for (const int way : {0, 1, 2, 3}) {
    for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
      for (size_t n = 1; n < 350; n += n < 40 ? 1 : 12) {
        std::vector<double> values(n);
        for (size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i % 50);
        const std::vector<std::byte> row = calls::Encode(dtype, values);
        for (double& value : values) value *= 2;
        const std::vector<std::byte> want = calls::Encode(dtype, values);
        const size_t misaligned = n % 16 == 0 ? 0 : n % 7;  // rows of whole groups have their own code
        const GuardedBuffer from(row.size(), side), to(row.size(), side, misaligned * sizeof(E));
        std::memcpy(from.begin(), row.data(), row.size());
        twice(from.As<E>(), to.As<E>(), n, way % 2 == 1, way >= 2);
        EXPECT_EQ(std::memcmp(to.begin(), want.data(), want.size()), 0) << n << " elements, dtype " << dtype;
        EXPECT_TRUE(to.Intact());
      }
    }
  }
}

TEST_P(Row, IsStoredWholeAtAnyAddress) {
  const RowLanes lanes = LaneFunctionsFor(GetParam()).row;
  CheckStores(ACL_FLOAT, lanes.double_float);
  CheckStores(ACL_FLOAT16, lanes.double_float16);
  CheckStores(ACL_BF16, lanes.double_bfloat16);
}

TEST_P(Row, MaskIsTrueForEveryByteThatIsNotZero) {
  for (size_t n = 1; n < 300; n += 7) {
    GuardedBuffer bytes(n);
    std::vector<uint8_t> want(n), got(n);
    for (size_t i = 0; i < n; ++i) bytes.As<uint8_t>()[i] = static_cast<uint8_t>(i % 3 == 0 ? 0 : i);
    for (size_t i = 0; i < n; ++i) want[i] = bytes.As<uint8_t>()[i] != 0;
    LaneFunctionsFor(GetParam()).row.mask(bytes.As<uint8_t>(), got.data(), n);
    EXPECT_EQ(got, want) << n << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Row,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& parameter) { return TargetName(parameter.param); });

}  // namespace
}  // namespace portacl::simd
