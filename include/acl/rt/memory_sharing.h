// SPDX-License-Identifier: Apache-2.0
// Types of virtual address ranges, of memory and events shared between processes, and of atomic access to peers.
// This version exports no function for them.
#ifndef PORTACL_INCLUDE_ACL_RT_MEMORY_SHARING_H_
#define PORTACL_INCLUDE_ACL_RT_MEMORY_SHARING_H_

#include "acl/rt/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: physical memory that can be mapped.
typedef void* aclrtDrvMemHandle;

/// How physical memory can be handed to another process.
typedef enum aclrtMemHandleType { ACL_MEM_HANDLE_TYPE_NONE = 0, ACL_MEM_HANDLE_TYPE_POSIX = 2 } aclrtMemHandleType;

/// Whether physical memory may move.
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

/// Page sizes.
typedef enum aclrtMemPgType { NORMAL_PAGE_TYPE = 0, HUGE_PAGE_TYPE = 1, HUGE1G_PAGE_TYPE = 2 } aclrtMemPgType;

/// Kinds of memory.
typedef enum aclrtMemType { HBM_TYPE = 0, DDR_TYPE = 1, P2P_HBM_TYPE = 2, P2P_DDR_TYPE = 3 } aclrtMemType;

/// Attributes of memory shared between processes.
typedef enum aclrtIpcMemAttrType { ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0 } aclrtIpcMemAttrType;

/// How a handle of shared memory travels.
typedef enum aclrtMemSharedHandleType {
  ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
  ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2
} aclrtMemSharedHandleType;

/// Links over which a peer's memory is reached.
typedef enum aclrtMemLinkType {
  ACL_RT_MEM_ACCESS_LINK_SIO = 0,
  ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
  ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
  ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3
} aclrtMemLinkType;

/// What an atomic operation on a peer's memory can do, as a mask. One value has two spellings.
typedef enum aclrtAtomicOperationCapability {
  ACL_RT_ATOMIC_CAPABILITY_SIGNED = 1,
  ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 2,
  ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,
  ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 8,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 16,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 32,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 64,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 128,
  ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 0x100
} aclrtAtomicOperationCapability;

/// Atomic operations on a peer's memory.
typedef enum aclrtAtomicOperation {
  ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
  ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
  ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
  ACL_RT_ATOMIC_OPERATION_AND = 5,
  ACL_RT_ATOMIC_OPERATION_OR = 6,
  ACL_RT_ATOMIC_OPERATION_XOR = 7,
  ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
  ACL_RT_ATOMIC_OPERATION_CAS = 9,
  ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
  ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
  ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
  ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44
} aclrtAtomicOperation;

/// Flags of sharing notifies, memory and physical memory between processes.
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0U
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x2U
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0U
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x2U
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0U
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1U
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0U
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1U
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0U
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1U

/// Links over which shared memory is reached.
#define ACL_RT_MEM_LINK_IDX_0 0x0U
#define ACL_RT_MEM_LINK_IDX_1 0x1U
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0x0U
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 0x1U
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 0x2U
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 0x3U

/// Bytes of aclrtIpcEventHandle.
#define ACL_IPC_EVENT_HANDLE_SIZE 0x40

/// Wanted physical memory.
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;

/// Access of one place to a mapped range.
typedef struct aclrtMemAccessDesc {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

/// An event of another process.
typedef struct aclrtIpcEventHandle {
  char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/// Processes of another server that may import memory.
typedef struct aclrtServerPid {
  uint32_t sdid;
  int32_t* pid;
  size_t num;
} aclrtServerPid;

/// Memory shared over a fabric.
typedef struct aclrtMemFabricHandle {
  uint8_t data[128];
} aclrtMemFabricHandle;

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_MEMORY_SHARING_H_
