// SPDX-License-Identifier: Apache-2.0
// Tests the guards themselves: each of these tests reads or writes out of bounds on purpose.
#include "testing/guarded_buffer.h"

#include <gtest/gtest.h>

namespace portacl::testing {
namespace {

// Volatile: the access must happen although its value is not used.
int Read(const std::byte* address) { return static_cast<int>(*static_cast<const volatile std::byte*>(address)); }

TEST(GuardedBuffer, WholeDataIsReadableAtAnySize) {
  for (size_t bytes : {0, 1, 31, 4095, 4096, 4097, 10000}) {
    const GuardedBuffer buffer(bytes);
    for (size_t i = 0; i < bytes; ++i) buffer.begin()[i] = std::byte{1};
    EXPECT_TRUE(buffer.Intact());
  }
}

TEST(GuardedBuffer, BeginsAtAnyAlignment) {
  for (size_t skip = 0; skip < 64; ++skip) {
    const GuardedBuffer buffer(100, GuardSide::kBegin, skip);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.begin()) % 64, skip);
  }
}

TEST(GuardedBuffer, NoticesAWriteIntoTheSlack) {
  const GuardedBuffer at_end(100);
  at_end.begin()[-1] = std::byte{0};
  EXPECT_FALSE(at_end.Intact());
  const GuardedBuffer at_begin(100, GuardSide::kBegin);
  at_begin.end()[0] = std::byte{0};
  EXPECT_FALSE(at_begin.Intact());
}

TEST(GuardedBufferDeathTest, StopsAnOverReadOfOneByte) {
  const GuardedBuffer buffer(100);
  EXPECT_DEATH(Read(buffer.end()), "");
}

TEST(GuardedBufferDeathTest, StopsAnUnderReadOfOneByte) {
  const GuardedBuffer buffer(100, GuardSide::kBegin);
  EXPECT_DEATH(Read(buffer.begin() - 1), "");
}

}  // namespace
}  // namespace portacl::testing
