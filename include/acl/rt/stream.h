// SPDX-License-Identifier: Apache-2.0
// Streams: queues whose tasks run one after the other. Different streams are not ordered, unless by events. NULL is the
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

/// Fields of aclrtStreamConfigHandle.
typedef enum aclrtStreamConfigAttr {
  ACL_RT_STREAM_WORK_ADDR_PTR = 0,
  ACL_RT_STREAM_WORK_SIZE = 1,
  ACL_RT_STREAM_FLAG = 2,
  ACL_RT_STREAM_PRIORITY = 3
} aclrtStreamConfigAttr;

/// Attributes of a live stream; they name the members of aclrtStreamAttrValue.
typedef enum aclrtStreamAttr {
  ACL_STREAM_ATTR_FAILURE_MODE = 1,
  ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
  ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
  ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
  ACL_STREAM_ATTR_PRIORITY = 5
} aclrtStreamAttr;

/// Moments at which a stream callback is called.
typedef enum aclrtStreamState {
  ACL_RT_STREAM_STATE_CREATE_POST = 1,
  ACL_RT_STREAM_STATE_DESTROY_PRE = 2
} aclrtStreamState;

/// Flags of a stream, as a mask.
#define ACL_STREAM_FAST_LAUNCH 0x1U
#define ACL_STREAM_FAST_SYNC 0x2U
#define ACL_STREAM_PERSISTENT 0x4U
#define ACL_STREAM_HUGE 0x8U
#define ACL_STREAM_CPU_SCHEDULE 0x10U
#define ACL_STREAM_DEVICE_USE_ONLY 0x20U

/// What a stream does after a task failed.
#define ACL_CONTINUE_ON_FAILURE 0U
#define ACL_STOP_ON_FAILURE 1U

/// Comparisons of a wait for a value in memory.
#define ACL_STREAM_WAIT_VALUE_GEQ 0U
#define ACL_STREAM_WAIT_VALUE_EQ 1U
#define ACL_STREAM_WAIT_VALUE_AND 2U
#define ACL_STREAM_WAIT_VALUE_NOR 3U

/// How a stream is to be made.
typedef struct aclrtStreamConfigHandle {
  void* workptr;
  size_t workSize;    ///< bytes
  size_t flag;        ///< mask of ACL_STREAM_*
  uint32_t priority;  ///< 0 most urgent .. 7
} aclrtStreamConfigHandle;

/// Value of one aclrtStreamAttr.
typedef union aclrtStreamAttrValue {
  uint64_t failureMode;
  uint32_t overflowSwitch;
  uint32_t userCustomTag;
  uint32_t cacheOpInfoSwitch;
  uint32_t streamPriority;
  uint32_t reserve[4];
} aclrtStreamAttrValue;

/// Called after a stream was made and before it is destroyed.
typedef void (*aclrtStreamStateCallback)(aclrtStream stream, aclrtStreamState state, void* args);

/// Makes a stream in the current context.
///
/// stream  out  the stream; aclrtDestroyStream ends it.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_NO_STREAM_RESOURCE
/// or ACL_ERROR_RT_RESOURCE_ALLOC_FAIL (too many). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

/// Waits for the stream's work, then destroys the stream.
///
/// stream  in  not NULL: the default stream cannot be destroyed.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT (of
/// another context); ACL_ERROR_RT_INVALID_HANDLE (destroyed or no stream). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/// Makes a stream with a priority and flags.
///
/// stream    out  the stream; aclrtDestroyStream ends it.
/// priority  in   0, the most urgent, to 7; larger values become 7. A hint.
/// flag      in   any mix of ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and ACL_STREAM_HUGE: hints.
///
/// Returns as aclrtCreateStream; ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE,
/// ACL_STREAM_DEVICE_USE_ONLY); ACL_ERROR_RT_PARAM_INVALID (any other bit). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);

/// Destroys a stream without waiting. What runs goes on; what has not begun is dropped, only records of events happen.
///
/// stream  in  not the default stream.
///
/// Returns as aclrtDestroyStream. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/// Waits until all work queued so far is done. Acts in the stream's context for the time of the call.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE; the error of failed work, such as
/// ACL_ERROR_RT_AICORE_EXCEPTION. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/// aclrtSynchronizeStream with a limit. Work goes on after a timeout.
///
/// stream   in  NULL is the default stream.
/// timeout  in  ms; -1 waits for ever.
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
/// event   in  made for waiting (ACL_EVENT_SYNC or aclrtCreateEvent). Never recorded: no wait for an event of
///             aclrtCreateEventExWithFlag; one of aclrtCreateEventWithFlag holds the stream until its first record.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null event); ACL_ERROR_RT_PARAM_INVALID (an event of
/// aclrtCreateEvent that was never recorded); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (not made for waiting);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/// Handle of the default stream of the current context; using it is the same as passing NULL.
///
/// stream  out  the stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_STREAM_H_
