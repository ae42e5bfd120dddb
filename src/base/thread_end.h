// SPDX-License-Identifier: Apache-2.0
// Calls a function at the end of threads, as a destructor of a thread-local object would do. To enter one of those
// takes memory, and the C library ends the process when there is none.
#pragma once

#include <pthread.h>

namespace portacl {

// To be made while the library is loaded.
class ThreadEnd {
 public:
  explicit ThreadEnd(void (*function)(void* argument)) noexcept : has_key_(pthread_key_create(&key_, function) == 0) {}

  // The calling thread will call the function, once, with this argument, which is not null. False: there is no memory
  // to remember that.
  bool Watch(void* argument) const noexcept { return has_key_ && pthread_setspecific(key_, argument) == 0; }

 private:
  pthread_key_t key_{};
  bool has_key_;
};

}  // namespace portacl
