// SPDX-License-Identifier: Apache-2.0
// Allocation, freeing, and synchronous copies and fills of the C API.
#include "runtime/arguments.h"
#include "runtime/context.h"
#include "runtime/copy_checks.h"
#include "runtime/device.h"
#include "runtime/pool.h"

namespace portacl {
namespace {

aclError Allocate(const char* function, const char* argument, void** address, size_t size, Pool::Side side,
                  Padding padding) noexcept {
  if (address == nullptr) return NullArgument(function, argument);
  if (size == 0)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'size': expected a positive number of bytes, got 0", function);
  const Context* context = NeedContext(function);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  Pool& pool = side == Pool::Side::kDevice ? DevicePool(context->device()) : HostPool();
  void* block = pool.Allocate(size, padding);
  if (block == nullptr) {
    return Failf(ACL_ERROR_RT_MEMORY_ALLOCATION,
                 "{}: argument 'size': expected no more than the {} memory that is left, got {} bytes", function,
                 side == Pool::Side::kDevice ? "device" : "host", size);
  }
  *address = block;
  return ACL_SUCCESS;
}

aclError Free(const char* function, const char* argument, void* address, Pool::Side side) noexcept {
  if (address == nullptr) return NullArgument(function, argument);
  if (FreeBlock(address, side)) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected the beginning of a live block of {}, got {}",
               function, argument, side == Pool::Side::kDevice ? "aclrtMalloc" : "aclrtMallocHost", address);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  (void)policy;  // a hint
  return Allocate("aclrtMalloc", "devPtr", devPtr, size, Pool::Side::kDevice, Padding::k32Bytes);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  (void)policy;
  return Allocate("aclrtMallocAlign32", "devPtr", devPtr, size, Pool::Side::kDevice, Padding::kNone);
}

aclError aclrtFree(void* devPtr) { return Free("aclrtFree", "devPtr", devPtr, Pool::Side::kDevice); }

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return Allocate("aclrtMallocHost", "hostPtr", hostPtr, size, Pool::Side::kHost, Padding::kNone);
}

aclError aclrtFreeHost(void* hostPtr) { return Free("aclrtFreeHost", "hostPtr", hostPtr, Pool::Side::kHost); }

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  aclError status = ACL_SUCCESS;
  if (!NeedsCopy("aclrtMemcpy", {dst, destMax, src, count, EnumNumber(kind)}, &status)) return status;
  const Context* context = NeedContext("aclrtMemcpy");
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  GetDevice(context->device()).Copy(dst, src, count);
  return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  aclError status = ACL_SUCCESS;
  if (!NeedsFill("aclrtMemset", {devPtr, maxCount, value, count}, &status)) return status;
  const Context* context = NeedContext("aclrtMemset");
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  GetDevice(context->device()).Fill(devPtr, value, count);
  return ACL_SUCCESS;
}
