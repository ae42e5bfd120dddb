// SPDX-License-Identifier: Apache-2.0
// Address space, and physical memory that is mapped into it separately, so that an allocator can grow a block in place.
// Order: reserve, allocate, map; then unmap, free, release.
#ifndef PORTACL_INCLUDE_ACL_RT_VIRTUAL_MEMORY_H_
#define PORTACL_INCLUDE_ACL_RT_VIRTUAL_MEMORY_H_

#include "acl/rt/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: physical memory that can be mapped.
typedef void* aclrtDrvMemHandle;

/// How physical memory can be passed to another process.
typedef enum aclrtMemHandleType { ACL_MEM_HANDLE_TYPE_NONE = 0, ACL_MEM_HANDLE_TYPE_POSIX = 2 } aclrtMemHandleType;

/// Whether physical memory may be moved.
typedef enum aclrtMemAllocationType { ACL_MEM_ALLOCATION_TYPE_PINNED = 0 } aclrtMemAllocationType;

/// Granularity of physical memory.
typedef enum aclrtMemGranularityOptions {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xffff
} aclrtMemGranularityOptions;

/// Access to a mapped range.
typedef enum aclrtMemAccessFlags {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
  ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
  ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3
} aclrtMemAccessFlags;

/// Properties of requested physical memory.
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;

/// Access of one location to a mapped range.
typedef struct aclrtMemAccessDesc {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

/// Reserves address space without memory.
///
/// virPtr      out  its beginning, a multiple of 2 MiB.
/// size        in   bytes, not 0.
/// alignment   in   0.
/// expectPtr   in   NULL.
/// flags       in   0 or 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, size 0, or another alignment, expectPtr or flags);
/// ACL_ERROR_RT_MEMORY_ALLOCATION (no such space is left). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                                    uint64_t flags);

/// Releases address space.
///
/// virPtr  in  of aclrtReserveMemAddress, with nothing mapped into it.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (not reserved, or something is
/// mapped). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void* virPtr);

/// Allocates physical memory.
///
/// handle  out  the memory; free it with aclrtFreePhysical.
/// size    in   bytes, a multiple of the granularity.
/// prop    in   handleType ACL_MEM_HANDLE_TYPE_NONE, allocationType ACL_MEM_ALLOCATION_TYPE_PINNED, memAttr of huge
///              pages, location a device.
/// flags   in   0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, or other values); ACL_ERROR_RT_INVALID_DEVICEID;
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION (out of memory). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                                                 const aclrtPhysicalMemProp* prop, uint64_t flags);

/// Frees physical memory. Mapped memory stays usable until it is unmapped.
///
/// handle  in  of aclrtMallocPhysical or aclrtMemRetainAllocationHandle, once per handle.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/// Maps physical memory into reserved address space. For operators and copies, adjacent mappings are one block.
///
/// virPtr  in  in a reserved range, a multiple of the granularity.
/// size    in  bytes, the size of the physical memory.
/// offset  in  0.
/// handle  in  of aclrtMallocPhysical.
/// flags   in  0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, size 0, offset, flags); ACL_ERROR_RT_PARAM_INVALID (another
/// size, not reserved, or something is mapped there); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                         uint64_t flags);

/// Undoes aclrtMapMem.
///
/// virPtr  in  the mapped address.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (nothing is mapped there). Threads:
/// no context.
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void* virPtr);

/// The granularity of physical memory: sizes and addresses are multiples of it.
///
/// prop         in   only memAttr is used, which names huge pages; not NULL.
/// option       in   ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or ..._RECOMMENDED.
/// granularity  out  2 MiB, 1 GiB for the kinds that end in HUGE1G.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, another memAttr or option). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                                              aclrtMemGranularityOptions option, size_t* granularity);

/// Sets the access to a mapped range. Only read and write access together is supported.
///
/// virPtr, size  in  a mapped range.
/// desc          in  `count` descriptions, each with ACL_RT_MEM_ACCESS_FLAGS_READWRITE.
/// count         in  not 0, at most one for each device and one for the host.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, count, not mapped); ACL_ERROR_RT_FEATURE_NOT_SUPPORT
/// (other access). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count);

/// The access to a mapped address.
///
/// virPtr    in   a mapped address.
/// location  in   the accessing location; any.
/// flag      out  ACL_RT_MEM_ACCESS_FLAGS_READWRITE.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, not mapped). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag);

/// The physical memory of a mapped address, with an additional reference.
///
/// virPtr  in   a mapped address.
/// handle  out  the memory; release the reference with aclrtFreePhysical.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (not mapped). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle);

/// The properties with which the physical memory was allocated.
///
/// handle  in   of aclrtMallocPhysical.
/// prop    out  its properties.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                                       aclrtPhysicalMemProp* prop);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_VIRTUAL_MEMORY_H_
