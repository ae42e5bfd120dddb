// SPDX-License-Identifier: Apache-2.0
// Makes allocations of the libraries fail on purpose, in a process of its own. failing_allocations.cc defines malloc
// and its relatives, mmap and pthread_create for the whole process; what the test itself allocates never fails.
#pragma once

#include <cstdint>
#include <functional>

namespace contract {

enum class Failing { kNone, kOnce, kFromThenOn };

// From now on the calling thread's allocations count and fail only within Must() and MustMake(); those of the
// libraries' threads always do. The `at`-th one, from 1, fails, or that and all that follow until a call has failed.
void BeginFailing(Failing failing, int64_t at);
// Nothing fails any more, and nothing counts.
void EndFailing();

// From now on calls find only `left` bytes of address space, until one has failed.
void BeginAddressLimit(int64_t left);

// For threads that the test makes.
void IsThreadOfTest();

// What a child leaves to its parent.
struct Report {
  int64_t allocations;  // counted in the whole program
  int64_t refusals;     // calls that failed for want of memory
  uint64_t digest;      // of the results
  char failure[1024];
};

// Blocks of this process that were allocated, in whatever way, and not freed.
int64_t LiveBlocks();

// Runs `body` in a child that dies after `seconds`. The text of a failure: empty when the body returned.
const char* InChild(const std::function<void(Report*)>& body, int seconds, Report* report);

// Ends the child with this text.
[[noreturn]] void Die(const char* format, ...) __attribute__((format(printf, 1, 2)));

// A status that says that memory, or something made of it, is short.
bool TellsOfMemory(int32_t status);

// Runs a call, which must return `expected`. One that should succeed and fails for want of memory must say so, and must
// work when it is repeated with enough.
void MustSucceed(const char* text, const std::function<int32_t()>& call, int32_t expected);

}  // namespace contract

#define MUST(call) ::contract::MustSucceed(#call, [&]() -> int32_t { return call; }, 0)
// What is wrong with a call is told whether memory is short or not.
#define MUST_REFUSE(code, call) ::contract::MustSucceed(#call, [&]() -> int32_t { return call; }, code)
// A function that returns an object, or null without memory.
#define MUST_MAKE(object, call) \
  ::contract::MustSucceed(#call, [&]() -> int32_t { return (object = call) == nullptr ? 207001 : 0; }, 0)
