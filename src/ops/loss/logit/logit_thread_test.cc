// SPDX-License-Identifier: Apache-2.0
//
// Large operands of aclnnLogit and aclnnLogitGrad: the bits do not depend on the number of threads. A file of its own,
// the last of the room: memory once handed out stays in the pool, and the fake device protects all of it with every
// call that follows.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/logit/logit_layout_test_support.h"
#include "testing/thread_count.h"

namespace portacl::ops::logit {
namespace {

constexpr double kEps = 0.05;

class LogitThreads : public LayoutTest {
 protected:
  // Random for `period` elements, which are then repeated: large blocks are slow to draw.
  std::vector<std::byte> RepeatedBlock(aclDataType dtype, int64_t elements, int64_t period) {
    std::vector<std::byte> block = RandomBlock(dtype, period);
    const size_t bytes = block.size();
    block.resize(static_cast<size_t>(elements) * calls::ElementBytes(dtype));
    for (size_t i = bytes; i < block.size(); ++i) block[i] = block[i - bytes];
    return block;
  }

  // `run` computes the elements of all operands from byte `begin` to byte `end`.
  template <class Run>
  static void ExpectSameBits(aclDataType dtype, size_t bytes, const Run& run) {
    std::vector<std::byte> first;
    for (const int threads : {1, 2, 3, 8}) {
      const testing::ThreadCount count(threads);
      const std::vector<std::byte> got = run(0, bytes);
      if (first.empty()) first = got;
      EXPECT_TRUE(got == first) << threads << " threads, dtype " << dtype;
    }
    // Computed in small pieces, no piece is ever split.
    const size_t piece = 1000 * calls::ElementBytes(dtype);
    for (size_t begin = 0; begin < bytes; begin += 797 * piece) {
      const size_t end = std::min(begin + piece, bytes);
      EXPECT_TRUE(run(begin, end) == Part(first, begin, end)) << "from byte " << begin << ", dtype " << dtype;
    }
  }

  static std::vector<std::byte> Part(const std::vector<std::byte>& all, size_t begin, size_t end) {
    return {all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end)};
  }

  // Several chunks and a ragged end; past the size from which results are stored around the cache.
  static constexpr int64_t kElements = (int64_t{5} << 20) + 37;
};

TEST_F(LogitThreads, LogitGivesTheSameBitsForAnyNumber) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const std::vector<std::byte> input = RepeatedBlock(dtype, kElements, 65521);
    ExpectSameBits(dtype, input.size(),
                   [&](size_t begin, size_t end) { return LogitBytes(dtype, Part(input, begin, end), kEps); });
  }
}

TEST_F(LogitThreads, LogitGradGivesTheSameBitsForAnyNumber) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const std::vector<std::byte> x = RepeatedBlock(dtype, kElements, 65521);
    const std::vector<std::byte> dy = RepeatedBlock(dtype, kElements, 65519);
    ExpectSameBits(dtype, x.size(), [&](size_t begin, size_t end) {
      return LogitGradBytes(dtype, Part(x, begin, end), Part(dy, begin, end), kEps);
    });
  }
}

}  // namespace
}  // namespace portacl::ops::logit
