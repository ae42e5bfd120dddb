// SPDX-License-Identifier: Apache-2.0
//
// Large operands of aclnnInplaceCopy: the bits do not depend on the number of threads, nor on whether results are
// stored around the cache. A file of its own, the last of the room: memory once handed out stays in the pool, and the
// fake device protects all of it with every call that follows.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "ops/conversion/copy/copy_test_support.h"
#include "testing/thread_count.h"

namespace portacl::ops::copy {
namespace {

class InplaceCopyThreads : public DeviceTest {};

// Several chunks and a ragged end; past the size from which results are stored around the cache.
constexpr int64_t kRows = 2053;
constexpr int64_t kColumns = 2055;

TEST_F(InplaceCopyThreads, GivesTheSameBitsForAnyNumber) {
  struct Case {
    aclDataType from;
    aclDataType to;
    bool transposed;
  };
  for (const Case& c : {Case{ACL_FLOAT, ACL_FLOAT, false},
                        {ACL_FLOAT, ACL_FLOAT, true},
                        {ACL_FLOAT, ACL_BF16, false},
                        {ACL_INT64, ACL_FLOAT, false},
                        {ACL_INT64, ACL_FLOAT, true}}) {
    const size_t from_bytes = calls::ElementBytes(c.from);
    const size_t to_bytes = calls::ElementBytes(c.to);
    const auto count = static_cast<size_t>(kRows * kColumns);
    Elements source(count * from_bytes);
    for (size_t i = 0; i < count; ++i) {
      const auto value = static_cast<int64_t>(i * 2654435761U % 1000003);
      const auto real = static_cast<float>(value);
      std::memcpy(&source[i * from_bytes], c.from == ACL_FLOAT ? static_cast<const void*>(&real) : &value, from_bytes);
    }
    const DeviceArray<std::byte> src(source);
    const DeviceArray<std::byte> self(count * to_bytes);
    Elements first;
    for (const int threads : {1, 2, 3, 8}) {
      const testing::ThreadCount number(threads);
      const Dims src_strides = c.transposed ? Dims{1, kRows} : Dims{kColumns, 1};
      RunInplaceCopy(TensorBuilder(c.to, {kRows, kColumns}).Data(self.data()).Build().get(),
                     TensorBuilder(c.from, {kRows, kColumns}).Strides(src_strides).Data(src.data()).Build().get());
      const Elements got = self.ToHost();
      if (first.empty()) first = got;
      EXPECT_TRUE(got == first) << threads << " threads";
    }
    for (size_t i = 0; i < count; i += 101) {
      const size_t row = i / kColumns, column = i % kColumns;
      const size_t at = c.transposed ? row + column * kRows : i;
      std::byte want[16] = {};
      CopyReference(c.from, &source[at * from_bytes], c.to, want);
      ASSERT_EQ(std::memcmp(want, &first[i * to_bytes], to_bytes), 0) << "element " << i;
    }
  }
}

}  // namespace
}  // namespace portacl::ops::copy
