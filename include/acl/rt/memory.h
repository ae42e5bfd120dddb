// SPDX-License-Identifier: Apache-2.0
// Memory: allocation, copies, fills.
#ifndef PORTACL_INCLUDE_ACL_RT_MEMORY_H_
#define PORTACL_INCLUDE_ACL_RT_MEMORY_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Direction of a copy. The last two exist for descriptors only.
typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE = 1,
  ACL_MEMCPY_DEVICE_TO_HOST = 2,
  ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
  ACL_MEMCPY_DEFAULT = 4,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/// Kind of the requested pages: hints.
typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY = 1,
  ACL_MEM_MALLOC_NORMAL_ONLY = 2,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
  ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
  ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

/// Kinds of memory whose size can be queried.
typedef enum aclrtMemAttr {
  ACL_DDR_MEM = 0,
  ACL_HBM_MEM = 1,
  ACL_DDR_MEM_HUGE = 2,
  ACL_DDR_MEM_NORMAL = 3,
  ACL_HBM_MEM_HUGE = 4,
  ACL_HBM_MEM_NORMAL = 5,
  ACL_DDR_MEM_P2P_HUGE = 6,
  ACL_DDR_MEM_P2P_NORMAL = 7,
  ACL_HBM_MEM_P2P_HUGE = 8,
  ACL_HBM_MEM_P2P_NORMAL = 9,
  ACL_HBM_MEM_HUGE1G = 10,
  ACL_HBM_MEM_P2P_HUGE1G = 11,
  ACL_MEM_NORMAL = 12,
  ACL_MEM_HUGE = 13,
  ACL_MEM_HUGE1G = 14,
  ACL_MEM_P2P_NORMAL = 15,
  ACL_MEM_P2P_HUGE = 16,
  ACL_MEM_P2P_HUGE1G = 17
} aclrtMemAttr;

