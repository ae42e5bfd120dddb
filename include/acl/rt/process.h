// SPDX-License-Identifier: Apache-2.0
// Process-wide services: opening and closing the library, error texts, options, versions.
#ifndef PORTACL_INCLUDE_ACL_RT_PROCESS_H_
#define PORTACL_INCLUDE_ACL_RT_PROCESS_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room of the texts of aclCANNPackageVersion, in bytes.
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/// Whether the program runs on the device or on a host beside it.
typedef enum aclrtRunMode { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

/// Options of numerical behaviour. ACL_OPT_DETERMINISTIC takes 0 off, 1 deterministic, 2 strong consistency, 3 batch
/// consistency; the others take 0 or 1. Level 2 replaces ACL_OPT_STRONG_CONSISTENCY.
typedef enum aclSysParamOpt {
  ACL_OPT_DETERMINISTIC = 0,
  ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
  ACL_OPT_STRONG_CONSISTENCY = 2,
  ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

/// What a float overflow gives.
typedef enum aclrtFloatOverflowMode {
  ACL_RT_OVERFLOW_MODE_SATURATION = 0,
  ACL_RT_OVERFLOW_MODE_INFNAN = 1,
  ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;

/// Properties of the toolkit.
typedef enum aclCannAttr {
  ACL_CANN_ATTR_UNDEFINED = -1,
  ACL_CANN_ATTR_INF_NAN = 0,
  ACL_CANN_ATTR_BF16 = 1,
  ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

/// Properties of a device.
typedef enum aclDeviceInfo {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
  ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

/// Scope of the last error.
typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

/// Parts of the toolkit that have a version.
typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

/// Components that may register a callback of aclInit and aclFinalize.
typedef enum aclRegisterCallbackType {
  ACL_REG_TYPE_ACL_MODEL = 0,
  ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
  ACL_REG_TYPE_ACL_OP_CBLAS = 2,
  ACL_REG_TYPE_ACL_OP_COMPILER = 3,
  ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
  ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
  ACL_REG_TYPE_ACL_DVPP = 6,
  ACL_REG_TYPE_ACL_RETR = 7,
  ACL_REG_TYPE_OTHER = 0xffff
} aclRegisterCallbackType;

/// State of a process with respect to snapshots.
typedef enum aclrtProcessState { ACL_RT_PROCESS_STATE_RUNNING = 0, ACL_RT_PROCESS_STATE_LOCKED = 1 } aclrtProcessState;

/// Version of one part of the toolkit, as texts.
typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/// Called by aclInit with the text of its configuration.
typedef aclError (*aclInitCallbackFunc)(const char* configStr, size_t len, void* userData);
/// Called by aclFinalize.
typedef aclError (*aclFinalizeCallbackFunc)(void* userData);

/// Opens the library for the process. The first call does the work, later calls only count. Every other function
/// works without it.
///
/// configPath  in  NULL, "" or the path of a JSON file. Keys that count: "err_msg_mode" ("0" error texts per thread,
///                 "1" one list for the process) and "defaultDevice": {"default_device": "<n>"}.
///
/// Returns ACL_SUCCESS; ACL_ERROR_REPEAT_INITIALIZE (already open; the count still rises); ACL_ERROR_INVALID_FILE
/// (cannot be opened); ACL_ERROR_PARSE_FILE (not JSON); ACL_ERROR_INVALID_PARAM (err_msg_mode is neither, or the
/// content differs from the one the process started with). Threads: process.
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

/// Closes the library whatever the count is. Devices, streams and memory stay as they are.
///
/// Returns ACL_SUCCESS, also in a process that never called aclInit; ACL_ERROR_REPEAT_FINALIZE when already closed.
/// Threads: process.
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/// Drops one reference of aclInit; at 0 does what aclFinalize does.
///
/// refCount  out  references left; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE when there was none. Threads: process.
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

/// Takes the texts of the errors that the calling thread recorded since its last call, newest first, one per line.
///
/// Returns NULL when nothing new was recorded. The text belongs to the thread and is valid until it calls again; never
/// free it. Threads: thread, or one list for the process when aclInit was told so.
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

/// Name of the product that is imitated, for example "Ascend910B1". The variable PORTACL_SOC sets it.
///
/// Returns a text that lives as long as the process, never NULL. Threads: process.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);

/// Version of this interface: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION.
///
/// majorVersion, minorVersion, patchVersion  out  the three numbers.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (a pointer is null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);

/// Where the program runs relative to the device.
///
/// runMode  out  ACL_HOST.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

/// Takes the last runtime error (107xxx, 207xxx or 507xxx) of the calling thread and clears it. Successful calls do not
/// clear it; argument errors such as ACL_ERROR_INVALID_PARAM are not kept.
///
/// level  in  ACL_RT_THREAD_LEVEL.
///
/// Returns the code, 0 when there is none; ACL_ERROR_INVALID_PARAM (another level). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/// Like aclrtGetLastError, but leaves the error in place.
///
/// level  in  ACL_RT_THREAD_LEVEL.
///
/// Returns the code, 0 when there is none; ACL_ERROR_INVALID_PARAM (another level). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/// Sets an option for the whole process. Phase 1 of every operator reads it.
///
/// opt    in  any aclSysParamOpt.
/// value  in  0..3 for ACL_OPT_DETERMINISTIC, else 0 or 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (unknown option); ACL_ERROR_RT_PARAM_INVALID (value out of range).
/// Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/// Reads an option of the process.
///
/// opt    in   any aclSysParamOpt.
/// value  out  what was set last; 0 at first.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (unknown option, null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/// Sets an option of the current context and, with it, that of the process.
///
/// opt    in  any aclSysParamOpt but ACL_OPT_ENABLE_KERNEL_EARLY_START.
/// value  in  as for aclrtSetSysParamOpt.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (option); ACL_ERROR_RT_PARAM_INVALID (value);
/// ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/// Reads an option of the current context.
///
/// opt    in   as for aclrtCtxSetSysParamOpt.
/// value  out  what was set last in this context.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (option, null); ACL_ERROR_RT_SYSPARAMOPT_NOT_SET (never set in this
/// context); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_PROCESS_H_
