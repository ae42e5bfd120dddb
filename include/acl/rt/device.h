// SPDX-License-Identifier: Apache-2.0
// Devices and contexts. A device has one primary context, counted by aclrtSetDevice and aclrtResetDevice; further
// contexts are created explicitly. Each context has its own default stream.
#ifndef PORTACL_INCLUDE_ACL_RT_DEVICE_H_
#define PORTACL_INCLUDE_ACL_RT_DEVICE_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Schedulers of a device.
typedef enum aclrtTsId { ACL_TS_ID_AICORE = 0, ACL_TS_ID_AIVECTOR = 1, ACL_TS_ID_RESERVED = 2 } aclrtTsId;

/// Properties of a device as numbers. Two values have two spellings.
typedef enum aclrtDevAttr {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_WARP_SIZE = 202,
  ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
  ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
  ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
  ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
  ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
  ACL_DEV_ATTR_SMP_ID = 401,
  ACL_DEV_ATTR_PHY_CHIP_ID = 402,
  ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
  ACL_DEV_ATTR_SUPER_POD_ID = 405,
  ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
  ACL_DEV_ATTR_MAINBOARD_ID = 407,
  ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
  ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
  ACL_DEV_ATTR_IS_VIRTUAL = 501,
  ACL_DEV_ATTR_NPU_ARCH = 601
} aclrtDevAttr;

/// Features a device may have; the answer is ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT.
typedef enum aclrtDevFeatureType {
  ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
  ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21
} aclrtDevFeatureType;
#define ACL_DEV_FEATURE_SUPPORT 1
#define ACL_DEV_FEATURE_NOT_SUPPORT 0

/// Core counts that can be limited.
typedef enum aclrtDevResLimitType { ACL_RT_DEV_RES_CUBE_CORE = 0, ACL_RT_DEV_RES_VECTOR_CORE = 1 } aclrtDevResLimitType;

/// Health of a device.
typedef enum aclrtDeviceStatus {
  ACL_RT_DEVICE_STATUS_NORMAL = 0,
  ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
  ACL_RT_DEVICE_STATUS_END = 0xffff
} aclrtDeviceStatus;

/// Moments at which a device callback is called.
typedef enum aclrtDeviceState {
  ACL_RT_DEVICE_STATE_SET_PRE = 0,
  ACL_RT_DEVICE_STATE_SET_POST = 1,
  ACL_RT_DEVICE_STATE_RESET_PRE = 2,
  ACL_RT_DEVICE_STATE_RESET_POST = 3
} aclrtDeviceState;

/// Sizes that can be limited.
typedef enum aclrtDeviceLimit {
  ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
  ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
  ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
  ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
  ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4
} aclrtDeviceLimit;

/// Links between two devices, as a mask.
#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x1ULL
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x2ULL
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x4ULL
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x8ULL
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

/// Link between host and device: values of ACL_DEV_ATTR_HD_CONNECT_TYPE.
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2

/// How a device is built in: values of ACL_DEV_ATTR_DEVICE_FORM_FACTOR.
#define ACL_DEVICE_FORM_FACTOR_POD 0
#define ACL_DEVICE_FORM_FACTOR_A_K 1
#define ACL_DEVICE_FORM_FACTOR_A_X 2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3

/// Opaque: reserved for later fields of aclrtUtilizationInfo.
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/// Load of a device in percent; -1 if unknown.
typedef struct aclrtUtilizationInfo {
  int32_t cubeUtilization;
  int32_t vectorUtilization;
  int32_t aicpuUtilization;
  int32_t memoryUtilization;
  aclrtUtilizationExtendInfo* utilizationExtend;  ///< NULL
} aclrtUtilizationInfo;

/// Identity of a device.
typedef struct aclrtUuid {
  char bytes[16];
} aclrtUuid;

/// Called before and after aclrtSetDevice and aclrtResetDevice.
typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void* args);

/// Makes `deviceId` the calling thread's device: creates its primary context on first use, adds one reference, binds
/// the thread to it and replaces a context that was set explicitly.
///
/// deviceId  in  0 .. count - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID (out of range). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/// Drops one reference. The last one waits for all work and destroys the primary context with its streams. Memory stays
/// allocated until it is freed.
///
/// deviceId  in  0 .. count - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_CONTEXT_RELEASE_ERROR (no reference is held).
/// Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/// Does the same as the last aclrtResetDevice, whatever the number of references.
///
/// deviceId  in  0 .. count - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_CONTEXT_RELEASE_ERROR (no reference is held).
/// Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/// Device of the calling thread's current context, otherwise the default device of aclInit's configuration.
///
/// deviceId  out  its number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);

/// Number of visible devices; ASCEND_RT_VISIBLE_DEVICES restricts it.
///
/// count  out  number of devices.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_NO_DEVICE (none). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);

/// Waits for every stream of the current context, including the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; the first error of work on those streams. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/// aclrtSynchronizeDevice with a limit. Work continues after a timeout.
///
/// timeout  in  ms; -1 waits without a limit.
///
/// Returns as aclrtSynchronizeDevice; ACL_ERROR_RT_PARAM_INVALID (timeout 0 or below -1);
/// ACL_ERROR_RT_STREAM_SYNC_TIMEOUT. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/// Creates a further context on a device, with its own default stream; it becomes current for the calling thread.
///
/// context   out  the context; free it with aclrtDestroyContext.
/// deviceId  in   0 .. count - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);

/// Waits for and destroys a context of aclrtCreateContext and its streams. Threads in which it was current have no
/// context afterwards.
///
/// context  in  not a primary context.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID or ACL_ERROR_RT_CONTEXT_NULL
/// (primary, destroyed or no context). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/// Sets the calling thread's current context. One context may be current in many threads.
///
/// context  in  a live context.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID or ACL_ERROR_RT_CONTEXT_NULL
/// (destroyed or no context). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/// Current context of the calling thread; it may be a primary context.
///
/// context  out  the context.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);

/// Registers a function that is called before and after a device is set and reset.
///
/// regName   in  its name; another function of that name is replaced.
/// callback  in  the function; NULL removes it.
/// args      in  passed to `callback`; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null regName). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback,
                                                         void* args);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_DEVICE_H_
