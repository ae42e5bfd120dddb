// SPDX-License-Identifier: Apache-2.0
// Checks of arguments for the functions that reserve address space and map physical memory.
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/memory/virtual_memory.h"

namespace portacl {
namespace {

// The unit of sizes of physical memory with this attribute; 0: it cannot be mapped.
size_t GranularityOf(int attribute) noexcept {
  switch (attribute) {
    case ACL_DDR_MEM_HUGE:
    case ACL_HBM_MEM_HUGE:
    case ACL_DDR_MEM_P2P_HUGE:
    case ACL_HBM_MEM_P2P_HUGE:
    case ACL_MEM_HUGE:
    case ACL_MEM_P2P_HUGE:
      return memory::kMapUnit;
    case ACL_HBM_MEM_HUGE1G:
    case ACL_HBM_MEM_P2P_HUGE1G:
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_HUGE1G:
      return size_t{1} << 30;
    default:
      return 0;
  }
}

aclError BadProperty(const char* function, const char* member, const char* expected, int64_t got) noexcept {
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'prop': expected {} of {}, got {}", function, expected, member,
               got);
}

aclError CheckFlags(const char* function, uint64_t flags, uint64_t most) noexcept {
  if (flags <= most) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'flags': expected at most {}, got {}", function, most, flags);
}

aclError CheckSize(const char* function, size_t size) noexcept {
  if (size != 0) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'size': expected a positive number of bytes, got 0", function);
}

aclError CheckProperties(const char* function, size_t size, const aclrtPhysicalMemProp& prop) noexcept {
  const int handle_type = EnumNumber(prop.handleType);
  const int allocation_type = EnumNumber(prop.allocationType);
  const int attribute = EnumNumber(prop.memAttr);
  const int location = EnumNumber(prop.location.type);
  if (handle_type != ACL_MEM_HANDLE_TYPE_NONE) return BadProperty(function, "handleType", "0", handle_type);
  if (allocation_type != ACL_MEM_ALLOCATION_TYPE_PINNED)
    return BadProperty(function, "allocationType", "0", allocation_type);
  const size_t granularity = GranularityOf(attribute);
  if (granularity == 0) return BadProperty(function, "memAttr", "a kind with huge pages", attribute);
  if (location != ACL_MEM_LOCATION_TYPE_DEVICE) return BadProperty(function, "location.type", "1 (a device)", location);
  if (size % granularity != 0) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'size': expected a multiple of {}, got {}", function,
                 granularity, size);
  }
  return CheckDevice(function, prop.location.id, "prop->location.id");
}

aclError NullRuntimeArgument(const char* function, const char* argument) noexcept {
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected a pointer, got NULL", function, argument);
}

aclError NotMapped(const char* function, const void* address) noexcept {
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'virPtr': expected a mapped range, got {}", function, address);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullArgument(__func__, "virPtr");
  aclError status = CheckSize(__func__, size);
  if (status == ACL_SUCCESS) status = CheckFlags(__func__, flags, 1);
  if (status != ACL_SUCCESS) return status;
  if (alignment != 0 || expectPtr != nullptr) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: arguments 'alignment' and 'expectPtr': expected 0 and NULL, got {} and {}", __func__, alignment,
                 expectPtr);
  }
  return memory::ReserveAddresses(__func__, size, virPtr);
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullArgument(__func__, "virPtr");
  return memory::ReleaseAddresses(__func__, virPtr);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags) {
  const ApiCall api_call(__func__);
  if (handle == nullptr) return NullArgument(__func__, "handle");
  if (prop == nullptr) return NullArgument(__func__, "prop");
  aclError status = CheckSize(__func__, size);
  if (status == ACL_SUCCESS) status = CheckFlags(__func__, flags, 0);
  if (status == ACL_SUCCESS) status = CheckProperties(__func__, size, *prop);
  if (status != ACL_SUCCESS) return status;
  if (contexts::ResolveContext(__func__) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  return memory::AllocatePhysical(__func__, size, *prop, handle);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  const ApiCall api_call(__func__);
  if (handle == nullptr) return NullArgument(__func__, "handle");
  return memory::FreePhysical(__func__, handle);
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullArgument(__func__, "virPtr");
  if (handle == nullptr) return NullArgument(__func__, "handle");
  aclError status = CheckSize(__func__, size);
  if (status == ACL_SUCCESS) status = CheckFlags(__func__, flags, 0);
  if (status != ACL_SUCCESS) return status;
  if (offset != 0) return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'offset': expected 0, got {}", __func__, offset);
  if (contexts::ResolveContext(__func__) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  return memory::MapPhysical(__func__, virPtr, size, handle);
}

aclError aclrtUnmapMem(void* virPtr) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullArgument(__func__, "virPtr");
  return memory::UnmapPhysical(__func__, virPtr);
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity) {
  const ApiCall api_call(__func__);
  if (prop == nullptr) return NullArgument(__func__, "prop");
  if (granularity == nullptr) return NullArgument(__func__, "granularity");
  const int number = EnumNumber(option);
  if (number != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && number != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'option': expected 0 or 1, got {}", __func__, number);
  const size_t found = GranularityOf(EnumNumber(prop->memAttr));
  if (found == 0) return BadProperty(__func__, "memAttr", "a kind with huge pages", EnumNumber(prop->memAttr));
  *granularity = found;
  return ACL_SUCCESS;
}

aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullRuntimeArgument(__func__, "virPtr");
  if (desc == nullptr) return NullRuntimeArgument(__func__, "desc");
  if (size == 0 || count == 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: arguments 'size' and 'count': expected positive numbers, got {} and {}", __func__, size, count);
  }
  // One entry for each device and one for the host.
  const auto most = static_cast<size_t>(devices::DeviceCount()) + 1;
  if (count > most) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'count': expected at most the {} places that access memory, got {}", __func__, most,
                 count);
  }
  if (!memory::IsMapped(virPtr, size)) return NotMapped(__func__, virPtr);
  for (size_t index = 0; index < count; ++index) {
    const int flags = EnumNumber(desc[index].flags);
    if (flags == ACL_RT_MEM_ACCESS_FLAGS_READWRITE) continue;
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: argument 'desc': expected flags 3 (read and write), the only access this device has, got {}",
                 __func__, flags);
  }
  return ACL_SUCCESS;
}

aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullRuntimeArgument(__func__, "virPtr");
  if (location == nullptr) return NullRuntimeArgument(__func__, "location");
  if (flag == nullptr) return NullRuntimeArgument(__func__, "flag");
  if (!memory::IsMapped(virPtr, 1)) return NotMapped(__func__, virPtr);
  *flag = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  return ACL_SUCCESS;
}

aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  const ApiCall api_call(__func__);
  if (virPtr == nullptr) return NullArgument(__func__, "virPtr");
  if (handle == nullptr) return NullArgument(__func__, "handle");
  return memory::RetainMapped(__func__, virPtr, handle);
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
  const ApiCall api_call(__func__);
  if (handle == nullptr) return NullArgument(__func__, "handle");
  if (prop == nullptr) return NullArgument(__func__, "prop");
  return memory::PhysicalProperties(__func__, handle, prop);
}
