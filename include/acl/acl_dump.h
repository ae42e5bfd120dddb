// SPDX-License-Identifier: Apache-2.0
// Dumps of tensors: the functions accept all requests, but no dump is written.
#ifndef PORTACL_INCLUDE_ACL_ACL_DUMP_H_
#define PORTACL_INCLUDE_ACL_ACL_DUMP_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: a piece of a dump, a tensor to dump.
typedef struct acldumpChunk acldumpChunk;
typedef struct acldumpTensorInfo acldumpTensorInfo;

/// Kinds of dumps.
typedef enum acldumpType {
  AIC_ERR_BRIEF_DUMP = 1,
  AIC_ERR_NORM_DUMP = 2,
  AIC_ERR_DETAIL_DUMP = 3,
  DATA_DUMP = 4,
  OVERFLOW_DUMP = 5
} acldumpType;

/// Role of a dumped tensor.
typedef enum acldumpTensorType {
  ACL_DUMP_TENSOR_INPUT = 0,
  ACL_DUMP_TENSOR_OUTPUT = 1,
  ACL_DUMP_TENSOR_WORKSPACE = 2
} acldumpTensorType;

/// The kind of a dumped tensor's address.
typedef enum acldumpTensorAddressType {
  ACL_DUMP_ADDR_PTR = 0,
  ACL_DUMP_ADDR_PTR_PTR = 1,
  ACL_DUMP_ADDR_RAW = 2
} acldumpTensorAddressType;

/// Location of a dumped tensor.
typedef enum acldumpTensorPlacement {
  ACL_DUMP_PLACEMENT_DEVICE = 0,
  ACL_DUMP_PLACEMENT_HOST = 1,
  ACL_DUMP_PLACEMENT_END = 2
} acldumpTensorPlacement;

/// Lengths of paths and shapes; kinds of operator dumps.
#define ACL_DUMP_MAX_FILE_PATH_LENGTH 0x1000
#define ACL_OP_DUMP_OP_AICORE_ARGS 0x1U
#define ACL_DUMP_MAX_SHAPE_NUM 0x19

/// Folders of dumps. This version writes none: each of these functions returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT and
/// leaves a message with its name; acldumpGetPath returns NULL. Threads: no context.
ACL_FUNC_VISIBILITY const char* acldumpGetPath(acldumpType dumpType);
ACL_FUNC_VISIBILITY aclError acldumpSaveExceptionInfo(const char* fileName, const char* userTag,
                                                      const acldumpTensorInfo* tensors, size_t tensorCount);
ACL_FUNC_VISIBILITY aclError acldumpGetExceptionInfoPath(char* path, size_t maxLen);

/// Dumps of arguments and of failures. This version writes none: these functions do nothing.
///
/// Return ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclopStartDumpArgs(uint32_t dumpType, const char* path);
ACL_FUNC_VISIBILITY aclError aclopStopDumpArgs(uint32_t dumpType);
ACL_FUNC_VISIBILITY aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk*, int32_t),
                                                int32_t flag);
ACL_FUNC_VISIBILITY void acldumpUnregCallback(void);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_DUMP_H_
