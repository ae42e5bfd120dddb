// SPDX-License-Identifier: Apache-2.0
// Streams: queues whose tasks run one after the other. Different streams are not ordered, except by events. NULL is the
// default stream of the current context, an ordinary stream that cannot be destroyed.
#ifndef PORTACL_INCLUDE_ACL_RT_STREAM_H_
#define PORTACL_INCLUDE_ACL_RT_STREAM_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether a stream has work left.
typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 0xffff
} aclrtStreamStatus;

/// Flags of a stream, as a mask.
#define ACL_STREAM_FAST_LAUNCH 0x1U
#define ACL_STREAM_FAST_SYNC 0x2U
#define ACL_STREAM_PERSISTENT 0x4U
#define ACL_STREAM_HUGE 0x8U
#define ACL_STREAM_CPU_SCHEDULE 0x10U
#define ACL_STREAM_DEVICE_USE_ONLY 0x20U

/// Creates a stream in the current context.
///
/// stream  out  the stream; free it with aclrtDestroyStream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_NO_STREAM_RESOURCE
/// or ACL_ERROR_RT_RESOURCE_ALLOC_FAIL (too many). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

/// Waits for the stream's work, then destroys the stream. If called from a function that the stream waits for, it
/// returns immediately, and the stream is destroyed when its work is done.
///
/// stream  in  not NULL: the default stream cannot be destroyed.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT (of
/// another context); ACL_ERROR_RT_INVALID_HANDLE (destroyed or no stream). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/// Creates a stream with a priority and flags.
///
/// stream    out  the stream; free it with aclrtDestroyStream.
/// priority  in   0, the most urgent, to 7; larger values become 7. A hint.
/// flag      in   any of the flags ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and ACL_STREAM_HUGE: hints.
///
/// Returns as aclrtCreateStream; ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE,
/// ACL_STREAM_DEVICE_USE_ONLY); ACL_ERROR_RT_PARAM_INVALID (any other bit). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);

/// Destroys a stream. Tasks that have not started are dropped, except records of events; it waits for a running task,
/// so that no task of the stream uses memory afterwards. If called from a function that the stream waits for, it
/// returns immediately, and the stream is destroyed when that function returns.
///
/// stream  in  not the default stream.
///
/// Returns as aclrtDestroyStream. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/// Waits until all work queued so far is done. Uses the stream's context during the call.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE; the error of failed work, such as
/// ACL_ERROR_RT_AICORE_EXCEPTION. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/// aclrtSynchronizeStream with a limit. Work continues after a timeout.
///
/// stream   in  NULL is the default stream.
/// timeout  in  ms; -1 waits without a limit.
///
/// Returns as aclrtSynchronizeStream; ACL_ERROR_RT_PARAM_INVALID (timeout 0 or below -1);
/// ACL_ERROR_RT_STREAM_SYNC_TIMEOUT. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/// Whether the stream has work left; does not wait.
///
/// stream  in   NULL is the default stream.
/// status  out  ACL_STREAM_STATUS_COMPLETE or ACL_STREAM_STATUS_NOT_READY.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null status); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_INVALID_HANDLE; the error of failed work. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);

/// Later work on the stream waits for the last record of the event made before this call.
///
/// stream  in  NULL is the default stream.
/// event   in  created for waiting (ACL_EVENT_SYNC or aclrtCreateEvent). Never recorded: no wait for an event of
///             aclrtCreateEventExWithFlag; one of aclrtCreateEventWithFlag holds the stream until its first record.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null event); ACL_ERROR_RT_PARAM_INVALID (an event of aclrtCreateEvent
/// that was never recorded); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (not created for waiting); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/// aclrtStreamWaitEvent with a limit. If the event is not recorded within `timeout` seconds after the stream starts to
/// wait, the next synchronization reports ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, and the stream continues.
///
/// stream, event  in  as for aclrtStreamWaitEvent.
/// timeout        in  s; 0 for no limit.
///
/// Returns as aclrtStreamWaitEvent; ACL_ERROR_RT_PARAM_INVALID (timeout below 0). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/// aclrtStreamWaitEventWithTimeout with a flag.
///
/// stream, event, timeout  in  as there.
/// flag                    in  ACL_EVENT_WAIT_DEFAULT, or ACL_EVENT_WAIT_EXTERNAL for an event of
///                             aclrtCreateEventExWithFlag with ACL_EVENT_SYNC, then without a limit; for one event
///                             always the same.
///
/// Returns as there; ACL_ERROR_INVALID_PARAM (flag, limit with ACL_EVENT_WAIT_EXTERNAL); ACL_ERROR_RT_PARAM_INVALID
/// (flag differs from the previous one); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_EVENT_WAIT_EXTERNAL for another event).
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
                                                          uint32_t flag);

/// Handle of the default stream of the current context; equivalent to NULL.
///
/// stream  out  the stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_STREAM_H_
