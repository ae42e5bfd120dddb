// SPDX-License-Identifier: Apache-2.0
// Functions of the program that run in stream order, on a thread that the program chooses, or on one of the library's.
#ifndef PORTACL_INCLUDE_ACL_RT_CALLBACK_H_
#define PORTACL_INCLUDE_ACL_RT_CALLBACK_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether a stream waits for its callback.
typedef enum aclrtCallbackBlockType { ACL_CALLBACK_NO_BLOCK = 0, ACL_CALLBACK_BLOCK = 1 } aclrtCallbackBlockType;

/// A callback of a stream.
typedef void (*aclrtCallback)(void* userData);
/// A function that a stream runs on the host.
typedef void (*aclrtHostFunc)(void* args);

/// Sets the thread that runs the callbacks of a stream. Destroying the stream removes it, as aclrtUnSubscribeReport
/// does.
///
/// threadId  in  the thread's pthread_self(). One thread may serve many streams.
/// stream    in  not NULL; it has no such thread yet.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_STREAM_SUBSCRIBE (it has one);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/// Undoes aclrtSubscribeReport. Pending callbacks are dropped.
///
/// threadId, stream  in  as for aclrtSubscribeReport.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_THREAD_SUBSCRIBE (no such subscription). Threads:
/// object.
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/// Runs one pending callback of this thread.
///
/// timeout  in  ms to wait for one; -1 waits without a limit.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (timeout 0 or below -1); ACL_ERROR_RT_REPORT_TIMEOUT (none came);
/// ACL_ERROR_RT_THREAD_SUBSCRIBE (this thread is not subscribed to any stream). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/// Queues a callback, which the subscribed thread runs in aclrtProcessReport.
///
/// fn         in  must not call functions of this library.
/// userData   in  passed to `fn`; may be NULL.
/// blockType  in  ACL_CALLBACK_BLOCK: the stream continues when `fn` has returned; ACL_CALLBACK_NO_BLOCK: at once.
/// stream     in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null fn, blockType); ACL_ERROR_RT_STREAM_NO_CB_REG (the stream has no
/// such thread); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/// Queues a function of the host. A thread of the library runs it, or the thread of aclrtSubscribeHostFunc; the stream
/// waits until it returns.
///
/// stream  in  NULL is the default stream.
/// fn      in  must not call functions of this library that wait for the same stream.
/// args    in  passed to `fn`; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID or ACL_ERROR_INVALID_PARAM (null fn); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

/// Sets the thread that runs a stream's functions of aclrtLaunchHostFunc, instead of a thread of the library.
///
/// hostFuncThreadId  in  the thread's pthread_self(). One thread may serve many streams.
/// exeStream         in  not NULL; it has no such thread yet.
///
/// Returns as aclrtSubscribeReport. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/// Undoes aclrtSubscribeHostFunc. Pending functions are dropped.
///
/// hostFuncThreadId, exeStream  in  as for aclrtSubscribeHostFunc.
///
/// Returns as aclrtUnSubscribeReport. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/// Runs one pending function of aclrtLaunchHostFunc on this thread.
///
/// timeout  in  ms to wait for one; -1 waits without a limit.
///
/// Returns as aclrtProcessReport. Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_CALLBACK_H_
