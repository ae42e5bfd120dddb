// SPDX-License-Identifier: Apache-2.0
#include "out_of_memory/failing_allocations.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "acl/acl.h"

namespace contract {
namespace {

constinit std::atomic<bool> counts{false};
constinit std::atomic<int64_t> allocations{0};
constinit std::atomic<int64_t> first_failing{0};
constinit std::atomic<int64_t> last_failing{0};
constinit std::atomic<bool> has_failed{false};
constinit std::atomic<int64_t> live_blocks{0};
rlim_t address_limit = 0;  // 0: none
constinit thread_local bool in_test = false;
Report* own_report = nullptr;

using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
const auto create_thread = reinterpret_cast<CreateThread>(dlsym(RTLD_NEXT, "pthread_create"));

bool Fails() {
  if (in_test || !counts.load(std::memory_order_relaxed)) return false;
  const int64_t number = allocations.fetch_add(1) + 1;
  if (number < first_failing.load(std::memory_order_relaxed) || number > last_failing.load(std::memory_order_relaxed))
    return false;
  has_failed = true;
  errno = ENOMEM;
  return true;
}

void* Counted(void* block) {
  if (block != nullptr) live_blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void LimitAddresses(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  if (setrlimit(RLIMIT_AS, &limit) != 0) Die("the address space cannot be limited");
}

}  // namespace
}  // namespace contract

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);

void* malloc(size_t bytes) { return contract::Fails() ? nullptr : contract::Counted(__libc_malloc(bytes)); }
void* calloc(size_t count, size_t bytes) {
  return contract::Fails() ? nullptr : contract::Counted(__libc_calloc(count, bytes));
}
void* realloc(void* block, size_t bytes) {
  if (block == nullptr) return malloc(bytes);
  return contract::Fails() ? nullptr : __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  return contract::Fails() ? nullptr : contract::Counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  void* const fresh = memalign(alignment, bytes);
  if (fresh == nullptr) return ENOMEM;
  *block = fresh;
  return 0;
}
void free(void* block) {
  if (block != nullptr) contract::live_blocks.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(block);
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (contract::Fails()) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*main)(void*), void* argument) noexcept {
  return contract::Fails() ? EAGAIN : contract::create_thread(thread, attributes, main, argument);
}
}

namespace contract {

void BeginFailing(Failing failing, int64_t at) {
  in_test = true;
  allocations = 0;
  has_failed = false;
  first_failing = failing == Failing::kNone ? std::numeric_limits<int64_t>::max() : at;
  last_failing = failing == Failing::kOnce ? at : std::numeric_limits<int64_t>::max();
  counts = true;
}

void EndFailing() {
  counts = false;
  if (own_report != nullptr) own_report->allocations = allocations;
}

void BeginAddressLimit(int64_t left) {
  in_test = true;
  long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld", &pages) != 1) Die("the size of the process is not known");
  std::fclose(file);
  address_limit = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + static_cast<rlim_t>(left);
}

void IsThreadOfTest() { in_test = true; }

int64_t LiveBlocks() { return live_blocks; }

const char* InChild(const std::function<void(Report*)>& body, int seconds, Report* report) {
  static auto* const shared =
      static_cast<Report*>(mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  static char text[2048];
  *shared = {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    own_report = shared;
    alarm(static_cast<unsigned>(seconds));
    body(shared);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  *report = *shared;
  text[0] = '\0';
  if (WIFSIGNALED(status)) {
    std::snprintf(text, sizeof text, "%s", WTERMSIG(status) == SIGALRM ? "hung" : strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    std::snprintf(text, sizeof text, "ended with %d: %s", WEXITSTATUS(status), report->failure);
  }
  return text;
}

void Die(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  if (own_report != nullptr) std::vsnprintf(own_report->failure, sizeof own_report->failure, format, arguments);
  va_end(arguments);
  _exit(1);
}

bool TellsOfMemory(int32_t status) {
  switch (status) {
    case ACL_ERROR_BAD_ALLOC:
    case ACL_ERROR_RT_MEMORY_ALLOCATION:
    case ACL_ERROR_RT_RESOURCE_ALLOC_FAIL:
    case ACL_ERROR_RT_NO_EVENT_RESOURCE:
    case ACL_ERROR_RT_NO_STREAM_RESOURCE:
    case ACL_ERROR_RT_NO_NOTIFY_RESOURCE:
    case 361001:  // phase 2: the runtime refused
    case 561000:  // aclnn objects: no host memory
    case 561101:  // phase 1: no executor
      return true;
    default:
      return false;
  }
}

void MustSucceed(const char* text, const std::function<int32_t()>& call, int32_t expected) {
  const auto run = [&call] {
    if (address_limit != 0) LimitAddresses(address_limit);
    in_test = false;
    const int32_t status = call();
    in_test = true;
    if (address_limit != 0) LimitAddresses(RLIM_INFINITY);
    return status;
  };
  int32_t status = run();
  // Twice without enough memory, as a failed call must leave nothing behind, and then with enough.
  for (const bool relieved : {false, true}) {
    if (status == expected) return;
    if (address_limit == 0 && (!has_failed || last_failing == 0)) break;
    if (expected != 0 || !TellsOfMemory(status)) Die("%s returned %d without memory", text, status);
    ++own_report->refusals;
    if (relieved) {
      last_failing = 0;
      address_limit = 0;
    }
    status = run();
  }
  if (status == expected) return;
  const char* message = aclGetRecentErrMsg();
  Die("%s returned %d instead of %d: %s", text, status, expected, message == nullptr ? "" : message);
}

}  // namespace contract
