// SPDX-License-Identifier: Apache-2.0
// Device faults and process snapshots.
#ifndef PORTACL_INCLUDE_ACL_RT_FAULT_H_
#define PORTACL_INCLUDE_ACL_RT_FAULT_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of device faults.
typedef enum aclrtErrorType {
  ACL_RT_NO_ERROR = 0,
  ACL_RT_ERROR_MEMORY = 1,
  ACL_RT_ERROR_L2 = 2,
  ACL_RT_ERROR_AICORE = 3,
  ACL_RT_ERROR_LINK = 4,
  ACL_RT_ERROR_L3_PORT = 5,
  ACL_RT_ERROR_OTHERS = 0xffff
} aclrtErrorType;

/// Kinds of core faults.
typedef enum aclrtAicoreErrorType {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0,
  ACL_RT_AICORE_ERROR_SW = 1,
  ACL_RT_AICORE_ERROR_HW_LOCAL = 2
} aclrtAicoreErrorType;

/// Moments at which a snapshot callback is called.
typedef enum aclrtSnapShotStage {
  ACL_RT_SNAPSHOT_LOCK_PRE = 0,
  ACL_RT_SNAPSHOT_BACKUP_PRE = 1,
  ACL_RT_SNAPSHOT_BACKUP_POST = 2,
  ACL_RT_SNAPSHOT_RESTORE_PRE = 3,
  ACL_RT_SNAPSHOT_RESTORE_POST = 4,
  ACL_RT_SNAPSHOT_UNLOCK_POST = 5
} aclrtSnapShotStage;

/// Moments at which a task-abort callback is called.
typedef enum aclrtDeviceTaskAbortStage {
  ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
  ACL_RT_DEVICE_TASK_ABORT_POST = 1
} aclrtDeviceTaskAbortStage;

/// Length of the fault tables.
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 0x80
#define UCE_INFO_RESERVED_SIZE 0xe
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 0x14
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 0x14

/// Opaque: information about a failed task.
typedef struct rtExceptionInfo aclrtExceptionInfo;

/// A damaged range of memory.
typedef struct aclrtMemUceInfo {
  void* addr;
  size_t len;  ///< bytes
  size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

/// Damaged ranges of memory.
typedef struct aclrtMemUceInfoArray {
  size_t arraySize;
  aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

/// Details of a device fault, by its kind.
typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo;
  aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

/// A device fault.
typedef struct aclrtErrorInfo {
  uint8_t tryRepair;
  uint8_t hasDetail;
  uint8_t reserved[2];
  aclrtErrorType errorType;
  aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

/// How a snapshot is taken.
typedef struct aclrtSnapShotBackupArgs {
  uint32_t backupFlags;
  char reserved[60];
} aclrtSnapShotBackupArgs;

/// How a snapshot is restored.
typedef struct aclrtSnapShotRestoreArgs {
  uint32_t restoreFlags;
  char reserved[60];
} aclrtSnapShotRestoreArgs;

/// Called when a device task failed.
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* exceptionInfo);
/// Called when the task of an operator failed.
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo* exceptionInfo, void* userData);
/// Called around an abort of a device's tasks. timeout: ms.
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage, uint32_t timeout,
                                                void* args);
/// Called around a snapshot.
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void* args);

/// Repair of device faults, of which this device has none: each of these functions
/// returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT and leaves a message with its name. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize,
                                                size_t* retSize);
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize);
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);

/// Snapshots of a process. This version takes none: each of these functions
/// returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT and leaves a message with its name. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessLock(int pid, void* reserve);
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessUnlock(int pid, void* reserve);
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args);
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args);
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback,
                                                           void* args);
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback);

/// Registers a function to be called around an abort of a device's tasks. There are no such aborts: it is never called.
///
/// Returns ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback,
                                                             void* args);

/// Sets the function that is called when a task fails, and replaces the previous one.
///
/// callback  in  called on the thread that ran the task, with information about it; NULL: none.
///
/// Returns ACL_SUCCESS. Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/// Adds a function that is called when a task fails, besides the one of aclrtSetExceptionInfoCallback.
///
/// callback  in  as there; not NULL. A function that is added twice is called twice.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/// Undoes one aclrtExceptionInfoCallbackRegister.
///
/// callback  in  a function that was added; another has no effect.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: process.
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/// Id of a failed task within its stream.
///
/// info  in  argument of the callback; valid while the callback runs.
///
/// Returns the id, 0xFFFFFFFF for NULL. Threads: object.
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);

/// Id of the stream of a failed task, as returned by aclrtStreamGetId.
///
/// info  in  as for aclrtGetTaskIdFromExceptionInfo.
///
/// Returns the id, 0xFFFFFFFF for NULL. Threads: object.
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);

/// Id of the thread that ran a failed task, as the operating system numbers threads (gettid).
///
/// info  in  as for aclrtGetTaskIdFromExceptionInfo.
///
/// Returns the id, 0xFFFFFFFF for NULL. Threads: object.
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);

/// Device of a failed task.
///
/// info  in  as for aclrtGetTaskIdFromExceptionInfo.
///
/// Returns its number, 0xFFFFFFFF for NULL. Threads: object.
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);

/// Status code of a failed task.
///
/// info  in  as for aclrtGetTaskIdFromExceptionInfo.
///
/// Returns the code, 0xFFFFFFFF for NULL. Threads: object.
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);

/// The fault that a device has recorded.
///
/// deviceId   in   a visible device.
/// errorInfo  out  no error, without details: this device has no faults.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID (not visible); ACL_ERROR_INVALID_PARAM (null).
/// Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);

/// Id of the task that this thread queued last, equal to the one in the information about a failed task.
///
/// taskId  out  the id within its stream; 0 when the thread queued none.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t* taskId);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_FAULT_H_
