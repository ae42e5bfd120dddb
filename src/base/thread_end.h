// SPDX-License-Identifier: Apache-2.0
// Calls a function at the end of threads, as a destructor of a thread-local object does. Registering such a destructor
// allocates memory, and the C library ends the process when there is none.
#pragma once

#include <pthread.h>

namespace portacl {

// Must be created while the library is loaded.
class ThreadEnd {
 public:
  explicit ThreadEnd(void (*function)(void* argument)) noexcept : has_key_(pthread_key_create(&key_, function) == 0) {}

  // The calling thread will call the function once with this argument, which must not be null. Returns false when there
  // is no memory to store that.
  bool Watch(void* argument) const noexcept { return has_key_ && pthread_setspecific(key_, argument) == 0; }

 private:
  pthread_key_t key_{};
  bool has_key_;
};

// Whether a thread may keep objects for itself: only if they are given back when it ends. A part of a thread-local
// object, and like that readable while the thread ends.
class ThreadKeeping {
 public:
  // `object`: the thread-local object that contains this one; it is passed to the function of `end`.
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
