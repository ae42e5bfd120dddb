// SPDX-License-Identifier: Apache-2.0
// Types of captured graphs of tasks (aclmdlRI*). This version exports no function for them.
#ifndef PORTACL_INCLUDE_ACL_RT_MODEL_INSTANCE_H_
#define PORTACL_INCLUDE_ACL_RT_MODEL_INSTANCE_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: a graph, a task of it, the handle of a condition.
typedef void* aclmdlRI;
typedef void* aclmdlRITask;
typedef void* aclmdlRICondHandle;

/// Which threads a capture watches for forbidden calls.
typedef enum aclmdlRICaptureMode {
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
  ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2
} aclmdlRICaptureMode;

/// State of a capture.
typedef enum aclmdlRICaptureStatus {
  ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
  ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;

/// Kinds of tasks in a graph.
typedef enum aclmdlRITaskType {
  ACL_MODEL_RI_TASK_DEFAULT = 0,
  ACL_MODEL_RI_TASK_KERNEL = 1,
  ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
  ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
  ACL_MODEL_RI_TASK_EVENT_RESET = 4,
  ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
  ACL_MODEL_RI_TASK_VALUE_WAIT = 6
} aclmdlRITaskType;

/// Flags of a condition.
typedef enum aclmdlRICondHandleFlag { ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1 } aclmdlRICondHandleFlag;

/// Kinds of conditional tasks.
typedef enum aclmdlRICondTaskType {
  ACL_MODEL_RI_COND_TYPE_IF = 0,
  ACL_MODEL_RI_COND_TYPE_WHILE = 1,
  ACL_MODEL_RI_COND_TYPE_SWITCH = 2
} aclmdlRICondTaskType;

/// How much a graph prints about itself.
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0U
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1U

/// A conditional task.
typedef struct aclmdlRICondTaskParams {
  aclmdlRICondHandle handle;
  aclmdlRICondTaskType type;
  uint32_t size;
  aclmdlRI* modelRIArray;
} aclmdlRICondTaskParams;

/// Any task of a graph; `params` holds the parameters of its kind.
typedef struct aclmdlRITaskParams {
  aclmdlRITaskType type;
  uint32_t rsv0[3];
  aclrtTaskGrp taskGrp;
  void* opInfoPtr;
  size_t opInfoSize;
  uint8_t rsv1[32];
  union {
    uint8_t rsv2[128];
    uint64_t words[16];
  } params;
} aclmdlRITaskParams;

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_MODEL_INSTANCE_H_
