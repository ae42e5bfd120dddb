// SPDX-License-Identifier: Apache-2.0
// Types of kernel binaries, launches and device-controlled tasks. This version exports no function for them.
#ifndef PORTACL_INCLUDE_ACL_RT_KERNEL_H_
#define PORTACL_INCLUDE_ACL_RT_KERNEL_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: a kernel binary, a loaded binary, a kernel, its arguments, one argument.
typedef void* aclrtBinary;
typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;
typedef void* aclrtArgsHandle;
typedef void* aclrtParamHandle;

/// How a binary is loaded. One value has two spellings.
typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;

/// Cores a kernel runs on.
typedef enum aclrtEngineType { ACL_RT_ENGINE_TYPE_AIC = 0, ACL_RT_ENGINE_TYPE_AIV = 1 } aclrtEngineType;

/// Attributes of a launch. One value has two spellings.
typedef enum aclrtLaunchKernelAttrId {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9
} aclrtLaunchKernelAttrId;

/// What can be asked about a kernel.
typedef enum aclrtFuncAttribute {
  ACL_FUNC_ATTR_KERNEL_TYPE = 1,
  ACL_FUNC_ATTR_KERNEL_RATIO = 2,
  ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3
} aclrtFuncAttribute;

/// Kinds of kernels.
typedef enum aclrtKernelType {
  ACL_KERNEL_TYPE_AICORE = 0,
  ACL_KERNEL_TYPE_CUBE = 1,
  ACL_KERNEL_TYPE_VECTOR = 2,
  ACL_KERNEL_TYPE_MIX = 3,
  ACL_KERNEL_TYPE_AICPU = 100
} aclrtKernelType;

/// Comparisons of a switch of streams.
typedef enum aclrtCondition {
  ACL_RT_EQUAL = 0,
  ACL_RT_NOT_EQUAL = 1,
  ACL_RT_GREATER = 2,
  ACL_RT_GREATER_OR_EQUAL = 3,
  ACL_RT_LESS = 4,
  ACL_RT_LESS_OR_EQUAL = 5
} aclrtCondition;

/// Element type of a switch of streams.
typedef enum aclrtCompareDataType { ACL_RT_SWITCH_INT32 = 0, ACL_RT_SWITCH_INT64 = 1 } aclrtCompareDataType;

/// Functions of random numbers.
typedef enum aclrtRandomNumFuncType {
  ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;

/// Tasks that can be changed after they were queued.
typedef enum aclrtUpdateTaskAttrId {
  ACL_RT_UPDATE_RANDOM_TASK = 1,
  ACL_RT_UPDATE_AIC_AIV_TASK = 2
} aclrtUpdateTaskAttrId;

/// First word of a kernel binary, by kind of core.
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U

/// Opaque: parameters of random numbers; a change of a queued task.
typedef struct aclrtRandomNumTaskInfo aclrtRandomNumTaskInfo;
typedef struct aclrtTaskUpdateInfo aclrtTaskUpdateInfo;

/// Value of one aclrtBinaryLoadOptionType.
typedef union aclrtBinaryLoadOptionValue {
  int32_t i32;
  uint32_t u32;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

/// One option of loading a binary.
typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

/// Options of loading a binary.
typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

/// A time limit in two halves, in microseconds.
typedef struct aclrtLaunchKernelTimeoutUs {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtLaunchKernelTimeoutUs;

/// Value of one aclrtLaunchKernelAttrId: switches and modes are `u8`, sizes and offsets `u32`.
typedef union aclrtLaunchKernelAttrValue {
  uint8_t u8;
  uint32_t u32;
  aclrtEngineType engineType;
  uint16_t timeout;  ///< s
  aclrtLaunchKernelTimeoutUs timeoutUs;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

/// One attribute of a launch.
typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

/// Attributes of a launch.
typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr* attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;

/// An argument that is an address into the same argument block; both offsets in bytes.
typedef struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

// The kernel compiler has a dim3 of its own.
#ifndef __BISHENG_CCEC__
/// Extent of a grid or a block.
struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
#ifdef __cplusplus
  dim3(uint32_t xExtent = 1, uint32_t yExtent = 1, uint32_t zExtent = 1) : x(xExtent), y(yExtent), z(zExtent) {}
#endif
};
typedef struct dim3 dim3;
#endif

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_KERNEL_H_
