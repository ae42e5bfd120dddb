// SPDX-License-Identifier: Apache-2.0
// Memory of the objects a client holds pointers to: tensors, scalars, arrays, lists.
//
// An object's memory keeps the same kind of object until the process ends, and a destroyed one is reused only after a
// number of others: a second destroy finds a dead object and does nothing, where the heap would crash. Memory grows
// with the largest number of objects alive at once. Taking and giving back objects only uses a list of the calling
// thread; surplus objects of a thread go to other threads through a list of the process.
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

/// The base of every pooled object. Any thread may check whether it is alive, because clients also destroy one object
/// from two threads.
class PooledObject {
 public:
  bool alive() const noexcept { return (generation() & 1) != 0; }
  /// Differs between the objects that use this memory one after the other. Odd while the object is alive.
  uint32_t generation() const noexcept { return generation_.load(std::memory_order_relaxed); }

 private:
  friend class LinkedQueue<PooledObject>;
  friend PooledObject* TakeObject(ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept;
  friend void GiveBackObject(ObjectKind kind, PooledObject* object) noexcept;

  std::atomic<uint32_t> generation_{0};
  PooledObject* next = nullptr;
};

PooledObject* TakeObject(ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept;
void GiveBackObject(ObjectKind kind, PooledObject* object) noexcept;

/// Returns a live object with the content of some earlier object; nullptr when memory is exhausted.
template <class Object>
Object* Take() noexcept {
  return static_cast<Object*>(
      TakeObject(Object::kKind, sizeof(Object), [](void* memory) -> PooledObject* { return new (memory) Object; }));
}

/// Destroys a live object. The caller has released the object's own resources.
template <class Object>
void GiveBack(Object* object) noexcept {
  GiveBackObject(Object::kKind, object);
}

}  // namespace portacl
