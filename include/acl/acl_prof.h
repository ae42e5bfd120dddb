// SPDX-License-Identifier: Apache-2.0
// Profiling: a trace of a part of the program.
#ifndef PORTACL_INCLUDE_ACL_ACL_PROF_H_
#define PORTACL_INCLUDE_ACL_ACL_PROF_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: configuration, events, attributes, a step, a subscription.
typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofEventAttributes aclprofEventAttributes;
typedef struct aclprofStepInfo aclprofStepInfo;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;

/// Metrics that are measured on a core.
typedef enum aclprofAicoreMetrics {
  ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
  ACL_AICORE_PIPE_UTILIZATION = 1,
  ACL_AICORE_MEMORY_BANDWIDTH = 2,
  ACL_AICORE_L0B_AND_WIDTH = 3,
  ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
  ACL_AICORE_MEMORY_UB = 5,
  ACL_AICORE_L2_CACHE = 6,
  ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
  ACL_AICORE_MEMORY_ACCESS = 8,
  ACL_AICORE_NONE = 255
} aclprofAicoreMetrics;

/// Ends of a step.
typedef enum aclprofStepTag { ACL_STEP_START = 0, ACL_STEP_END = 1 } aclprofStepTag;

/// Units that a subscription reports.
typedef enum aclprofSubscribeOpFlag {
  ACL_SUBSCRIBE_OP = 0,
  ACL_SUBSCRIBE_SUBGRAPH = 1,
  ACL_SUBSCRIBE_OP_THREAD = 2,
  ACL_SUBSCRIBE_NONE = 255
} aclprofSubscribeOpFlag;

/// Attributes of a subscribed operator.
typedef enum aclprofSubscribeOpAttri {
  ACL_SUBSCRIBE_ATTRI_THREADID = 0,
  ACL_SUBSCRIBE_ATTRI_NONE = 1
} aclprofSubscribeOpAttri;

/// Settings of profiling.
typedef enum aclprofConfigType {
  ACL_PROF_ARGS_MIN = 0,
  ACL_PROF_STORAGE_LIMIT = 1,
  ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
  ACL_PROF_LLC_MODE = 4,
  ACL_PROF_SYS_IO_FREQ = 5,
  ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
  ACL_PROF_DVPP_FREQ = 7,
  ACL_PROF_HOST_SYS = 8,
  ACL_PROF_HOST_SYS_USAGE = 9,
  ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
  ACL_PROF_LOW_POWER_FREQ = 11,
  ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
  ACL_PROF_SYS_CPU_FREQ = 13,
  ACL_PROF_OPTYPE = 14,
  ACL_PROF_NTS_METRICS = 15,
  ACL_PROF_PATH = 16,
  ACL_PROF_ARGS_MAX = 17
} aclprofConfigType;

/// Kinds of messages.
typedef enum aclprofMessageType { ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0 } aclprofMessageType;

/// Data that is recorded, as a mask.
#define ACL_PROF_ACL_API 0x1ULL
#define ACL_PROF_TASK_TIME 0x2ULL
#define ACL_PROF_AICORE_METRICS 0x4ULL
#define ACL_PROF_AICPU 0x8ULL
#define ACL_PROF_L2CACHE 0x10ULL
#define ACL_PROF_HCCL_TRACE 0x20ULL
#define ACL_PROF_TRAINING_TRACE 0x40ULL
#define ACL_PROF_MSPROFTX 0x80ULL
#define ACL_PROF_RUNTIME_API 0x100ULL
#define ACL_PROF_GE_API_L0 0x200ULL
#define ACL_PROF_TASK_TIME_L0 0x800ULL
#define ACL_PROF_TASK_MEMORY 0x1000ULL
#define ACL_PROF_TASK_TIME_L2 0x2000ULL
#define ACL_PROF_OP_ATTR 0x4000ULL
#define ACL_PROF_TASK_TIME_L3 0x8000ULL
#define ACL_PROF_GE_API_L1 0x1000000ULL
#define ACL_PROF_API_STATS 0x400000000ULL
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL

/// Lengths of names and shapes; version of aclprofEventAttributes.
#define ACL_PROF_MAX_OP_NAME_LEN 0x101
#define ACL_PROF_MAX_OP_TYPE_LEN 0x41
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 0x8
#define ACL_PROF_EVENT_ATTR_VERSION 0x1

/// Subscriptions to reports on operators. This version delivers none: each of these functions leaves a message with its
/// name and returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT, or 0 or NULL where it returns a number or an address. Threads: no
/// context.
ACL_FUNC_VISIBILITY aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig* profSubscribeConfig);
ACL_FUNC_VISIBILITY aclError aclprofModelUnSubscribe(uint32_t modelId);
ACL_FUNC_VISIBILITY aclprofSubscribeConfig* aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                                         aclprofAicoreMetrics aicoreMetrics, void* fd);
ACL_FUNC_VISIBILITY aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig* profSubscribeConfig);
ACL_FUNC_VISIBILITY aclError aclprofGetOpDescSize(size_t* opDescSize);
ACL_FUNC_VISIBILITY aclError aclprofGetOpNum(const void* opInfo, size_t opInfoLen, uint32_t* opNumber);
ACL_FUNC_VISIBILITY aclError aclprofGetOpTypeLen(const void* opInfo, size_t opInfoLen, uint32_t index,
                                                 size_t* opTypeLen);
ACL_FUNC_VISIBILITY aclError aclprofGetOpType(const void* opInfo, size_t opInfoLen, uint32_t index, char* opType,
                                              size_t opTypeLen);
