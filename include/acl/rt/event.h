// SPDX-License-Identifier: Apache-2.0
// Events: points in a stream that can be waited for, queried and timed. Two generations: those of aclrtCreateEvent and
// aclrtCreateEventWithFlag can be reset; those of aclrtCreateEventExWithFlag can only be recorded again.
#ifndef PORTACL_INCLUDE_ACL_RT_EVENT_H_
#define PORTACL_INCLUDE_ACL_RT_EVENT_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// State of an event, old coding.
typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

/// State of an event, new coding. The values are swapped relative to aclrtEventStatus.
typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

/// State of the waits queued on an event.
typedef enum aclrtEventWaitStatus {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
  ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
  ACL_EVENT_WAIT_STATUS_RESERVED = 0xffff
} aclrtEventWaitStatus;

/// Flags of an event, as a mask: SYNC waits, CAPTURE_STREAM_PROGRESS queries, TIME_LINE times.
#define ACL_EVENT_SYNC 0x1U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x2U
#define ACL_EVENT_TIME_LINE 0x8U
#define ACL_EVENT_DEVICE_USE_ONLY 0x10U
#define ACL_EVENT_EXTERNAL 0x20U
#define ACL_EVENT_IPC 0x40U

/// Flags of a record and of a wait.
#define ACL_EVENT_RECORD_DEFAULT 0U
#define ACL_EVENT_RECORD_EXTERNAL 1U
#define ACL_EVENT_WAIT_DEFAULT 0U
#define ACL_EVENT_WAIT_EXTERNAL 1U

/// Creates a first-generation event for waiting, querying and timing.
///
/// event  out  the event; free it with aclrtDestroyEvent.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_NO_EVENT_RESOURCE.
/// Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent* event);

/// Creates a first-generation event.
///
/// event  out  the event.
/// flag   in   any of the flags ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, 0x4 (an older sync bit) and
///             ACL_EVENT_TIME_LINE, or ACL_EVENT_EXTERNAL alone, or ACL_EVENT_DEVICE_USE_ONLY alone.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (any other flag, 0 included);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_NO_EVENT_RESOURCE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);

/// Creates a second-generation event.
///
/// event  out  the event.
/// flag   in   any of the flags ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, 0x4 and ACL_EVENT_TIME_LINE.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (any other flag, 0 included);
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_EVENT_IPC alone); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_NO_EVENT_RESOURCE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);

/// Destroys an event without waiting. Queued records and waits stay valid.
///
/// event  in  a live event.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE (destroyed). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/// Queues a record of the event; a later record replaces it.
///
/// event   in  a live event.
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null event); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT;
/// ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/// Queues a reset to the unrecorded state.
///
/// event   in  first generation, created for waiting.
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null event); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (second generation, or
/// not created for waiting); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/// Whether the last record has happened; does not wait.
///
/// event   in   a live event.
/// status  out  ACL_EVENT_RECORDED_STATUS_*. Never recorded: NOT_READY in the first generation, COMPLETE in the second.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (an ACL_EVENT_EXTERNAL event);
/// ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);

/// Waits until the last record has happened; returns immediately if there was none.
///
/// event  in  a live event.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (an ACL_EVENT_EXTERNAL event);
/// ACL_ERROR_RT_INVALID_HANDLE; the error of failed work. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/// aclrtSynchronizeEvent with a limit. Work continues after a timeout.
///
/// event    in  a live event.
/// timeout  in  ms; -1 waits without a limit.
///
/// Returns as aclrtSynchronizeEvent; ACL_ERROR_RT_PARAM_INVALID (timeout 0 or below -1);
/// ACL_ERROR_RT_EVENT_SYNC_TIMEOUT. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/// Time from the record of one event to that of another.
///
/// ms          out  milliseconds, with a resolution below 1 us; negative if `endEvent` was first.
/// startEvent  in   recorded, complete, made for timing.
/// endEvent    in   recorded, complete, made for timing.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID (not complete or no time
/// stamp); ACL_ERROR_RT_INTERNAL_ERROR (never recorded); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (an ACL_EVENT_EXTERNAL
/// event); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent);

/// Time of the last record, on a monotonic clock.
///
/// event      in   recorded, complete.
/// timestamp  out  us.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID (never recorded, not
/// complete); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (an ACL_EVENT_EXTERNAL event); ACL_ERROR_RT_INVALID_HANDLE. Threads:
/// object.
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

/// aclrtRecordEvent with a flag.
///
/// event, stream  in  as there.
/// flag           in  ACL_EVENT_RECORD_DEFAULT, or ACL_EVENT_RECORD_EXTERNAL for an event of
///                    aclrtCreateEventExWithFlag with ACL_EVENT_SYNC; always the same for one event.
///
/// Returns as aclrtRecordEvent; ACL_ERROR_INVALID_PARAM (flag); ACL_ERROR_RT_PARAM_INVALID (flag differs from the
/// previous one); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_EVENT_RECORD_EXTERNAL for another event). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

/// Whether the last record has happened, in the older coding; does not wait.
///
/// event   in   first generation.
/// status  out  ACL_EVENT_STATUS_COMPLETE or ACL_EVENT_STATUS_NOT_READY, the latter also when never recorded.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (second generation, or an
/// ACL_EVENT_EXTERNAL event); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);

/// Whether the queued waits for the last record are over; does not wait.
///
/// event   in   first generation.
/// status  out  ACL_EVENT_WAIT_STATUS_COMPLETE, also without waits, or ACL_EVENT_WAIT_STATUS_NOT_READY.
///
/// Returns as aclrtQueryEvent. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status);

/// Number of an event; unique among live events.
///
/// event    in   a live event.
/// eventId  out  the number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);

/// How many events can still be created.
///
/// eventCount  out  the number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t* eventCount);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_EVENT_H_
