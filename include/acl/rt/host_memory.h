// SPDX-License-Identifier: Apache-2.0
// Ordinary host memory that is registered for use by the device, at the same address.
#ifndef PORTACL_INCLUDE_ACL_RT_HOST_MEMORY_H_
#define PORTACL_INCLUDE_ACL_RT_HOST_MEMORY_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How host memory is registered. ACL_HOST_REG_MAPPED and ACL_HOST_REGISTER_MAPPED have different values.
typedef enum aclrtHostRegisterType {
  ACL_HOST_REGISTER_MAPPED = 0,
  ACL_HOST_REGISTER_IOMEMORY = 4,
  ACL_HOST_REGISTER_READONLY = 8
} aclrtHostRegisterType;
#define ACL_HOST_REG_MAPPED 0x2U
#define ACL_HOST_REG_IOMEMORY 0x4U
#define ACL_HOST_REG_READONLY 0x8U
#define ACL_HOST_REG_PINNED 0x10000000U

/// Whether an engine can access host memory.
typedef enum aclrtHostMemMapCapability {
  ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
  ACL_RT_HOST_MEM_MAP_SUPPORTED = 1
} aclrtHostMemMapCapability;

/// Engines of a device.
typedef enum aclrtHacType {
  ACL_RT_HAC_TYPE_STARS = 0,
  ACL_RT_HAC_TYPE_AICPU = 1,
  ACL_RT_HAC_TYPE_AIC = 2,
  ACL_RT_HAC_TYPE_AIV = 3,
  ACL_RT_HAC_TYPE_PCIEDMA = 4,
  ACL_RT_HAC_TYPE_RDMA = 5,
  ACL_RT_HAC_TYPE_SDMA = 6,
  ACL_RT_HAC_TYPE_DVPP = 7,
  ACL_RT_HAC_TYPE_UDMA = 8,
  ACL_RT_HAC_TYPE_CCU = 9
} aclrtHacType;

/// Registers host memory, so that copies from and to it are queued like those of aclrtMallocHost.
///
/// ptr     in   address.
/// size    in   bytes, not 0.
/// type    in   mask of ACL_HOST_REGISTER_*.
/// devPtr  out  its address on the device: `ptr`.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, size 0); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (type);
/// ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED (overlaps registered memory); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr);

/// aclrtHostRegister without the address.
///
/// ptr, size  in  as there.
/// flag       in  mask of ACL_HOST_REG_*.
///
/// Returns as aclrtHostRegister; ACL_ERROR_RT_PARAM_INVALID (flag). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);

/// Address on the device of registered or page-locked host memory.
///
/// pHost    in   address of host memory.
/// pDevice  out  the same address.
/// flag     in   0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, flag); ACL_ERROR_HOST_MEMORY_NOT_REGISTERED;
/// ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag);

/// Undoes aclrtHostRegister.
///
/// ptr  in  the registered address.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_HOST_MEMORY_NOT_REGISTERED;
/// ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void* ptr);

/// Whether an engine of a device can access such memory. All of them can.
///
/// deviceId      in   0 .. count - 1.
/// hacType       in   the engine.
/// capabilities  out  ACL_RT_HOST_MEM_MAP_SUPPORTED.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such engine); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no
/// context.
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                                         aclrtHostMemMapCapability* capabilities);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_HOST_MEMORY_H_
