// SPDX-License-Identifier: Apache-2.0
// A process may end while its streams still have tasks: it ends with its own status and prints nothing.
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "logit_client.h"
#include "testing/sample_size.h"

namespace contract {
namespace {

// Memory that such a process does not free is not a leak of the library.
#ifdef __SANITIZE_ADDRESS__
extern "C" void __lsan_disable(void);
void IgnoreLeaks() { __lsan_disable(); }
#else
void IgnoreLeaks() {}
#endif

// Leaves much output to flush: that happens after the libraries have shut down, and the tasks continue meanwhile.
void PutOffTheEnd() {
  constexpr size_t kBytes = 8 << 20;
  dup2(memfd_create("stdout", 0), STDOUT_FILENO);
  setvbuf(stdout, new char[kBytes], _IOFBF, kBytes);
  const std::vector<char> text(kBytes - 1, ' ');
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Queues calls large enough to be queued and split, and ends the process at once.
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
  // Each time the process ends at another point of the work.
  for (int time = 0; time < 20; time += portacl::testing::OneOf(4)) {
    for (const char* threads : {"1", "2"}) EXPECT_EXIT(LeaveWorkBehind(threads), ::testing::ExitedWithCode(0), "^$");
  }
}

}  // namespace
}  // namespace contract
