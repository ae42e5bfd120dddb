// SPDX-License-Identifier: Apache-2.0
// Process-wide services: opening and closing the library, error texts.
#ifndef PORTACL_INCLUDE_ACL_RT_PROCESS_H_
#define PORTACL_INCLUDE_ACL_RT_PROCESS_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the program runs on the device or on a host beside it.
typedef enum aclrtRunMode { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

/// Scope of the last error.
typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

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

/// Called by aclInit with the text of its configuration.
typedef aclError (*aclInitCallbackFunc)(const char* configStr, size_t len, void* userData);
/// Called by aclFinalize.
typedef aclError (*aclFinalizeCallbackFunc)(void* userData);

/// Opens the library for the process. The first call initializes it, later calls only increment the count. Every other
/// function works without it.
///
/// configPath  in  NULL, "" or the path of a JSON file. Keys that are read: "err_msg_mode" ("0" error texts per thread,
///                 "1" one list for the process) and "defaultDevice": {"default_device": "<n>"}.
///
/// Returns ACL_SUCCESS; ACL_ERROR_REPEAT_INITIALIZE (already open; the count still increases); ACL_ERROR_INVALID_FILE
/// (cannot be opened); ACL_ERROR_PARSE_FILE (not JSON); ACL_ERROR_INVALID_PARAM (err_msg_mode is neither, or the
/// content differs from the one the process started with). Threads: process.
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

/// Closes the library, whatever the count. Devices, streams and memory are not affected.
///
/// Returns ACL_SUCCESS, also in a process that never called aclInit; ACL_ERROR_REPEAT_FINALIZE when already closed.
/// Threads: process.
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/// Drops one reference of aclInit; at 0 it closes the library like aclFinalize.
///
/// refCount  out  references left; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE when there was none. Threads: process.
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

/// Returns and clears the texts of the errors that the calling thread recorded since its last call, newest first, one
/// per line.
///
/// Returns NULL when nothing new was recorded. The text belongs to the thread and is valid until its next call; it must
/// not be freed. Threads: thread, or one list for the process when the file of aclInit says so.
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

/// Name of the emulated SoC, for example "Ascend910B1". The variable PORTACL_SOC sets it.
///
/// Returns a text that is valid as long as the process lives, never NULL. Threads: process.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);

/// Version of this interface: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION.
///
/// majorVersion, minorVersion, patchVersion  out  the three numbers.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (a pointer is null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);

/// Whether the program runs on the device or on the host.
///
/// runMode  out  ACL_HOST.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

/// Returns and clears the last runtime error (107xxx, 207xxx or 507xxx) of the calling thread. Successful calls do not
/// clear it; argument errors such as ACL_ERROR_INVALID_PARAM are not recorded.
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

/// Registers a function that aclInit calls with the text of its configuration. If the library is already open, it is
/// called immediately. aclInit, or this function, returns its result.
///
/// type      in  the component. Each has at most one function, ACL_REG_TYPE_OTHER any number.
/// cbFunc    in  the function.
/// userData  in  passed to `cbFunc`; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null cbFunc, no such type); ACL_ERROR_INTERNAL_ERROR (the component
/// has one). Threads: process.
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                                     void* userData);

/// Undoes aclInitCallbackRegister.
///
/// type, cbFunc  in  as for aclInitCallbackRegister.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such type); ACL_ERROR_INTERNAL_ERROR (not registered).
/// Threads: process.
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);

/// Registers a function that is called when the library closes.
///
/// type, cbFunc, userData  in  as for aclInitCallbackRegister.
///
/// Returns as aclInitCallbackRegister. Threads: process.
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                                         void* userData);

/// Undoes aclFinalizeCallbackRegister.
///
/// type, cbFunc  in  as for aclFinalizeCallbackRegister.
///
/// Returns as aclInitCallbackUnRegister. Threads: process.
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                           aclFinalizeCallbackFunc cbFunc);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_PROCESS_H_
