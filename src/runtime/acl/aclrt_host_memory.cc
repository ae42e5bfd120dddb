// SPDX-License-Identifier: Apache-2.0
// Registration of ordinary host memory.
#include "runtime/acl/device_checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/memory/host_registry.h"
#include "runtime/memory/memory.h"

namespace portacl {
namespace {

constexpr uint32_t kRegisterTypes = ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY;
constexpr uint32_t kRegisterFlags =
    ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;

aclError CheckHostRange(const char* function, const void* begin, uint64_t bytes) noexcept {
  if (begin == nullptr) return NullArgument(function, "ptr");
  if (bytes != 0 && reinterpret_cast<uintptr_t>(begin) + bytes > bytes) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'size': expected the bytes of a range, got {}", function, bytes);
}

aclError Register(const char* function, void* begin, uint64_t bytes) noexcept {
  if (contexts::NeedContext(function) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  return Guard(function, [=]() -> int32_t {
    if (memory::RegisterRange(begin, bytes)) return ACL_SUCCESS;
    return Failf(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                 "{}: argument 'ptr': expected memory that is not registered, got {}", function, begin);
  });
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  constexpr const char* kFunction = "aclrtHostRegister";
  aclError status = CheckHostRange(kFunction, ptr, size);
  if (status != ACL_SUCCESS) return status;
  if (devPtr == nullptr) return NullArgument(kFunction, "devPtr");
  const auto mask = static_cast<uint32_t>(EnumNumber(type));
  if ((mask & ~kRegisterTypes) != 0) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "{}: argument 'type': expected a mixture of {:#x}, got {:#x}",
                 kFunction, kRegisterTypes, mask);
  }
  status = Register(kFunction, ptr, size);
  if (status == ACL_SUCCESS) *devPtr = ptr;
  return status;
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  constexpr const char* kFunction = "aclrtHostRegisterV2";
  const aclError status = CheckHostRange(kFunction, ptr, size);
  if (status != ACL_SUCCESS) return status;
  if ((flag & ~kRegisterFlags) != 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'flag': expected a mixture of {:#x}, got {:#x}", kFunction,
                 kRegisterFlags, flag);
  }
  return Register(kFunction, ptr, size);
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  constexpr const char* kFunction = "aclrtHostGetDevicePointer";
  if (pHost == nullptr) return NullArgument(kFunction, "pHost");
  if (pDevice == nullptr) return NullArgument(kFunction, "pDevice");
  if (flag != 0) return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'flag': expected 0, got {}", kFunction, flag);
  if (contexts::NeedContext(kFunction) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  memory::Block block;
  if (!memory::IsRegistered(pHost) && !memory::FindHostBlock(pHost, &block)) {
    return Failf(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "{}: argument 'pHost': expected registered memory, got {}",
                 kFunction, pHost);
  }
  *pDevice = pHost;
  return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void* ptr) {
  constexpr const char* kFunction = "aclrtHostUnregister";
  if (ptr == nullptr) return NullArgument(kFunction, "ptr");
  if (contexts::NeedContext(kFunction) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  return Guard(kFunction, [=]() -> int32_t {
    if (memory::UnregisterRange(ptr)) return ACL_SUCCESS;
    return Failf(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                 "{}: argument 'ptr': expected the beginning of registered memory, got {}", kFunction, ptr);
  });
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities) {
  constexpr const char* kFunction = "aclrtHostMemMapCapabilities";
  if (capabilities == nullptr) return NullArgument(kFunction, "capabilities");
  const int engine = EnumNumber(hacType);
  if (engine < ACL_RT_HAC_TYPE_STARS || engine > ACL_RT_HAC_TYPE_CCU)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'hacType': expected 0..9, got {}", kFunction, engine);
  const aclError status = CheckDevice(kFunction, deviceId);
  if (status == ACL_SUCCESS) *capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED;
  return status;
}