ACL_FUNC_VISIBILITY aclError aclprofGetOpNameLen(const void* opInfo, size_t opInfoLen, uint32_t index,
                                                 size_t* opNameLen);
ACL_FUNC_VISIBILITY aclError aclprofGetOpName(const void* opInfo, size_t opInfoLen, uint32_t index, char* opName,
                                              size_t opNameLen);
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpStart(const void* opInfo, size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpEnd(const void* opInfo, size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpDuration(const void* opInfo, size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY size_t aclprofGetModelId(const void* opInfo, size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY aclprofSubscribeOpFlag aclprofGetOpFlag(const void* opInfo, size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY const char* aclprofGetOpAttriValue(const void* opInfo, size_t opInfoLen, uint32_t index,
                                                       aclprofSubscribeOpAttri attri);

/// Creates a profiling configuration for `deviceNums` devices in `deviceIdList` (NULL: the first), used from
/// aclprofStart() on. The other arguments are not read: everything is recorded.
///
/// Returns an object; NULL, with a report of ACL_ERROR_INVALID_PARAM, if there are fewer devices, before any device
/// number is read. Threads: no context.
ACL_FUNC_VISIBILITY aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
                                                       aclprofAicoreMetrics aicoreMetrics,
                                                       const aclprofAicoreEvents* aicoreEvents,
                                                       uint64_t dataTypeConfig);

/// Frees a configuration. It does nothing, as no memory was allocated.
///
/// Returns ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig);

/// Describes a step of training. The description is empty; aclprofDestroyStepInfo does nothing.
///
/// Returns an object, never NULL. Threads: no context.
ACL_FUNC_VISIBILITY aclprofStepInfo* aclprofCreateStepInfo(void);

/// Describes a point in time. The description is empty; aclprofDestroyStamp does nothing.
///
/// Returns an object, never NULL. Threads: no context.
ACL_FUNC_VISIBILITY void* aclprofCreateStamp(void);

/// Sets the folder for traces, a path of `length` bytes; a missing folder is created when a trace starts.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofInit(const char* profilerResultPath, size_t length);

/// Ends the trace; before the next aclprofStart, aclprofInit must be called again.
///
/// Returns ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofFinalize(void);

/// Starts a trace, in the format of PORTACL_TRACE, of the whole process until aclprofStop, in
/// PROF_000001_<date>_<process>/trace.json in the folder of aclprofInit; without a folder it does nothing. After
/// aclprofStop it continues the same trace.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_INVALID_FILE (the trace cannot be written).
/// Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofStart(const aclprofConfig* profilerConfig);

/// Interrupts the trace. Tasks that have not ended are not included.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofStop(const aclprofConfig* profilerConfig);

/// Features of the profiler beyond these functions: there are none.
///
/// featuresSize  out  0.
/// featuresData  out  NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofGetSupportedFeatures(size_t* featuresSize, void** featuresData);
/// aclprofGetSupportedFeatures under a later name.
ACL_FUNC_VISIBILITY aclError aclprofGetSupportedFeaturesV2(size_t* featuresSize, void** featuresData);

/// Preparations, settings, steps and stamps. These functions do nothing.
///
/// Return ACL_SUCCESS; aclprofStr2Id 0. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclprofWarmup(const aclprofConfig* profilerConfig);
ACL_FUNC_VISIBILITY aclError aclprofRegisterDeviceCallback(void);
ACL_FUNC_VISIBILITY aclError aclprofSetConfig(aclprofConfigType configType, const char* config, size_t configLength);
ACL_FUNC_VISIBILITY aclError aclprofGetStepTimestamp(aclprofStepInfo* stepInfo, aclprofStepTag tag, aclrtStream stream);
ACL_FUNC_VISIBILITY void aclprofDestroyStepInfo(aclprofStepInfo* stepinfo);
ACL_FUNC_VISIBILITY aclError aclprofMarkEx(const char* msg, size_t msgLen, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclprofRangePushEx(aclprofEventAttributes* attr);
ACL_FUNC_VISIBILITY aclError aclprofRangePop(void);
ACL_FUNC_VISIBILITY uint64_t aclprofStr2Id(const char* message);
ACL_FUNC_VISIBILITY void aclprofDestroyStamp(void* stamp);
ACL_FUNC_VISIBILITY aclError aclprofPush(void* stamp);
ACL_FUNC_VISIBILITY aclError aclprofPop(void);
ACL_FUNC_VISIBILITY aclError aclprofRangeStart(void* stamp, uint32_t* rangeId);
ACL_FUNC_VISIBILITY aclError aclprofRangeStop(uint32_t rangeId);
ACL_FUNC_VISIBILITY aclError aclprofSetStampTraceMessage(void* stamp, const char* msg, uint32_t msgLen);
ACL_FUNC_VISIBILITY aclError aclprofMark(void* stamp);

/// Reports of plug-ins to the profiler. Nothing is stored: these functions do nothing.
///
/// Return 0. Threads: no context.
ACL_FUNC_VISIBILITY int32_t MsprofRegisterCallback(uint32_t moduleId, void* handle);
ACL_FUNC_VISIBILITY int32_t MsprofReportApi(uint32_t aging, const void* api);
ACL_FUNC_VISIBILITY int32_t MsprofReportCompactInfo(uint32_t aging, void* data, uint32_t length);
ACL_FUNC_VISIBILITY int32_t MsprofReportAdditionalInfo(uint32_t aging, void* data, uint32_t length);
ACL_FUNC_VISIBILITY uint64_t MsprofGetHashId(const char* text, size_t length);
ACL_FUNC_VISIBILITY uint64_t MsprofSysCycleTime(void);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_PROF_H_
