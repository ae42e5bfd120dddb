// SPDX-License-Identifier: Apache-2.0
// Options for the computation of operators: determinism, overflows, time limits.
#ifndef PORTACL_INCLUDE_ACL_RT_COMPUTE_OPTIONS_H_
#define PORTACL_INCLUDE_ACL_RT_COMPUTE_OPTIONS_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options of numerical behaviour. ACL_OPT_DETERMINISTIC takes 0 off, 1 deterministic, 2 strong consistency, 3 batch
/// consistency; the others take 0 or 1. Level 2 replaces ACL_OPT_STRONG_CONSISTENCY.
typedef enum aclSysParamOpt {
  ACL_OPT_DETERMINISTIC = 0,
  ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
  ACL_OPT_STRONG_CONSISTENCY = 2,
  ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

/// The result of a float overflow.
typedef enum aclrtFloatOverflowMode {
  ACL_RT_OVERFLOW_MODE_SATURATION = 0,
  ACL_RT_OVERFLOW_MODE_INFNAN = 1,
  ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;

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

/// Sets the overflow behaviour of streams that are created later. The CPU returns infinities and NaN.
///
/// mode  in  ACL_RT_OVERFLOW_MODE_INFNAN, or ACL_RT_OVERFLOW_MODE_SATURATION, which is stored and has no effect.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (another mode); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/// The mode that aclrtSetDeviceSatMode set on the current device.
///
/// mode  out  ACL_RT_OVERFLOW_MODE_INFNAN at first.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);

/// Queues a write of whether an overflow was detected. The CPU does not saturate, so that none is detected.
///
/// outputAddr  out  64 bytes of device memory, which become 0.
/// outputSize  in   64.
/// stream      in   NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null outputAddr); ACL_ERROR_RT_PARAM_INVALID (outputSize);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream);

/// Clears a detected overflow. There is none, so that nothing happens.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads:
/// context.
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/// Switches the detection of overflows on a stream on or off. The setting has no effect; see aclrtGetOverflowStatus.
///
/// stream  in  NULL is the default stream.
/// flag    in  0 or 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (flag); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/// The setting of aclrtSetStreamOverflowSwitch.
///
/// stream  in   NULL is the default stream.
/// flag    out  0 or 1; 0 at first.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null flag); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);

/// Sets the time limit of event waits that are queued later. A longer wait fails with ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
/// at the next synchronization, and the stream continues.
///
/// timeout  in  s; 0, the initial value: no limit.
///
/// Returns ACL_SUCCESS. Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/// Sets the time limit of one operator. It is stored; operators are never stopped.
///
/// timeout  in  s; 0 for the longest.
///
/// Returns ACL_SUCCESS. Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/// aclrtSetOpExecuteTimeOut in milliseconds.
///
/// timeout  in  ms; 0 for the longest.
///
/// Returns ACL_SUCCESS. Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/// Sets the time limit of one operator in microseconds.
///
/// timeout        in   0 for the longest.
/// actualTimeout  out  the limit in force: UINT64_MAX, as operators are never stopped.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);

/// The time limit of one operator that was set last.
///
/// timeoutMs  out  ms, rounded up; 0 at first and for the longest.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);

/// The resolution of time limits.
///
/// interval  out  1 us.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t* interval);

/// Attaches a description to the last queued task, for captured graphs. There are none: it is ignored.
///
/// infoPtr   in  `infoSize` bytes.
/// infoSize  in  not 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, size 0). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize);

/// Attaches a text to the last queued task, for captured graphs. There are none: it is ignored.
///
/// extendInfoPtr  in  `infoSize` bytes.
/// infoSize       in  not 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, size 0). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t infoSize);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_COMPUTE_OPTIONS_H_
