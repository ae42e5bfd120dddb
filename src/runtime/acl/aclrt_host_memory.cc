// SPDX-License-Identifier: Apache-2.0
// Registration of ordinary host memory.
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
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
  if (contexts::ResolveContext(function) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
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
  const ApiCall api_call(__func__);
  aclError status = CheckHostRange(__func__, ptr, size);
  if (status != ACL_SUCCESS) return status;
  if (devPtr == nullptr) return NullArgument(__func__, "devPtr");
  const auto mask = static_cast<uint32_t>(EnumNumber(type));
  if ((mask & ~kRegisterTypes) != 0) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: argument 'type': expected a combination of the flags ACL_HOST_REGISTER_* (bits {:#x}), got {:#x}",
                 __func__, kRegisterTypes, mask);
  }
  status = Register(__func__, ptr, size);
  if (status == ACL_SUCCESS) *devPtr = ptr;
  return status;
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  const ApiCall api_call(__func__);
  const aclError status = CheckHostRange(__func__, ptr, size);
  if (status != ACL_SUCCESS) return status;
  if ((flag & ~kRegisterFlags) != 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'flag': expected a combination of the flags ACL_HOST_REG_* (bits {:#x}), got {:#x}",
                 __func__, kRegisterFlags, flag);
  }
  return Register(__func__, ptr, size);
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  const ApiCall api_call(__func__);
  if (pHost == nullptr) return NullArgument(__func__, "pHost");
  if (pDevice == nullptr) return NullArgument(__func__, "pDevice");
  if (flag != 0) return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'flag': expected 0, got {}", __func__, flag);
  if (contexts::ResolveContext(__func__) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  memory::Block block;
  if (!memory::IsRegistered(pHost) && !memory::FindHostBlock(pHost, &block)) {
    return Failf(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "{}: argument 'pHost': expected registered memory, got {}",
                 __func__, pHost);
  }
  *pDevice = pHost;
  return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void* ptr) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (ptr == nullptr) return NullArgument(function, "ptr");
  if (contexts::ResolveContext(function) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  return Guard(function, [=]() -> int32_t {
    if (memory::UnregisterRange(ptr)) return ACL_SUCCESS;
    return Failf(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                 "{}: argument 'ptr': expected the beginning of registered memory, got {}", function, ptr);
  });
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities) {
  const ApiCall api_call(__func__);
  if (capabilities == nullptr) return NullArgument(__func__, "capabilities");
  const int engine = EnumNumber(hacType);
  if (engine < ACL_RT_HAC_TYPE_STARS || engine > ACL_RT_HAC_TYPE_CCU)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'hacType': expected 0..9, got {}", __func__, engine);
  const aclError status = CheckDevice(__func__, deviceId);
  if (status == ACL_SUCCESS) *capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED;
  return status;
}
