// SPDX-License-Identifier: Apache-2.0
// Functions of the layer below the runtime, as names of the runtime's own.
#include "acl/rt/rt_functions.h"

#include <cstring>

#include "base/observer.h"
#include "runtime/arguments.h"

namespace portacl {
namespace {

constexpr rtMemcpyKind_t kAsTheAddressesSay = 8;

aclError GetCount(const char* function, aclrtDevAttr attribute, uint32_t* count) noexcept {
  if (count == nullptr) return NullArgument(function, "count");
  int32_t device = 0;
  int64_t value = 0;
  if (const aclError status = aclrtGetDevice(&device); status != ACL_SUCCESS) return status;
  const aclError status = aclrtGetDeviceInfo(static_cast<uint32_t>(device), attribute, &value);
  if (status == ACL_SUCCESS) *count = static_cast<uint32_t>(value);
  return status;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

rtError_t rtGetSocVersion(char* version, uint32_t maxLen) {
  const ApiCall api_call(__func__);
  if (version == nullptr) return NullArgument(__func__, "version");
  const char* name = aclrtGetSocName();
  const size_t bytes = std::strlen(name) + 1;
  if (maxLen < bytes) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'maxLen': expected {} bytes or more, got {}", __func__,
                 bytes, maxLen);
  }
  std::memcpy(version, name, bytes);
  return ACL_SUCCESS;
}

rtError_t rtSetDevice(int32_t deviceId) { return aclrtSetDevice(deviceId); }

rtError_t rtDeviceReset(int32_t deviceId) { return aclrtResetDevice(deviceId); }

rtError_t rtDeviceGetBareTgid(uint32_t* pid) { return aclrtDeviceGetBareTgid(reinterpret_cast<int32_t*>(pid)); }

rtError_t rtGetAiCoreCount(uint32_t* count) { return GetCount(__func__, ACL_DEV_ATTR_AICORE_CORE_NUM, count); }

rtError_t rtGetAiCpuCount(uint32_t* count) { return GetCount(__func__, ACL_DEV_ATTR_AICPU_CORE_NUM, count); }

rtError_t rtMalloc(void** devPtr, uint64_t size, uint32_t, uint16_t) {
  return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

rtError_t rtFree(void* devPtr) { return aclrtFree(devPtr); }

rtError_t rtMallocHost(void** hostPtr, uint64_t size, uint16_t) { return aclrtMallocHost(hostPtr, size); }

rtError_t rtFreeHost(void* hostPtr) { return aclrtFreeHost(hostPtr); }

rtError_t rtMemcpy(void* dst, uint64_t destMax, const void* src, uint64_t cnt, rtMemcpyKind_t kind) {
  if ((kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEVICE_TO_DEVICE) && kind != kAsTheAddressesSay) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'kind': expected 0..3 or 8, got {}", __func__, kind);
  }
  return aclrtMemcpy(dst, destMax, src, cnt,
                     kind == kAsTheAddressesSay ? ACL_MEMCPY_DEFAULT : static_cast<aclrtMemcpyKind>(kind));
}

rtError_t rtStreamCreate(rtStream_t* stm, int32_t priority) {
  if (priority < 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'priority': expected 0 or more, got {}", __func__, priority);
  }
  return aclrtCreateStreamWithConfig(stm, static_cast<uint32_t>(priority), 0);
}

rtError_t rtStreamDestroy(rtStream_t stm) { return aclrtDestroyStream(stm); }

rtError_t rtStreamSynchronize(rtStream_t stm) { return aclrtSynchronizeStream(stm); }
