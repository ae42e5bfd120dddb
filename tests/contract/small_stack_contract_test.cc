// SPDX-License-Identifier: Apache-2.0
// A client's thread with a small stack: a call works, or it faults at the guard page. It never writes beyond that page.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "logit_client.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_PLAIN_STACKS 0
#else
#define HAS_PLAIN_STACKS 1
#endif

namespace contract {
namespace {

constexpr size_t kForeign = 256 << 10;
const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
constexpr unsigned char kPattern = 0xA7;

// From low to high addresses: other memory, a guard page, the stack.
struct Memory {
  unsigned char* foreign;
  char* guard;
  char* stack;
};
Memory memory;

bool ForeignMemoryIsIntact() {
  return std::all_of(memory.foreign, memory.foreign + kForeign, [](unsigned char byte) { return byte == kPattern; });
}

// A fault in the guard page is accepted like a result.
void EndAtFault(int, siginfo_t* info, void*) {
  const auto* address = static_cast<const char*>(info->si_addr);
  const bool in_guard = address >= memory.guard && address < memory.guard + kPage;
  _exit(in_guard && ForeignMemoryIsIntact() ? 0 : 2);
}

void MakeMemory(size_t stack_bytes) {
  void* mapped =
      mmap(nullptr, kForeign + kPage + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  memory.foreign = static_cast<unsigned char*>(mapped);
  memory.guard = static_cast<char*>(mapped) + kForeign;
  memory.stack = memory.guard + kPage;
  std::fill_n(memory.foreign, kForeign, kPattern);
  ASSERT_EQ(mprotect(memory.guard, kPage, PROT_NONE), 0);
}

// The first calls of a process, and operators on views that need temporary memory.
void* CallOperators(void*) {
  static char signal_stack[64 << 10];
  const stack_t other = {signal_stack, 0, sizeof signal_stack};
  if (sigaltstack(&other, nullptr) != 0) return nullptr;
  struct sigaction action = {};
  action.sa_sigaction = EndAtFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaction(SIGSEGV, &action, nullptr) != 0) return nullptr;

  constexpr int64_t kRows = 64, kColumns = 2048;
  void *x = nullptr, *y = nullptr, *mask = nullptr;
  if (aclrtSetDevice(0) != kOk) return nullptr;
  for (void** block : {&x, &y, &mask}) {
    if (aclrtMalloc(block, kRows * kColumns * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != kOk) return nullptr;
    aclrtMemset(*block, kRows * kColumns, 0, kRows * kColumns);
  }
  using Shape = std::vector<int64_t>;
  const auto tensor = [](void* data, const Shape& dims, const Shape& strides, aclDataType dtype) {
    return aclCreateTensor(dims.data(), dims.size(), dtype, strides.empty() ? nullptr : strides.data(), 0,
                           ACL_FORMAT_ND, dims.data(), dims.size(), data);
  };
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // Rows that are processed through a buffer of one row; then rows whose elements are not adjacent, which are copied
  // first.
  for (const Shape& strides : {Shape{}, Shape{kRows * kColumns, kRows * kColumns, 1, kRows}}) {
    aclTensor* in = tensor(x, {1, 1, kRows, kColumns}, strides, ACL_FLOAT);
    aclTensor* out = tensor(y, {1, 1, kRows, kColumns}, {}, ACL_FLOAT);
    aclTensor* flags = tensor(mask, {1, 1, kRows, kColumns}, {}, ACL_BOOL);
    if (aclnnScaledMaskedSoftmaxGetWorkspaceSize(in, flags, 1, false, out, &bytes, &executor) == kOk)
      aclnnScaledMaskedSoftmax(nullptr, 0, executor, nullptr);
  }
  aclTensor* transposed = tensor(x, {kRows, kColumns}, {1, kRows}, ACL_FLOAT);
  aclTensor* plain = tensor(y, {kRows, kColumns}, {}, ACL_FLOAT);
  aclTensor* narrow = tensor(y, {kRows, kColumns}, {}, ACL_FLOAT16);
  if (aclnnLogitGradGetWorkspaceSize(transposed, transposed, -1, plain, &bytes, &executor) == kOk)
    aclnnLogitGrad(nullptr, 0, executor, nullptr);
  for (aclTensor* target : {plain, narrow}) {
    if (aclnnInplaceCopyGetWorkspaceSize(target, transposed, &bytes, &executor) == kOk)
      aclnnInplaceCopy(nullptr, 0, executor, nullptr);
  }
  aclTensor* sum = tensor(mask, {}, {}, ACL_FLOAT);
  if (aclnnSmoothL1LossGetWorkspaceSize(plain, transposed, 1, 1.0F, sum, &bytes, &executor) == kOk)
    aclnnSmoothL1Loss(nullptr, 0, executor, nullptr);
  aclrtSynchronizeStream(nullptr);
  aclrtMemsetD32(y, kRows * kColumns, 1, kRows * kColumns / 4);
  aclrtMemcpy(x, 1, y, 2, ACL_MEMCPY_DEFAULT);  // refused, with a message
  aclGetRecentErrMsg();
  return &memory;
}

// Runs the calls on such a stack, and ends the process.
void RunOnStackOf(size_t stack_bytes) {
  MakeMemory(stack_bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // The C library needs a minimum size in addition to thread-local variables; below it no thread can be created.
  if (pthread_attr_setstack(&attributes, memory.stack, stack_bytes) != 0) _exit(0);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, CallOperators, nullptr) != 0) _exit(0);
  void* result = nullptr;
  pthread_join(thread, &result);
  _exit(!ForeignMemoryIsIntact() ? 2 : result == nullptr || ::testing::Test::HasFailure() ? 1 : 0);
}

TEST(SmallStackDeathTest, NothingIsWrittenBeyondTheGuardPage) {
  if (!HAS_PLAIN_STACKS) GTEST_SKIP() << "the sanitizer makes frames of another size";
  for (size_t stack_bytes = 16 << 10; stack_bytes <= 128 << 10; stack_bytes += kPage) {
    EXPECT_EXIT(RunOnStackOf(stack_bytes), ::testing::ExitedWithCode(0), "") << stack_bytes;
  }
}

}  // namespace
}  // namespace contract
