// SPDX-License-Identifier: Apache-2.0
// Allocation, freeing, and synchronous copies and fills of the C API.
#include "base/observer.h"
#include "runtime/acl/copy_checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/contexts/deferred_free.h"
#include "runtime/devices/device.h"
#include "runtime/memory/pool.h"
#include "runtime/streams/transfer.h"

namespace portacl {
namespace {

aclError Allocate(const char* function, const char* argument, void** address, size_t size, memory::Pool::Side side,
                  memory::Padding padding) noexcept {
  if (address == nullptr) return NullArgument(function, argument);
  if (size == 0)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'size': expected a positive number of bytes, got 0", function);
  const contexts::Context* context = contexts::ResolveContext(function);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  const bool device = side == memory::Pool::Side::kDevice;
  bool own_pages = false;
  NotifyObservers([&](Observer& each) { own_pages = each.WantsPages() || own_pages; });
  const memory::Pages pages = own_pages ? memory::Pages::kOwn : memory::Pages::kShared;
  void* block = device ? contexts::AllocateDeviceBlock(context->device(), size, padding, pages)
                       : memory::HostPool().Allocate(size, padding, pages);
  if (block == nullptr) {
    return Failf(ACL_ERROR_RT_MEMORY_ALLOCATION,
                 "{}: argument 'size': expected no more than the {} memory that is left, got {} bytes", function,
                 device ? "device" : "host", size);
  }
  *address = block;
  NotifyObservers([&](Observer& each) { each.BlockMade(block, size, device, own_pages); });
  return ACL_SUCCESS;
}

aclError Free(const char* function, const char* argument, void* address, memory::Pool::Side side) noexcept {
  if (address == nullptr) return NullArgument(function, argument);
  NotifyObservers([&](Observer& each) { each.BlockEnds(address, side == memory::Pool::Side::kDevice); });
  const bool freed =
      side == memory::Pool::Side::kDevice ? contexts::FreeDeviceBlock(address) : memory::FreeBlock(address, side);
  if (freed) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected the beginning of a live block of {}, got {}",
               function, argument, side == memory::Pool::Side::kDevice ? "aclrtMalloc" : "aclrtMallocHost", address);
}

// Frees the block also when queued work has failed; the caller gets the status of that failure.
aclError FreeAfterAll(const char* function, const char* argument, void* address, memory::Pool::Side side) {
  if (address == nullptr) return NullArgument(function, argument);
  const aclError failure = contexts::SynchronizeContext(function, {});
  if (failure == ACL_ERROR_RT_CONTEXT_NULL) return failure;
  const aclError status = Free(function, argument, address, side);
  return failure != ACL_SUCCESS ? failure : status;
}

// Attributes are only hints, but they must be valid.
aclError CheckConfig(const char* function, const aclrtMallocConfig* config) noexcept {
  if (config == nullptr || config->numAttrs == 0) return ACL_SUCCESS;
  if (config->attrs == nullptr) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'cfg': expected {} attributes, got NULL", function,
                 config->numAttrs);
  }
  for (size_t index = 0; index < config->numAttrs; ++index) {
    const int kind = EnumNumber(config->attrs[index].attr);
    if (kind >= ACL_RT_MEM_ATTR_RSV && kind <= ACL_RT_MEM_ATTR_VA_FLAG) continue;
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'cfg': expected attributes 0..3, got {}", function, kind);
  }
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  const ApiCall api_call(__func__);
  (void)policy;  // only a hint
  return Allocate(__func__, "devPtr", devPtr, size, memory::Pool::Side::kDevice, memory::Padding::k32BytesAndSlack);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  const ApiCall api_call(__func__);
  (void)policy;
  return Allocate(__func__, "devPtr", devPtr, size, memory::Pool::Side::kDevice, memory::Padding::kNone);
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  const ApiCall api_call(__func__);
  (void)policy;
  return Allocate(__func__, "devPtr", devPtr, size, memory::Pool::Side::kDevice, memory::Padding::k32BytesAndSlack);
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  const ApiCall api_call(__func__);
  (void)policy;
  const aclError status = CheckConfig(__func__, cfg);
  if (status != ACL_SUCCESS) return status;
  return Allocate(__func__, "devPtr", devPtr, size, memory::Pool::Side::kDevice, memory::Padding::kNone);
}

aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  const ApiCall api_call(__func__);
  (void)policy;
  const aclError status = CheckConfig(__func__, cfg);
  if (status != ACL_SUCCESS) return status;
  return Allocate(__func__, "devPtr", devPtr, size, memory::Pool::Side::kDevice, memory::Padding::kNone);
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  const ApiCall api_call(__func__);
  const aclError status = CheckConfig(__func__, cfg);
  if (status != ACL_SUCCESS) return status;
  return Allocate(__func__, "ptr", ptr, size, memory::Pool::Side::kHost, memory::Padding::kNone);
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  const ApiCall api_call(__func__);
  return FreeAfterAll(__func__, "devPtr", devPtr, memory::Pool::Side::kDevice);
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  const ApiCall api_call(__func__);
  return FreeAfterAll(__func__, "hostPtr", hostPtr, memory::Pool::Side::kHost);
}

aclError aclrtFree(void* devPtr) {
  const ApiCall api_call(__func__);
  return Free(__func__, "devPtr", devPtr, memory::Pool::Side::kDevice);
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  const ApiCall api_call(__func__);
  return Allocate(__func__, "hostPtr", hostPtr, size, memory::Pool::Side::kHost, memory::Padding::kNone);
}

aclError aclrtFreeHost(void* hostPtr) {
  const ApiCall api_call(__func__);
  return Free(__func__, "hostPtr", hostPtr, memory::Pool::Side::kHost);
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (!NeedsCopy(__func__, {dst, destMax, src, count, EnumNumber(kind)}, &status)) return status;
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  status = CheckRows(__func__, {dst, count, src, count, count, 1}, ACL_ERROR_RT_PARAM_INVALID);
  if (status != ACL_SUCCESS) return status;
  streams::NotifyOfCopy({dst, count, src, count, count, 1});
  devices::GetDevice(context->device()).Copy(dst, src, count);
  return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (!NeedsFill(__func__, {devPtr, maxCount, value, count}, &status)) return status;
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  status = CheckRange(__func__, "devPtr", devPtr, count, ACL_ERROR_RT_PARAM_INVALID);
  if (status != ACL_SUCCESS) return status;
  NotifyOfFill(devPtr, count);
  devices::GetDevice(context->device()).Fill(devPtr, value, count);
  return ACL_SUCCESS;
}
