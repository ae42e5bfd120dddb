// SPDX-License-Identifier: Apache-2.0
// Functions rt*, a layer below the runtime in CANN, which libraries bind when they are loaded. Here they call the
// functions aclrt*, whose statuses and messages they return. acl.h does not include this header: clients declare these
// functions themselves, with types of their own.
#ifndef PORTACL_INCLUDE_ACL_RT_RT_FUNCTIONS_H_
#define PORTACL_INCLUDE_ACL_RT_RT_FUNCTIONS_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Status, stream, and direction of a copy: 0 host to host, 1 host to device, 2 device to host, 3 device to device, 8
/// as the addresses say.
typedef int32_t rtError_t;
typedef void* rtStream_t;
typedef int32_t rtMemcpyKind_t;

/// aclrtGetSocName into `maxLen` bytes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (too little room). Threads: process.
ACL_FUNC_VISIBILITY rtError_t rtGetSocVersion(char* version, uint32_t maxLen);
/// aclrtSetDevice.
ACL_FUNC_VISIBILITY rtError_t rtSetDevice(int32_t deviceId);
/// aclrtResetDevice.
ACL_FUNC_VISIBILITY rtError_t rtDeviceReset(int32_t deviceId);
/// aclrtDeviceGetBareTgid.
ACL_FUNC_VISIBILITY rtError_t rtDeviceGetBareTgid(uint32_t* pid);
/// Cube cores of the current device, see aclrtGetDeviceInfo.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY rtError_t rtGetAiCoreCount(uint32_t* count);
/// Cores of the current device that run host code; otherwise as rtGetAiCoreCount.
ACL_FUNC_VISIBILITY rtError_t rtGetAiCpuCount(uint32_t* count);

/// aclrtMalloc. `memType` and `moduleId` are not read.
ACL_FUNC_VISIBILITY rtError_t rtMalloc(void** devPtr, uint64_t size, uint32_t memType, uint16_t moduleId);
/// aclrtFree.
ACL_FUNC_VISIBILITY rtError_t rtFree(void* devPtr);
/// aclrtMallocHost. `moduleId` is not read.
ACL_FUNC_VISIBILITY rtError_t rtMallocHost(void** hostPtr, uint64_t size, uint16_t moduleId);
/// aclrtFreeHost.
ACL_FUNC_VISIBILITY rtError_t rtFreeHost(void* hostPtr);
/// aclrtMemcpy; ACL_ERROR_RT_PARAM_INVALID also for a direction that is not in the list above.
ACL_FUNC_VISIBILITY rtError_t rtMemcpy(void* dst, uint64_t destMax, const void* src, uint64_t cnt, rtMemcpyKind_t kind);

/// aclrtCreateStreamWithConfig without flags; ACL_ERROR_RT_PARAM_INVALID also for a negative priority.
ACL_FUNC_VISIBILITY rtError_t rtStreamCreate(rtStream_t* stm, int32_t priority);
/// aclrtDestroyStream.
ACL_FUNC_VISIBILITY rtError_t rtStreamDestroy(rtStream_t stm);
/// aclrtSynchronizeStream.
ACL_FUNC_VISIBILITY rtError_t rtStreamSynchronize(rtStream_t stm);

/// Kernels, memory of other processes, and what no function aclrt* answers. Refused: each of these functions returns
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT and leaves a message with its name. Threads: no context.
ACL_FUNC_VISIBILITY rtError_t rtDevBinaryRegister(const void* binary, void** handle);
ACL_FUNC_VISIBILITY rtError_t rtFunctionRegister(void* handle, const void* stub, const char* stubName, const void* info,
                                                 uint32_t mode);
ACL_FUNC_VISIBILITY rtError_t rtKernelLaunch(const void* stub, uint32_t blocks, void* args, uint32_t argsSize,
                                             void* description, rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtGetC2cCtrlAddr(uint64_t* address, uint32_t* length);
ACL_FUNC_VISIBILITY rtError_t rtGetDeviceInfo(uint32_t deviceId, int32_t moduleType, int32_t infoType, int64_t* val);
ACL_FUNC_VISIBILITY rtError_t rtGetTaskIdAndStreamID(uint32_t* taskId, uint32_t* streamId);
ACL_FUNC_VISIBILITY rtError_t rtIpcSetMemoryName(const void* ptr, uint64_t byteCount, char* name, uint32_t len);
ACL_FUNC_VISIBILITY rtError_t rtIpcOpenMemory(void** ptr, const char* name);
ACL_FUNC_VISIBILITY rtError_t rtIpcCloseMemory(const void* ptr);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_RT_FUNCTIONS_H_
