// SPDX-License-Identifier: Apache-2.0
// Memory of the objects a client holds pointers to: tensors, scalars, arrays, lists.
//
// An object's memory stays an object of the same kind until the process ends, and a destroyed one is reused only after
// a number of others: a second destroy finds a dead object and does nothing, where the heap would crash. Memory grows
// with the largest number of objects alive at once. Taking and giving back touch only a list of the calling thread;
// what a thread has too much goes through a list of the process to others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/linked_queue.h"

namespace portacl {

enum class ObjectKind : uint8_t {
  kTensor,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kTensorList,
  kScalarList,
  kCount
};

/// Base of every pooled object. Whether it is alive may be asked by any thread, as clients destroy twice from two
/// threads, too.
class PooledObject {
 public:
  bool alive() const noexcept { return alive_.load(std::memory_order_relaxed); }

 private:
  friend class LinkedQueue<PooledObject>;
  friend PooledObject* TakeObject(ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept;
  friend void GiveBackObject(ObjectKind kind, PooledObject* object) noexcept;

  std::atomic<bool> alive_{false};
  PooledObject* next = nullptr;
};

PooledObject* TakeObject(ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept;
void GiveBackObject(ObjectKind kind, PooledObject* object) noexcept;

/// A live object with the content some earlier object left; nullptr when memory is short.
template <class Object>
Object* Take() noexcept {
  return static_cast<Object*>(
      TakeObject(Object::kKind, sizeof(Object), [](void* memory) -> PooledObject* { return new (memory) Object; }));
}

/// Ends a live object. The caller has released what it owns.
template <class Object>
void GiveBack(Object* object) noexcept {
  GiveBackObject(Object::kKind, object);
}

}  // namespace portacl
