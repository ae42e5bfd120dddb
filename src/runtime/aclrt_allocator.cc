// SPDX-License-Identifier: Apache-2.0
// Allocators that frameworks attach to streams.
#include <map>
#include <mutex>
#include <new>

#include "base/process_mutex.h"
#include "runtime/arguments.h"
#include "runtime/context.h"

namespace portacl {
namespace {

struct AllocatorDescription {
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc allocate_near = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
};

struct AttachedAllocator {
  aclrtAllocatorDesc handle;
  AllocatorDescription copy;
};

struct AttachedAllocators {
  ProcessMutex mutex;
  std::map<HandleBits, AttachedAllocator> by_stream;
};

// Never destroyed: frameworks detach while the process ends.
AttachedAllocators& Attached() {
  static AttachedAllocators& attached = *new AttachedAllocators;
  return attached;
}

// Stores one member; null where it must not be is refused.
template <class Member>
aclError SetMember(const char* function, const char* argument, aclrtAllocatorDesc description,
                   Member AllocatorDescription::* member, Member value) noexcept {
  if (description == nullptr) return NullArgument(function, "allocatorDesc");
  if (value == nullptr) return NullArgument(function, argument);
  static_cast<AllocatorDescription*>(description)->*member = value;
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclrtAllocatorDesc aclrtAllocatorCreateDesc() { return new (std::nothrow) AllocatorDescription; }

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  if (allocatorDesc == nullptr) return NullArgument("aclrtAllocatorDestroyDesc", "allocatorDesc");
  delete static_cast<AllocatorDescription*>(allocatorDesc);
  return ACL_SUCCESS;
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
  return SetMember("aclrtAllocatorSetObjToDesc", "allocator", allocatorDesc, &AllocatorDescription::object, allocator);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
  return SetMember("aclrtAllocatorSetAllocFuncToDesc", "func", allocatorDesc, &AllocatorDescription::allocate, func);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
  return SetMember("aclrtAllocatorSetFreeFuncToDesc", "func", allocatorDesc, &AllocatorDescription::free, func);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func) {
  return SetMember("aclrtAllocatorSetAllocAdviseFuncToDesc", "func", allocatorDesc,
                   &AllocatorDescription::allocate_near, func);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
  return SetMember("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", "func", allocatorDesc, &AllocatorDescription::address,
                   func);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  constexpr const char* kFunction = "aclrtAllocatorRegister";
  if (stream == nullptr) return NullArgument(kFunction, "stream");
  if (allocatorDesc == nullptr) return NullArgument(kFunction, "allocatorDesc");
  const auto& description = *static_cast<const AllocatorDescription*>(allocatorDesc);
  if (description.object == nullptr || description.allocate == nullptr || description.free == nullptr ||
      description.address == nullptr) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: argument 'allocatorDesc': expected an allocator with functions to allocate, to free and to tell "
                 "an address, got none of one",
                 kFunction);
  }
  aclError status = ACL_SUCCESS;
  if (NeedStream(kFunction, stream, OtherContext::kAccept, &status) == nullptr) return status;
  return Guard(kFunction, [&]() -> int32_t {
    const std::scoped_lock lock(Attached().mutex);
    Attached().by_stream[ToBits(stream)] = {allocatorDesc, description};
    return ACL_SUCCESS;
  });
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
                                   aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  constexpr const char* kFunction = "aclrtAllocatorGetByStream";
  if (stream == nullptr) return NullArgument(kFunction, "stream");
  if (allocatorDesc == nullptr || allocator == nullptr || allocFunc == nullptr || freeFunc == nullptr ||
      allocAdviseFunc == nullptr || getAddrFromBlockFunc == nullptr)
    return NullArgument(kFunction, "allocatorDesc and its members");
  return Guard(kFunction, [&]() -> int32_t {
    const std::scoped_lock lock(Attached().mutex);
    const auto found = Attached().by_stream.find(ToBits(stream));
    if (found == Attached().by_stream.end()) {
      return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'stream': expected a stream with an allocator, got {}",
                   kFunction, stream);
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
  if (stream == nullptr) return NullArgument("aclrtAllocatorUnregister", "stream");
  return Guard("aclrtAllocatorUnregister", [stream]() -> int32_t {
    const std::scoped_lock lock(Attached().mutex);
    Attached().by_stream.erase(ToBits(stream));
    return ACL_SUCCESS;
  });
}