/// Attributes of an allocation.
typedef enum aclrtMallocAttrType {
  ACL_RT_MEM_ATTR_RSV = 0,
  ACL_RT_MEM_ATTR_MODULE_ID = 1,
  ACL_RT_MEM_ATTR_DEVICE_ID = 2,
  ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

/// Location of memory.
typedef enum aclrtMemLocationType {
  ACL_MEM_LOCATION_TYPE_HOST = 0,
  ACL_MEM_LOCATION_TYPE_DEVICE = 1,
  ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
  ACL_MEM_LOCATION_TYPE_MANAGED = 3,
  ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;

/// Location of managed memory.
typedef enum aclrtMemManagedLocationType {
  ACL_MEM_LOCATIONTYPE_INVALID = 0,
  ACL_MEM_LOCATIONTYPE_DEVICE = 1,
  ACL_MEM_LOCATIONTYPE_HOST = 2,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4
} aclrtMemManagedLocationType;

/// Advice about managed memory.
typedef enum aclrtMemManagedAdviseType {
  ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
  ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
  ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
  ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
  ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
  ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5
} aclrtMemManagedAdviseType;

/// Attributes of a range of managed memory.
typedef enum aclrtMemManagedRangeAttribute {
  ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8
} aclrtMemManagedRangeAttribute;

/// Flag of managed memory: any stream may use it.
#define ACL_RT_MEM_ATTACH_GLOBAL 0x1U

/// Use of memory, as a mask.
#define ACL_RT_MEM_TYPE_DEV 0x2U
#define ACL_RT_MEM_TYPE_DVPP 0x8U
#define ACL_RT_MEM_TYPE_RSVD 0x10U

/// Cache maintenance.
typedef enum aclrtCmoType {
  ACL_RT_CMO_TYPE_PREFETCH = 0,
  ACL_RT_CMO_TYPE_WRITEBACK = 1,
  ACL_RT_CMO_TYPE_INVALID = 2,
  ACL_RT_CMO_TYPE_FLUSH = 3
} aclrtCmoType;
/// Maximum number of barriers in one task.
#define ACL_RT_CMO_MAX_BARRIER_NUM 0x6U
/// Opaque: barriers of cache maintenance.
typedef struct aclrtBarrierTaskInfo aclrtBarrierTaskInfo;

/// Value of one aclrtMallocAttrType.
typedef union aclrtMallocAttrValue {
  uint16_t moduleId;
  uint32_t deviceId;
  uint32_t vaFlag;
  uint8_t rsv[8];
} aclrtMallocAttrValue;

/// One attribute of an allocation.
typedef struct aclrtMallocAttribute {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;

/// Attributes of an allocation.
typedef struct aclrtMallocConfig {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;

/// A location of memory; `id` is a device or a NUMA node.
typedef struct aclrtMemLocation {
  uint32_t id;
  aclrtMemLocationType type;
} aclrtMemLocation;

/// A location of managed memory.
typedef struct aclrtMemManagedLocation {
  aclrtMemManagedLocationType type;
  int32_t id;
} aclrtMemManagedLocation;

/// The attributes of a pointer.
typedef struct aclrtPtrAttributes {
  aclrtMemLocation location;
  uint32_t pageSize;  ///< bytes
  uint32_t rsv[4];
} aclrtPtrAttributes;

/// Memory in use by one module, in bytes.
typedef struct aclrtMemUsageInfo {
  char name[32];
  uint64_t curMemSize;
  uint64_t memPeakSize;
  size_t reserved[8];
} aclrtMemUsageInfo;

/// Allocates device memory with undefined content.
///
/// devPtr  out  address, a multiple of 64. At least 32 bytes past `size`, rounded up to 32, may be read.
/// size    in   bytes, not 0.
/// policy  in   a hint; any value.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, size 0); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_MEMORY_ALLOCATION (out of memory). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/// aclrtMalloc without the additional 32 bytes: the block ends at `size` rounded up to 32.
///
/// devPtr  out  address, a multiple of 64.
/// size    in   bytes, not 0.
/// policy  in   a hint; any value.
///
/// Returns as aclrtMalloc. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/// aclrtMalloc; all memory is cached.
///
/// devPtr, size, policy  as there.
///
/// Returns as there. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/// aclrtMallocAlign32 with attributes.
///
/// devPtr, size, policy  as there.
/// cfg                   in  attributes, which are hints; NULL for none.
///
/// Returns as there; ACL_ERROR_RT_PARAM_INVALID (cfg with an unknown attribute). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg);

/// aclrtMallocWithCfg, for memory that the scheduler of tasks shares; here there is no difference.
///
/// devPtr, size, policy, cfg  as there.
///
/// Returns as there. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                         aclrtMallocConfig* cfg);

/// Frees device memory. Does not wait for streams that still use it.
///
/// devPtr  in  exactly the address from aclrtMalloc or aclrtMallocAlign32.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (unknown or already freed).
/// Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);

/// Allocates page-locked host memory that host and device can use.
///
/// hostPtr  out  address, a multiple of 64.
/// size     in   bytes, not 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, size 0); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_MEMORY_ALLOCATION. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);

/// Frees page-locked host memory.
///
/// hostPtr  in  exactly the address from aclrtMallocHost.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (unknown or already freed).
/// Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);

/// aclrtMallocHost with attributes.
///
/// ptr, size  as there.
/// cfg        in  attributes, which are hints; NULL for none.
///
/// Returns as there; ACL_ERROR_RT_PARAM_INVALID (cfg with an unknown attribute). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg);

/// Waits for all streams of the current context, then frees device memory.
///
/// devPtr  in  as for aclrtFree.
///
/// Returns as there; ACL_ERROR_RT_CONTEXT_NULL; the error of failed work. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void* devPtr);

/// Waits for all streams of the current context, then frees page-locked host memory.
///
/// hostPtr  in  as for aclrtFreeHost.
///
/// Returns as there; ACL_ERROR_RT_CONTEXT_NULL; the error of failed work. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void* hostPtr);

/// Copies and returns when done. Not ordered relative to any stream: synchronize first.
///
/// dst, src  in  addresses; the ranges must not overlap.
/// destMax   in  size of `dst` in bytes.
/// count     in  bytes to copy, at most `destMax`; 0 succeeds before any other check.
/// kind      in  ACL_MEMCPY_HOST_TO_HOST .. ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; otherwise a hint.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, kind); ACL_ERROR_RT_PARAM_INVALID (count above destMax, or a
/// range that leaves its block of memory or lies in freed memory); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                         aclrtMemcpyKind kind);

/// Queues a copy. With ordinary host memory, which is neither registered nor from aclrtMallocHost, it waits for the
/// stream and copies before it returns, so that the host memory may be reused immediately.
///
/// dst, destMax, src, count, kind  in  as for aclrtMemcpy.
/// stream                          in  NULL is the default stream.
///
/// Returns as aclrtMemcpy; ACL_ERROR_RT_FEATURE_NOT_SUPPORT (both addresses are host memory);
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                                              aclrtMemcpyKind kind, aclrtStream stream);

/// Fills bytes and returns when done. Not ordered relative to any stream.
///
/// devPtr    in  address.
/// maxCount  in  size of `devPtr` in bytes.
/// value     in  the byte; higher bits are dropped.
/// count     in  bytes to fill, at most `maxCount`; 0 succeeds before any other check.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (count above maxCount, or a range
/// that leaves its block of memory or lies in freed memory); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);

/// Queues a fill.
///
/// devPtr, maxCount, value, count  in  as for aclrtMemset.
/// stream                          in  NULL is the default stream.
///
/// Returns as aclrtMemset; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_MEMORY_H_
