// SPDX-License-Identifier: Apache-2.0
// Constants, handles and structs of collective communication.
#ifndef PORTACL_INCLUDE_HCCL_HCCL_TYPES_H_
#define PORTACL_INCLUDE_HCCL_HCCL_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HCCL_ROOT_INFO_BYTES 4108
#define COMM_NAME_MAX_LENGTH 128
#define BUFFER_NAME_MAX_LENGTH 128
#define UDI_MAX_LENGTH 128
#define HCCL_COMM_ALGO_MAX_LENGTH 1600
#define HCCL_COMM_RETRY_ENABLE_MAX_LENGTH 50
#define HCCL_COMM_RETRY_PARAMS_MAX_LENGTH 128
#define HCCL_COMM_CONFIG_INFO_BYTES 24
#define HCCL_COMM_CONFIG_MAGIC_WORD 0xf0f0f0f0
#define HCCL_COMM_CONFIG_VERSION 11
#define HCCL_COMM_DEFAULT_BUFFSIZE 200
#define HCCL_COMM_DEFAULT_DETERMINISTIC 0
#define HCCL_COMM_DEFAULT_OP_EXPANSION_MODE 0
#define HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE 16
#define HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_QOS_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET (-1)

/// Result of every function.
typedef enum HcclResult {
  HCCL_SUCCESS = 0,
  HCCL_E_PARA = 1,
  HCCL_E_PTR = 2,
  HCCL_E_MEMORY = 3,
  HCCL_E_INTERNAL = 4,
  HCCL_E_NOT_SUPPORT = 5,
  HCCL_E_NOT_FOUND = 6,
  HCCL_E_UNAVAIL = 7,
  HCCL_E_SYSCALL = 8,
  HCCL_E_TIMEOUT = 9,
  HCCL_E_OPEN_FILE_FAILURE = 10,
  HCCL_E_TCP_CONNECT = 11,
  HCCL_E_ROCE_CONNECT = 12,
  HCCL_E_TCP_TRANSFER = 13,
  HCCL_E_ROCE_TRANSFER = 14,
  HCCL_E_RUNTIME = 15,
  HCCL_E_DRV = 16,
  HCCL_E_PROFILING = 17,
  HCCL_E_CCE = 18,
  HCCL_E_NETWORK = 19,
  HCCL_E_AGAIN = 20,
  HCCL_E_REMOTE = 21,
  HCCL_E_SUSPENDING = 22,
  HCCL_E_OPRETRY_FAIL = 23,
  HCCL_E_OOM = 24,
  HCCL_E_IN_STATUS = 1041,
  HCCL_E_RESERVED
} HcclResult;

/// Types of elements.
typedef enum HcclDataType {
  HCCL_DATA_TYPE_INT8 = 0,
  HCCL_DATA_TYPE_INT16 = 1,
  HCCL_DATA_TYPE_INT32 = 2,
  HCCL_DATA_TYPE_FP16 = 3,
  HCCL_DATA_TYPE_FP32 = 4,
  HCCL_DATA_TYPE_INT64 = 5,
  HCCL_DATA_TYPE_UINT64 = 6,
  HCCL_DATA_TYPE_UINT8 = 7,
  HCCL_DATA_TYPE_UINT16 = 8,
  HCCL_DATA_TYPE_UINT32 = 9,
  HCCL_DATA_TYPE_FP64 = 10,
  HCCL_DATA_TYPE_BFP16 = 11,
  HCCL_DATA_TYPE_INT128 = 12,
  HCCL_DATA_TYPE_HIF8 = 14,
  HCCL_DATA_TYPE_FP8E4M3 = 15,
  HCCL_DATA_TYPE_FP8E5M2 = 16,
  HCCL_DATA_TYPE_FP8E8M0 = 17,
  HCCL_DATA_TYPE_RESERVED = 255
} HcclDataType;

/// How elements are reduced.
typedef enum HcclReduceOp {
  HCCL_REDUCE_SUM = 0,
  HCCL_REDUCE_PROD = 1,
  HCCL_REDUCE_MAX = 2,
  HCCL_REDUCE_MIN = 3,
  HCCL_REDUCE_RESERVED = 255
} HcclReduceOp;

/// Direction of one item of HcclBatchSendRecv.
typedef enum HcclSendRecvType { HCCL_SEND = 0, HCCL_RECV = 1, HCCL_SEND_RECV_RESERVED = 2 } HcclSendRecvType;

/// Settings of the process.
typedef enum HcclConfig { HCCL_DETERMINISTIC = 0, HCCL_ACCELERATOR = 1, HCCL_CONFIG_RESERVED } HcclConfig;

/// Value of such a setting.
typedef union HcclConfigValue {
  int32_t value;
} HcclConfigValue;

/// Members of HcclCommConfig that a library supports, in the order in which they were added.
typedef enum HcclCommConfigCapability {
  HCCL_COMM_CONFIG_BUFFER_SIZE = 0,
  HCCL_COMM_CONFIG_DETERMINISTIC = 1,
  HCCL_COMM_CONFIG_COMM_NAME = 2,
  HCCL_COMM_CONFIG_OP_EXPANSION_MODE = 3,
  HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV = 4,
  HCCL_COMM_CONFIG_WORLD_RANKID = 5,
  HCCL_COMM_CONFIG_JOBID = 6,
  HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE = 7,
  HCCL_COMM_CONFIG_EXEC_TIMEOUT = 8,
  HCCL_COMM_CONFIG_ALGO = 9,
  HCCL_COMM_CONFIG_RETRY = 10,
  HCCL_COMM_CONFIG_BUFFER_NAME = 11,
  HCCL_COMM_CONFIG_RESERVED = 12
} HcclCommConfigCapability;

