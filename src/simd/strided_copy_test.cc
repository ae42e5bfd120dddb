// SPDX-License-Identifier: Apache-2.0
#include "simd/strided_copy.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace portacl::simd {
namespace {

constexpr int64_t kRows = 37;  // not a multiple of a square's side
constexpr int64_t kColumns = 45;

struct Strides {
  int64_t row;  // in elements
  int64_t column;
};

// Row-major, transposed, with gaps of 1 to 4, one row repeated, one column repeated, one element for all.
constexpr Strides kStrides[] = {
    {kColumns, 1}, {1, kRows}, {2 * kColumns, 2}, {3 * kColumns, 3}, {4 * kColumns, 4}, {5 * kColumns, 5}, {0, 1},
    {1, 0},        {0, 0}};

class StridedCopyOf : public ::testing::TestWithParam<size_t> {};

TEST_P(StridedCopyOf, GathersAnyStridesIntoADenseBlock) {
  const size_t size = GetParam();
  const int64_t bytes = static_cast<int64_t>(size);
  for (const Strides strides : kStrides) {
    std::vector<std::byte> source(size * 5 * kRows * kColumns + 1);
    for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 37 + i / 256);
    std::vector<std::byte> dense(size * kRows * kColumns + 1);
    // Odd addresses, because no alignment is guaranteed.
    StridedCopy(size, kRows, kColumns, dense.data() + 1, kColumns * bytes, bytes, source.data() + 1,
                strides.row * bytes, strides.column * bytes);
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kColumns; ++c) {
        EXPECT_EQ(std::memcmp(dense.data() + 1 + (r * kColumns + c) * bytes,
                              source.data() + 1 + (r * strides.row + c * strides.column) * bytes, size),
                  0)
            << "row " << r << " column " << c;
      }
    }
  }
}

TEST_P(StridedCopyOf, ScattersOnlyToItsElements) {
  const size_t size = GetParam();
  const int64_t bytes = static_cast<int64_t>(size);
  std::vector<std::byte> dense(size * kRows * kColumns, std::byte{0xAA});
  for (const Strides strides : {kStrides[0], kStrides[1], kStrides[2], kStrides[3]}) {
    std::vector<std::byte> target(size * 3 * kRows * kColumns, std::byte{0});
    StridedCopy(size, kRows, kColumns, target.data(), strides.row * bytes, strides.column * bytes, dense.data(),
                kColumns * bytes, bytes);
    std::vector<std::byte> want(target.size(), std::byte{0});
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kColumns; ++c) {
        std::memset(want.data() + (r * strides.row + c * strides.column) * bytes, 0xAA, size);
      }
    }
    EXPECT_EQ(target, want);
  }
}

// Strides that put all rows in few sets of a cache: whole lines are transposed, and what is left beside them.
TEST_P(StridedCopyOf, TransposesBetweenRowsThatShareCacheSets) {
  const auto bytes = static_cast<int64_t>(GetParam());
  const int64_t line = 64 / bytes;
  constexpr int64_t kStride = 1024;
  for (const int64_t rows : {line - 1, line, 2 * line + 3}) {
    for (const int64_t columns : {line - 1, line, line + 1, 3 * line}) {
      std::vector<std::byte> source(static_cast<size_t>(columns * kStride) + 1);
      for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 37 + i / 256);
      std::vector<std::byte> target(static_cast<size_t>(rows * kStride) + 1, std::byte{0}), want = target;
      StridedCopy(GetParam(), rows, columns, target.data() + 1, kStride, bytes, source.data() + 1, bytes, kStride);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c)
          std::memcpy(want.data() + 1 + r * kStride + c * bytes, source.data() + 1 + c * kStride + r * bytes,
                      GetParam());
      }
      EXPECT_EQ(target, want) << rows << " rows, " << columns << " columns";
    }
  }
}

// 3 bytes: a size without a special case.
INSTANTIATE_TEST_SUITE_P(ElementBytes, StridedCopyOf, ::testing::Values(1, 2, 3, 4, 8, 16));

}  // namespace
}  // namespace portacl::simd
