// SPDX-License-Identifier: Apache-2.0
// Options of how operators compute: determinism, overflows, time limits.
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

/// Sets what an overflow gives in streams made later. The CPU gives infinities and NaN.
///
/// mode  in  ACL_RT_OVERFLOW_MODE_INFNAN, or ACL_RT_OVERFLOW_MODE_SATURATION, which is kept and changes nothing.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (another mode); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/// The mode that aclrtSetDeviceSatMode set on the current device.
///
/// mode  out  ACL_RT_OVERFLOW_MODE_INFNAN at first.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);

/// Queues a write of whether an overflow was seen. The CPU saturates nothing, so none is.
///
/// outputAddr  out  64 bytes of device memory, which become 0.
/// outputSize  in   64.
/// stream      in   NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null outputAddr); ACL_ERROR_RT_PARAM_INVALID (outputSize);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream);

/// Forgets an overflow that was seen. There is none: nothing is done.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads:
/// context.
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/// Switches the detection of overflows on a stream on or off. It is remembered; see aclrtGetOverflowStatus.
///
/// stream  in  NULL is the default stream.
/// flag    in  0 or 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (flag); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/// The value that aclrtSetStreamOverflowSwitch set.
///
/// stream  in   NULL is the default stream.
/// flag    out  0 or 1; 0 at first.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null flag); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);

/// Limit of event waits that are queued later. One that takes longer fails with ACL_ERROR_RT_STREAM_SYNC_TIMEOUT at the
/// next synchronization, and the stream continues.
///
/// timeout  in  s, 0 for none, as at first.
///
/// Returns ACL_SUCCESS. Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/// Limit of one operator. It is kept; operators are never stopped.
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

/// Limit of one operator in microseconds.
///
/// timeout        in   0 for the longest.
/// actualTimeout  out  the limit in force: UINT64_MAX, as operators are never stopped.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);

/// The limit of one operator that was set last.
///
/// timeoutMs  out  ms, rounded up; 0 at first and for the longest.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);

/// The smallest step of limits.
///
/// interval  out  1 us.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t* interval);

/// Attaches a description to the task queued last, for captured graphs. There are none: it is dropped.
///
/// infoPtr   in  `infoSize` bytes.
/// infoSize  in  not 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, size 0). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize);

/// Attaches a text to the task queued last, for captured graphs. There are none: it is dropped.
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