/// State of a communicator.
typedef enum HcclCommStatus {
  HCCL_COMM_STATUS_READY = 0,
  HCCL_COMM_STATUS_SUSPENDING = 1,
  HCCL_COMM_STATUS_INVALID = 254,
  HCCL_COMM_STATUS_RESERVED = 255
} HcclCommStatus;

/// When a callback of HcclCommRegCommStateCallback is called.
typedef enum HcclCommStatePhase {
  HCCL_COMM_STATE_PHASE_INVALID = -1,
  HCCL_COMM_STATE_PHASE_DESTROY_PRE = 0,
  HCCL_COMM_STATE_PHASE_DESTROY_POST = 1,
  HCCL_COMM_STATE_PHASE_RESUME_PRE = 2,
  HCCL_COMM_STATE_PHASE_RESUME_POST = 3
} HcclCommStatePhase;

/// Where a card schedules an operation's steps; has no effect here.
typedef enum HcclOpExpansionMode {
  HCCL_OP_EXPANSION_MODE_INVALID = -1,
  HCCL_OP_EXPANSION_MODE_AI_CPU = 0,
  HCCL_OP_EXPANSION_MODE_AIV = 1,
  HCCL_OP_EXPANSION_MODE_HOST = 2,
  HCCL_OP_EXPANSION_MODE_HOST_TS = 3,
  HCCL_OP_EXPANSION_MODE_CCU_MS = 4,
  HCCL_OP_EXPANSION_MODE_CCU_SCHED = 5,
  HCCL_OP_EXPANSION_AIV_ONLY = 6
} HcclOpExpansionMode;

/// Settings that HcclConfigGetInfo returns.
typedef enum HcclConfigType {
  HCCL_CONFIG_TYPE_INVALID = -1,
  HCCL_CONFIG_TYPE_OP_EXPANSION_MODE = 0,
  HCCL_CONFIG_TYPE_HCCL_ALGO = 1
} HcclConfigType;

/// Operations, as profilers and configurations name them.
typedef enum HcclCMDType {
  HCCL_CMD_INVALID = 0,
  HCCL_CMD_BROADCAST = 1,
  HCCL_CMD_ALLREDUCE = 2,
  HCCL_CMD_REDUCE = 3,
  HCCL_CMD_SEND = 4,
  HCCL_CMD_RECEIVE = 5,
  HCCL_CMD_ALLGATHER = 6,
  HCCL_CMD_REDUCE_SCATTER = 7,
  HCCL_CMD_ALLTOALLV = 8,
  HCCL_CMD_ALLTOALLVC = 9,
  HCCL_CMD_ALLTOALL = 10,
  HCCL_CMD_GATHER = 11,
  HCCL_CMD_SCATTER = 12,
  HCCL_CMD_BATCH_SEND_RECV = 13,
  HCCL_CMD_BATCH_PUT = 14,
  HCCL_CMD_BATCH_GET = 15,
  HCCL_CMD_ALLGATHER_V = 16,
  HCCL_CMD_REDUCE_SCATTER_V = 17,
  HCCL_CMD_BATCH_WRITE = 18,
  HCCL_CMD_HALF_ALLTOALLV = 20,
  HCCL_CMD_ALL = 21,
  HCCL_CMD_FINALIZE = 100,
  HCCL_CMD_INTER_GROUP_SYNC = 101,
  HCCL_CMD_INIT = 102,
  HCCL_CMD_BARRIER = 103,
  HCCL_CMD_MAX = 104
} HcclCMDType;

/// A communicator: the ranks of a group, seen from one of them.
typedef void* HcclComm;
typedef void* HcclConn;
typedef void* HcclCommSymWindow;

/// The data by which ranks find each other; opaque, starts with an address as text.
typedef struct HcclRootInfoDef {
  char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

/// One message of HcclBatchSendRecv.
typedef struct HcclSendRecvItemDef {
  HcclSendRecvType sendRecvType;
  void* buf;
  uint64_t count;
  HcclDataType dataType;
  uint32_t remoteRank;
} HcclSendRecvItem;

/// Settings of a communicator; HcclCommConfigInit sets the defaults.
typedef struct HcclCommConfigDef {
  char reserved[HCCL_COMM_CONFIG_INFO_BYTES];  // size_t size, uint32_t magic, uint32_t version, uint64_t 0
  uint32_t hcclBufferSize;                     // MB; no effect
  uint32_t hcclDeterministic;                  // no effect: results always have the same bits
  char hcclCommName[COMM_NAME_MAX_LENGTH];     // result of HcclGetCommName
  char hcclUdi[UDI_MAX_LENGTH];                // appears in messages
  uint32_t hcclOpExpansionMode;                // no effect
  uint32_t hcclRdmaTrafficClass;               // no effect
  uint32_t hcclRdmaServiceLevel;               // no effect
  uint32_t hcclWorldRankID;                    // no effect
  uint64_t hcclJobID;                          // no effect
  uint8_t aclGraphZeroCopyEnable;              // no effect
  int32_t hcclExecTimeOut;                     // limit of one operation in seconds; 0: none, -1: that of the process
  char hcclAlgo[HCCL_COMM_ALGO_MAX_LENGTH];    // no effect, like all members below
  char hcclRetryEnable[HCCL_COMM_RETRY_ENABLE_MAX_LENGTH];
  char hcclRetryParams[HCCL_COMM_RETRY_PARAMS_MAX_LENGTH];
  char hcclBufferName[BUFFER_NAME_MAX_LENGTH];
  uint32_t hcclQos;
  uint64_t hcclSymWinMaxMemSizePerRank;
  uint32_t hcclChannelSqDepth;
} HcclCommConfig;

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_HCCL_HCCL_TYPES_H_
