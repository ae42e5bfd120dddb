// SPDX-License-Identifier: Apache-2.0
// Settings of streams: configurations, priorities, attributes, failure modes; callbacks for their creation and
// destruction.
#ifndef PORTACL_INCLUDE_ACL_RT_STREAM_SETTINGS_H_
#define PORTACL_INCLUDE_ACL_RT_STREAM_SETTINGS_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/// Behaviour of a stream after a failed task.
#define ACL_CONTINUE_ON_FAILURE 0U
#define ACL_STOP_ON_FAILURE 1U

/// Configuration of a new stream.
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

/// Called after a stream is created and before it is destroyed.
typedef void (*aclrtStreamStateCallback)(aclrtStream stream, aclrtStreamState state, void* args);

/// Creates a stream from a configuration.
///
/// stream  out  the stream.
/// handle  in   only priority and flag are used; NULL for the defaults.
///
/// Returns as aclrtCreateStreamWithConfig; ACL_ERROR_RT_INVALID_HANDLE (the configuration was freed). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle);

/// Creates a configuration with all fields 0.
///
/// Returns it, NULL when out of memory; aclrtDestroyStreamConfigHandle frees it. Threads: pure.
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void);

/// Frees a configuration.
///
/// handle  in  of aclrtCreateStreamConfigHandle.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE (freed, or not created by that
/// function). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);

/// Sets one field of a configuration.
///
/// handle     inout  the configuration.
/// attr       in     the field.
/// attrValue  in     address of its value.
/// valueSize  in     size of the field in bytes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such field, another size); ACL_ERROR_RT_INVALID_HANDLE (the
/// configuration was freed). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
                                                     const void* attrValue, size_t valueSize);

/// Priority with which a stream was created.
///
/// stream    in   NULL is the default stream.
/// priority  out  0, the most urgent, to 7.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE.
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);

/// Flags with which a stream was created.
///
/// stream  in   NULL is the default stream.
/// flags   out  as for aclrtCreateStreamWithConfig.
///
/// Returns as aclrtStreamGetPriority. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);

/// Number of a stream; unique among live streams.
///
/// stream    in   NULL is the default stream.
/// streamId  out  the number.
///
/// Returns as aclrtStreamGetPriority. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);

/// How many streams can still be created on the current device.
///
/// streamCount  out  the number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);

/// Sets the behaviour after a task of a stream fails. ACL_CONTINUE_ON_FAILURE: the next synchronization reports it,
/// later tasks run. ACL_STOP_ON_FAILURE: the context accepts no more work, and all its calls report the error until it
/// is destroyed.
///
/// stream  in  not the default stream.
/// mode    in  ACL_CONTINUE_ON_FAILURE, the default, or ACL_STOP_ON_FAILURE, which is final.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (default stream, another mode, return from ACL_STOP_ON_FAILURE);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/// Sets one attribute of a stream. All except the failure mode are only stored.
///
/// stream       in  NULL is the default stream.
/// stmAttrType  in  the attribute.
/// value        in  its value: the failure mode as for aclrtSetStreamFailureMode, switches 0 or 1, priority 0 .. 7.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null value); ACL_ERROR_RT_PARAM_INVALID (no such attribute or value);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue* value);

/// Reads one attribute of a stream.
///
/// stream       in   NULL is the default stream.
/// stmAttrType  in   the attribute.
/// value        out  its value; the rest of the union is 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null value); ACL_ERROR_RT_PARAM_INVALID (no such attribute);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue* value);

/// Drops the tasks that have not started, except records of events. The current or next wait for the stream returns
/// ACL_ERROR_RT_STREAM_ABORT if there were any. The stream remains usable.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads:
/// object.
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/// Stops a stream that the device controls. There are none.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/// Registers a function that is called after a program creates a stream and before it destroys one.
///
/// regName   in  its name; another function of that name is replaced.
/// callback  in  the function; NULL removes it.
/// args      in  passed to `callback`; may be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null regName). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback,
                                                         void* args);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_STREAM_SETTINGS_H_
