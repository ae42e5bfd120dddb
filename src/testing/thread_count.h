// SPDX-License-Identifier: Apache-2.0
// Sets how many threads run an operator, possibly more than the machine has cores.
#pragma once

namespace portacl::testing {

// For the lifetime of the object, `threads` threads take part. The constructor checks once that all of them work;
// otherwise it adds a test failure.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
};

}  // namespace portacl::testing
