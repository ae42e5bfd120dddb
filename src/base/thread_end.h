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

// Whether a thread may keep things for itself: whether its end gives them back. Part of a thread-local object, and like
// that readable while the thread ends.
class ThreadKeeping {
 public:
  // `object`: the thread-local one that this is part of, for the function of `end`.
  bool MayKeep(const ThreadEnd& end, void* object) noexcept {
    if (!may_keep_ && !has_ended_) [[unlikely]]
      may_keep_ = end.Watch(object);
    return may_keep_;
  }

  void End() noexcept {
    may_keep_ = false;
    has_ended_ = true;
  }

 private:
  bool may_keep_ = false;
  bool has_ended_ = false;
};

}  // namespace portacl
