// SPDX-License-Identifier: Apache-2.0
// A process may end while its streams still have work: it ends with its own status, and says nothing.
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "logit_client.h"
#include "testing/sample_size.h"

namespace contract {
namespace {

// What such a process leaves behind is no leak of the library.
#ifdef __SANITIZE_ADDRESS__
extern "C" void __lsan_disable(void);
void IgnoreLeaks() { __lsan_disable(); }
#else
void IgnoreLeaks() {}
#endif

// Leaves much to flush: that happens after the libraries have shut down, and the work goes on meanwhile.
void PutOffTheEnd() {
  constexpr size_t kBytes = 8 << 20;
  dup2(memfd_create("stdout", 0), STDOUT_FILENO);
  setvbuf(stdout, new char[kBytes], _IOFBF, kBytes);
  const std::vector<char> text(kBytes - 1, ' ');
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Calls large enough to be queued and split, left behind by a process that ends at once.
[[noreturn]] void LeaveWorkBehind(const char* threads) {
  IgnoreLeaks();
  setenv("PORTACL_NUM_THREADS", threads, 1);
  constexpr size_t kCount = 3'000'000;
  if (aclrtSetDevice(0) != kOk) std::exit(1);
  PutOffTheEnd();
  static const auto* block = new Block(std::vector<float>(kCount, 0.5f));
  for (int call = 0; call < 2; ++call) {
    const aclTensor* tensor = MakeTensor({kCount}, block->data());
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    if (aclnnLogitGradGetWorkspaceSize(tensor, tensor, -1, tensor, &bytes, &executor) != kOk ||
        aclnnLogitGrad(nullptr, 0, executor, nullptr) != kOk)
      std::exit(1);
    aclDestroyTensor(tensor);
  }
  std::exit(0);
}

TEST(ExitDeathTest, IsCleanWhileWorkIsInFlight) {
  // The end of the process and the work meet at another point each time.
  for (int time = 0; time < 20; time += portacl::testing::OneOf(4)) {
    for (const char* threads : {"1", "2"}) EXPECT_EXIT(LeaveWorkBehind(threads), ::testing::ExitedWithCode(0), "^$");
  }
}

}  // namespace
}  // namespace contract
