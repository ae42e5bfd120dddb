// SPDX-License-Identifier: Apache-2.0
// Synchronization between streams: notifies, each of which ends one wait; counting notifies; values in memory.
#ifndef PORTACL_INCLUDE_ACL_RT_NOTIFY_H_
#define PORTACL_INCLUDE_ACL_RT_NOTIFY_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a counting notify changes.
typedef enum aclrtCntNotifyRecordMode {
  ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
  ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4
} aclrtCntNotifyRecordMode;

/// Comparison that a counting notify waits for.
typedef enum aclrtCntNotifyWaitMode {
  ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4
} aclrtCntNotifyWaitMode;

/// Flags of a notify.
#define ACL_NOTIFY_DEFAULT 0U
#define ACL_NOTIFY_DEVICE_USE_ONLY 1U

/// A change of a counting notify.
typedef struct aclrtCntNotifyRecordInfo {
  aclrtCntNotifyRecordMode mode;
  uint32_t value;
} aclrtCntNotifyRecordInfo;

/// A wait for a counting notify.
typedef struct aclrtCntNotifyWaitInfo {
  aclrtCntNotifyWaitMode mode;
  uint32_t value;
  uint32_t timeout;  ///< s; 0 waits without a limit
  uint8_t isClear;   ///< not 0: the value becomes 0 when the wait is over
  uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/// Comparisons of a wait for a value in memory.
#define ACL_STREAM_WAIT_VALUE_GEQ 0U
#define ACL_STREAM_WAIT_VALUE_EQ 1U
#define ACL_STREAM_WAIT_VALUE_AND 2U
#define ACL_STREAM_WAIT_VALUE_NOR 3U

/// Creates a notify that is not set.
///
/// notify  out  the notify; free it with aclrtDestroyNotify.
/// flag    in   ACL_NOTIFY_DEFAULT or ACL_NOTIFY_DEVICE_USE_ONLY.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (flag); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_NO_NOTIFY_RESOURCE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag);

/// Destroys a notify without waiting. Queued tasks stay valid.
///
/// notify  in  a live notify.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/// Queues a task that sets a notify.
///
/// notify  in  a live notify.
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null notify); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT;
/// ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/// Queues a wait until a notify is set; then clears it.
///
/// notify   in  a live notify.
/// stream   in  NULL is the default stream.
/// timeout  in  s, 0 for no limit. After a timeout the next synchronization reports ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
///              and the stream continues.
///
/// Returns as aclrtRecordNotify. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/// Number of a notify; unique among live ones.
///
/// notify    in   a live notify.
/// notifyId  out  the number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId);

/// Clears notifies immediately.
///
/// notifies  in  `num` live notifies.
/// num       in  not 0, at most 65536, the maximum number of notifies.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, num); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num);

/// Creates a counting notify with value 0. Only SoCs of the family Ascend950 have them.
///
/// cntNotify  out  the notify; free it with aclrtCntNotifyDestroy.
/// flag       in   0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_FEATURE_NOT_SUPPORT (another family);
/// ACL_ERROR_RT_PARAM_INVALID (flag); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_NO_NOTIFY_RESOURCE. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag);

/// Destroys a counting notify without waiting. Queued tasks stay valid.
///
/// cntNotify  in  a live counting notify.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/// Queues a change of a counting notify.
///
/// cntNotify  in  a live counting notify.
/// stream     in  NULL is the default stream.
/// info       in  mode and value of the change; it is copied.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such mode); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyRecordInfo* info);

/// Queues a wait for a value of a counting notify. With a bit mask it waits until the bits of `value` are set.
///
/// cntNotify  in  a live counting notify.
/// stream     in  NULL is the default stream.
/// info       in  what to wait for; it is copied.
///
/// Returns as aclrtCntNotifyRecord. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                                           aclrtCntNotifyWaitInfo* info);

/// Queues a reset of a counting notify to 0.
///
/// cntNotify  in  a live counting notify.
/// stream     in  NULL is the default stream.
///
/// Returns as aclrtCntNotifyRecord. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/// Number of a counting notify; unique among live ones.
///
/// cntNotify  in   a live counting notify.
/// notifyId   out  the number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId);

/// Queues the write of a value to memory.
///
/// devAddr  in  device memory, a multiple of 8.
/// value    in  the value.
/// flag     in  0.
/// stream   in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null devAddr); ACL_ERROR_RT_PARAM_INVALID (no device memory, not
/// aligned, flag); ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_STREAM_CONTEXT; ACL_ERROR_RT_INVALID_HANDLE. Threads:
/// object.
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/// Queues a wait for a value in memory, whoever writes it. If the memory is freed or unmapped first, the wait ends with
/// ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW at the next synchronization, and the stream continues.
///
/// devAddr  in  device memory, a multiple of 8.
/// value    in  the value that it is compared with.
/// flag     in  ACL_STREAM_WAIT_VALUE_GEQ (memory - value >= 0 as a signed integer), _EQ, _AND (they share a bit), _NOR
///              (some bit is set in neither).
/// stream   in  NULL is the default stream.
///
/// Returns as aclrtValueWrite. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_NOTIFY_H_
