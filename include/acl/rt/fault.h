// SPDX-License-Identifier: Apache-2.0
// Types of device faults and of process snapshots. This version exports no function for them.
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

/// Room of the fault tables.
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 0x80
#define UCE_INFO_RESERVED_SIZE 0xe
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 0x14
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 0x14

/// Opaque: what is known about a failed task.
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
  aclrtMemUceInfoArray memUceInfo;
  aclrtAicoreErrorType aicoreErrorType;
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
  uint32_t flags;
  char reserved[60];
} aclrtSnapShotBackupArgs;

/// How a snapshot is put back.
typedef struct aclrtSnapShotRestoreArgs {
  uint32_t flags;
  char reserved[60];
} aclrtSnapShotRestoreArgs;

/// Called when a device task failed.
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* exceptionInfo);
/// Called when the task of an operator failed.
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo* exceptionInfo, void* userData);
/// Called around a snapshot.
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void* args);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_FAULT_H_
