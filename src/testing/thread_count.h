// SPDX-License-Identifier: Apache-2.0
// How many threads take part in an operator, also more than the machine has cores.
#pragma once

namespace portacl::testing {

// For the lifetime of the object `threads` threads take part. They are seen at work once before the constructor
// returns; a test failure says so when they are not.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
};

}  // namespace portacl::testing
