// SPDX-License-Identifier: Apache-2.0
// Functions of the program that run in the order of a stream, on a thread that the program chooses, or on one of the
// library.
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

/// Names the thread that runs the callbacks of a stream. A stream that is destroyed no longer has one, as after
/// aclrtUnSubscribeReport.
///
/// threadId  in  what pthread_self() gives there. One thread may serve many streams.
/// stream    in  not NULL; it has no such thread yet.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_STREAM_SUBSCRIBE (it has one);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/// Undoes aclrtSubscribeReport. Callbacks that have not run are dropped.
///
/// threadId, stream  in  as they were named.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_THREAD_SUBSCRIBE (not named together). Threads:
/// object.
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/// Runs one callback that is due on this thread.
///
/// timeout  in  ms to wait for one; -1 waits for ever.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (timeout 0 or below -1); ACL_ERROR_RT_REPORT_TIMEOUT (none came);
/// ACL_ERROR_RT_THREAD_SUBSCRIBE (this thread is not subscribed to any stream). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/// Queues a callback, which the thread of aclrtSubscribeReport runs in aclrtProcessReport.
///
/// fn         in  must not call functions of this library.
/// userData   in  handed to `fn`; may be NULL.
/// blockType  in  ACL_CALLBACK_BLOCK: the stream continues when `fn` has returned; ACL_CALLBACK_NO_BLOCK: at once.
/// stream     in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null fn, blockType); ACL_ERROR_RT_STREAM_NO_CB_REG (the stream has no
/// such thread); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/// Queues a function of the host. A thread of the library runs it, or the one of aclrtSubscribeHostFunc; the stream
/// waits until it returned.
///
/// stream  in  NULL is the default stream.
/// fn      in  must not call functions of this library that wait for the same stream.
/// args    in  handed to `fn`; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID or ACL_ERROR_INVALID_PARAM (null fn); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

/// Names the thread that runs the functions of aclrtLaunchHostFunc of a stream, in place of one of the library.
///
/// hostFuncThreadId  in  what pthread_self() gives there. One thread may serve many streams.
/// exeStream         in  not NULL; it has no such thread yet.
///
/// Returns as aclrtSubscribeReport. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/// Undoes aclrtSubscribeHostFunc. Functions that have not run are dropped.
///
/// hostFuncThreadId, exeStream  in  as they were named.
///
/// Returns as aclrtUnSubscribeReport. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/// Runs one function of aclrtLaunchHostFunc that is due on this thread.
///
/// timeout  in  ms to wait for one; -1 waits for ever.
///
/// Returns as aclrtProcessReport. Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_CALLBACK_H_
