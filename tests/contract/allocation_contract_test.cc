// SPDX-License-Identifier: Apache-2.0
// A repeated call allocates nothing on the heap, in any library of the process.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "logit_client.h"

// The sanitizers have a malloc of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<int64_t> allocations{0};
}

#if COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}
#endif

namespace contract {
namespace {

using Allocations = OnDevice;

// The smallest number of allocations in several series of `calls` calls. A thread allocates when it takes part for the
// first time, which may be late on a busy machine; calls that allocate do so in every series.
int64_t AllocationsOnceWarm(int64_t elements, int calls) {
  const Block x(std::vector<float>(static_cast<size_t>(elements), 0.5f));
  const Block out(std::vector<float>(static_cast<size_t>(elements)));
  const auto call = [&] {
    // A client creates new descriptions for each call.
    aclTensor* x_tensor = aclCreateTensor(&elements, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &elements, 1, x.data());
    aclTensor* out_tensor =
        aclCreateTensor(&elements, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &elements, 1, out.data());
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnLogitGradGetWorkspaceSize(x_tensor, x_tensor, -1, out_tensor, &bytes, &executor), kOk);
    EXPECT_EQ(aclnnLogitGrad(nullptr, 0, executor, nullptr), kOk);
    aclDestroyTensor(x_tensor);
    aclDestroyTensor(out_tensor);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  };
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int stretch = 0; stretch < 10 && fewest != 0; ++stretch) {
    const int64_t before = allocations;
    for (int i = 0; i < calls; ++i) call();
    fewest = std::min(fewest, allocations - before);
  }
  EXPECT_GT(allocations, 0) << "nothing is counted";
  return fewest;
}

TEST_F(Allocations, ASmallCallMakesNoneOnceWarm) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer's malloc cannot be counted";
  EXPECT_EQ(AllocationsOnceWarm(1, 2000), 0);
}

TEST_F(Allocations, AQueuedCallThatIsSplitMakesNoneOnceWarm) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer's malloc cannot be counted";
  EXPECT_EQ(AllocationsOnceWarm(1 << 20, 400), 0);
}

}  // namespace
}  // namespace contract
