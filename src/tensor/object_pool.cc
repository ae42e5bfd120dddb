// SPDX-License-Identifier: Apache-2.0
#include "tensor/object_pool.h"

#include <mutex>

#include "base/observer.h"
#include "base/process_mutex.h"
#include "base/thread_end.h"
#include "base/visibility.h"

namespace portacl {

namespace {

// First in, first out, so that the object destroyed last is the last one to be reused.
using ObjectList = LinkedQueue<PooledObject>;

constexpr size_t kKinds = static_cast<size_t>(ObjectKind::kCount);

constexpr size_t kQuarantine = 16;   // objects destroyed after another one before its memory is reused
constexpr size_t kSlabObjects = 32;  // objects allocated at once
constexpr size_t kThreadMost = 256;  // objects of one kind that a thread keeps
constexpr size_t kBatch = 128;       // objects that move between a thread and the process together

// Without destructors: clients destroy tensors in destructors of their own static objects.
struct ProcessObjects {
  ProcessMutex mutex;
  ObjectList spare[kKinds];
  void* slabs = nullptr;  // all slabs, so that leak checkers find them
};
constinit ProcessObjects process;

// One object, so that a call looks up its address once.
struct ThreadObjects {
  ObjectList lists[kKinds];
  ThreadKeeping keeping;
};
PORTACL_HOT_THREAD_LOCAL constinit thread_local ThreadObjects thread;

// Gives the objects of an ending thread to the other threads.
const ThreadEnd objects_end([](void*) {
  thread.keeping.End();
  const std::lock_guard lock(process.mutex);
  for (size_t kind = 0; kind < kKinds; ++kind) {
    while (!thread.lists[kind].empty()) process.spare[kind].PushBack(thread.lists[kind].PopFront());
  }
});

// Adds new objects at the front of `list`; the caller holds the mutex.
void AddSlab(ObjectList& list, size_t bytes, PooledObject* (*construct)(void*)) noexcept {
  constexpr size_t kHeaderBytes = alignof(std::max_align_t);
  char* slab = static_cast<char*>(::operator new(kHeaderBytes + kSlabObjects * bytes, std::nothrow));
  if (slab == nullptr) return;
  *reinterpret_cast<void**>(slab) = process.slabs;
  process.slabs = slab;
  // Added in reverse, so that objects are used in the order of their addresses.
  for (size_t i = kSlabObjects; i-- > 0;) list.PushFront(construct(slab + kHeaderBytes + i * bytes));
}

// Adds objects to `mine`, a list of the calling thread that has only its quarantine left, if there is memory.
void Refill(ObjectList& mine, ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept {
  const std::lock_guard lock(process.mutex);
  ObjectList& spare = process.spare[static_cast<size_t>(kind)];
  if (spare.count() <= kQuarantine) return AddSlab(mine, bytes, construct);
  for (size_t i = 0; i < kBatch && spare.count() > kQuarantine; ++i) mine.PushFront(spare.PopFront());
}

PooledObject* TakeFromProcess(ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept {
  const std::lock_guard lock(process.mutex);
  ObjectList& spare = process.spare[static_cast<size_t>(kind)];
  if (spare.count() <= kQuarantine) AddSlab(spare, bytes, construct);
  return spare.PopFront();
}

void Spill(ObjectKind kind, ObjectList& mine) noexcept {
  const std::lock_guard lock(process.mutex);
  ObjectList& spare = process.spare[static_cast<size_t>(kind)];
  for (size_t i = 0; i < kBatch; ++i) spare.PushBack(mine.PopFront());
}

HandleKind HandleKindOf(ObjectKind kind) noexcept {
  if (kind == ObjectKind::kTensor) return HandleKind::kTensor;
  if (kind == ObjectKind::kScalar) return HandleKind::kScalar;
  return kind == ObjectKind::kTensorList || kind == ObjectKind::kScalarList ? HandleKind::kList : HandleKind::kArray;
}

}  // namespace

PooledObject* TakeObject(ObjectKind kind, size_t bytes, PooledObject* (*construct)(void*)) noexcept {
  ThreadObjects& objects = thread;
  ObjectList& mine = objects.lists[static_cast<size_t>(kind)];
  PooledObject* object = nullptr;
  if (mine.count() <= kQuarantine) [[unlikely]] {
    if (objects.keeping.MayKeep(objects_end, &objects)) {
      Refill(mine, kind, bytes, construct);
    } else {
      object = TakeFromProcess(kind, bytes, construct);
    }
  }
  // When memory is exhausted, an object is taken from the quarantine. The list of a thread that may not keep objects is
  // empty.
  if (object == nullptr) object = mine.PopFront();
  if (object != nullptr) object->generation_.store(object->generation() | 1, std::memory_order_relaxed);
  NotifyObservers([=](Observer& each) { each.HandleMade(HandleKindOf(kind), reinterpret_cast<uintptr_t>(object)); });
  return object;
}

void GiveBackObject(ObjectKind kind, PooledObject* object) noexcept {
  NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKindOf(kind), reinterpret_cast<uintptr_t>(object)); });
  object->generation_.store((object->generation() + 1) & ~uint32_t{1}, std::memory_order_relaxed);
  ThreadObjects& objects = thread;
  if (!objects.keeping.MayKeep(objects_end, &objects)) [[unlikely]] {
    const std::lock_guard lock(process.mutex);
    process.spare[static_cast<size_t>(kind)].PushBack(object);
    return;
  }
  ObjectList& mine = objects.lists[static_cast<size_t>(kind)];
  mine.PushBack(object);
  if (mine.count() > kThreadMost) [[unlikely]]
    Spill(kind, mine);
}

}  // namespace portacl
