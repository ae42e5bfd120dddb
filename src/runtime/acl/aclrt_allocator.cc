// SPDX-License-Identifier: Apache-2.0
// Allocators that frameworks attach to streams.

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>

#include "base/never_destroyed.h"
#include "base/observer.h"
#include "base/process_mutex.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/object_store.h"

namespace portacl {
namespace {

struct AllocatorDescription {
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc allocate_near = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
};

constinit ObjectStore<AllocatorDescription> g_descriptions;

struct AttachedAllocator {
  aclrtAllocatorDesc handle;
  AllocatorDescription copy;
};

struct AttachedAllocators {
  std::atomic<size_t> count{0};
  ProcessMutex mutex;
  std::map<HandleBits, AttachedAllocator> by_stream;
};

// Never destroyed: frameworks detach allocators while the process ends.
AttachedAllocators& Attached() noexcept {
  static NeverDestroyed<AttachedAllocators> attached;
  return *attached;
}

aclError BadDescription(const char* function, const void* description) noexcept {
  return BadHandle(function, "allocatorDesc", "allocator description", description);
}

// Stores one member; refuses null where null is not allowed.
template <class Member>
aclError SetMember(const char* function, const char* argument, aclrtAllocatorDesc description,
                   Member AllocatorDescription::* member, Member value) noexcept {
  if (description == nullptr) return NullArgument(function, "allocatorDesc");
  if (value == nullptr) return NullArgument(function, argument);
  AllocatorDescription* live = g_descriptions.Live(description);
  if (live == nullptr) return BadDescription(function, description);
  live->*member = value;
  return ACL_SUCCESS;
}

}  // namespace

void contexts::DetachAllocator(HandleBits stream) noexcept {
  AttachedAllocators& attached = Attached();
  if (attached.count.load(std::memory_order_acquire) == 0) return;
  const std::scoped_lock lock(attached.mutex);
  attached.by_stream.erase(stream);
  attached.count.store(attached.by_stream.size(), std::memory_order_release);
}

}  // namespace portacl

using namespace portacl;

aclrtAllocatorDesc aclrtAllocatorCreateDesc() { return g_descriptions.Make({}); }

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  const ApiCall api_call(__func__);
  if (allocatorDesc == nullptr) return NullArgument(__func__, "allocatorDesc");
  return g_descriptions.Destroy(allocatorDesc) ? ACL_SUCCESS : BadDescription(__func__, allocatorDesc);
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
  const ApiCall api_call(__func__);
  return SetMember(__func__, "allocator", allocatorDesc, &AllocatorDescription::object, allocator);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
  const ApiCall api_call(__func__);
  return SetMember(__func__, "func", allocatorDesc, &AllocatorDescription::allocate, func);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
  const ApiCall api_call(__func__);
  return SetMember(__func__, "func", allocatorDesc, &AllocatorDescription::free, func);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func) {
  const ApiCall api_call(__func__);
  return SetMember(__func__, "func", allocatorDesc, &AllocatorDescription::allocate_near, func);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
  const ApiCall api_call(__func__);
  return SetMember(__func__, "func", allocatorDesc, &AllocatorDescription::address, func);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  const ApiCall api_call(__func__);
  if (stream == nullptr) return NullArgument(__func__, "stream");
  if (allocatorDesc == nullptr) return NullArgument(__func__, "allocatorDesc");
  const AllocatorDescription* live = g_descriptions.Live(allocatorDesc);
  if (live == nullptr) return BadDescription(__func__, allocatorDesc);
  const AllocatorDescription description = *live;
  if (description.object == nullptr || description.allocate == nullptr || description.free == nullptr ||
      description.address == nullptr) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: argument 'allocatorDesc': expected an allocator with functions to allocate, to free and to tell "
                 "an address, got none of one",
                 __func__);
  }
  aclError status = ACL_SUCCESS;
  if (contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status) == nullptr) return status;
  return Guard(__func__, [&]() -> int32_t {
    const bool done = contexts::WhileLive(ToBits(stream), [&] {
      const std::scoped_lock attached_lock(Attached().mutex);
      Attached().by_stream[ToBits(stream)] = {allocatorDesc, description};
      Attached().count.store(Attached().by_stream.size(), std::memory_order_release);
    });
    return done ? ACL_SUCCESS : BadHandle("aclrtAllocatorRegister", "stream", "stream", stream);
  });
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
                                   aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (stream == nullptr) return NullArgument(function, "stream");
  if (allocatorDesc == nullptr || allocator == nullptr || allocFunc == nullptr || freeFunc == nullptr ||
      allocAdviseFunc == nullptr || getAddrFromBlockFunc == nullptr)
    return NullArgument(function, "allocatorDesc and its members");
  return Guard(function, [&]() -> int32_t {
    const std::scoped_lock lock(Attached().mutex);
    const auto found = Attached().by_stream.find(ToBits(stream));
    if (found == Attached().by_stream.end()) {
      return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'stream': expected a stream with an allocator, got {}",
                   function, stream);
    }
    const AllocatorDescription& description = found->second.copy;
    *allocatorDesc = found->second.handle;
    *allocator = description.object;
    *allocFunc = description.allocate;
    *freeFunc = description.free;
    *allocAdviseFunc = description.allocate_near;
    *getAddrFromBlockFunc = description.address;
    return ACL_SUCCESS;
  });
}

aclError aclrtAllocatorUnregister(aclrtStream stream) {
  const ApiCall api_call(__func__);
  if (stream == nullptr) return NullArgument(__func__, "stream");
  contexts::DetachAllocator(ToBits(stream));
  return ACL_SUCCESS;
}
