// SPDX-License-Identifier: Apache-2.0
#include "loops/elements/stride_lanes.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "testing/guarded_buffer.h"
#include "testing/target_loop.h"

namespace portacl::loops {
namespace {

// From nothing to more than four registers of bytes.
constexpr int64_t kMostLaneElements = 300;

std::byte Drawn(size_t i) { return static_cast<std::byte>(i * 37 + i / 256); }

template <class Check>
void ForEachCase(MoveFunction (*find)(int64_t, int64_t, int64_t), Check check) {
  testing::ForEachTarget([&] {
    for (const int64_t bytes : {1, 2, 4, 8}) {
      for (int64_t stride = 2; stride <= kMostLaneStride; ++stride) {
        const MoveFunction move = find(bytes, stride, ActiveTarget());
        for (int64_t n = 1; move != nullptr && n <= kMostLaneElements; ++n) {
          SCOPED_TRACE(::testing::Message() << n << " elements of " << bytes << " bytes, stride " << stride);
          check(move, static_cast<size_t>(bytes), static_cast<size_t>(stride), static_cast<size_t>(n));
        }
      }
    }
  });
}

TEST(StrideLanes, GatherReadsNothingBeyondTheLastElement) {
  ForEachCase(GatherLanes, [](MoveFunction move, size_t bytes, size_t stride, size_t n) {
    testing::GuardedBuffer source(((n - 1) * stride + 1) * bytes);
    auto* const from = source.begin();
    for (size_t i = 0; i < ((n - 1) * stride + 1) * bytes; ++i) from[i] = Drawn(i);
    testing::GuardedBuffer target(n * bytes);
    auto* const to = target.begin();
    move(from, to, static_cast<int64_t>(n));
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(std::memcmp(to + i * bytes, from + i * stride * bytes, bytes), 0) << i;
  });
}

TEST(StrideLanes, ScatterWritesNothingBetweenOrBeyondItsElements) {
  ForEachCase(ScatterLanes, [](MoveFunction move, size_t bytes, size_t stride, size_t n) {
    std::vector<std::byte> from(n * bytes);
    for (size_t i = 0; i < from.size(); ++i) from[i] = Drawn(i);
    std::vector<std::byte> want(((n - 1) * stride + 1) * bytes, std::byte{0xAA});
    for (size_t i = 0; i < n; ++i) std::memcpy(&want[i * stride * bytes], &from[i * bytes], bytes);
    testing::GuardedBuffer target(want.size());
    std::memset(target.begin(), 0xAA, want.size());
    move(from.data(), target.begin(), static_cast<int64_t>(n));
    EXPECT_EQ(std::memcmp(target.begin(), want.data(), want.size()), 0);
  });
}

}  // namespace
}  // namespace portacl::loops
