// SPDX-License-Identifier: Apache-2.0
// Makes allocations of the libraries fail on purpose, in a separate process. failing_allocations.cc replaces malloc and
// its variants, mmap and pthread_create for the whole process; allocations of the test itself never fail.
#pragma once

#include <cstdint>
#include <functional>

namespace contract {

enum class Failing { kNone, kOnce, kFromThenOn };

// From now on allocations of the calling thread are counted and fail only within Must() and MustMake(), and allocations
// of the libraries' threads always. The allocation with the number `at`, counted from 1, fails; or that one and all
// later ones fail until a call has failed.
void BeginFailing(Failing failing, int64_t at);
// From now on allocations neither fail nor are counted.
void EndFailing();

// From now on calls find only `left` bytes of address space, until a call has failed.
void BeginAddressLimit(int64_t left);

// Marks a thread as created by the test.
void IsThreadOfTest();

// The data that a child process returns to its parent.
struct Report {
  int64_t allocations;  // counted in the whole program
  int64_t refusals;     // calls that failed because memory was exhausted
  uint64_t digest;      // of the results
  char failure[1024];
};

// The blocks of this process that were allocated by any function and not freed.
int64_t LiveBlocks();

// Runs `body` in a child that is killed after `seconds`. Returns the text of a failure; empty when the body returned.
const char* InChild(const std::function<void(Report*)>& body, int seconds, Report* report);

// Ends the child with this text.
[[noreturn]] void Die(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Whether the status reports that memory, or a resource that needs memory, is exhausted.
bool TellsOfMemory(int32_t status);

// Runs a call, which must return `expected`. A call that should succeed may fail only with a report that memory is
// exhausted, and must then succeed when it is repeated with enough memory.
void MustSucceed(const char* text, const std::function<int32_t()>& call, int32_t expected);

}  // namespace contract

#define MUST(call) ::contract::MustSucceed(#call, [&]() -> int32_t { return call; }, 0)
// A mistake in a call is reported whether or not memory is exhausted.
#define MUST_REFUSE(code, call) ::contract::MustSucceed(#call, [&]() -> int32_t { return call; }, code)
// For a function that returns an object, or null when memory is exhausted.
#define MUST_MAKE(object, call) \
  ::contract::MustSucceed(#call, [&]() -> int32_t { return (object = call) == nullptr ? 207001 : 0; }, 0)
