// SPDX-License-Identifier: Apache-2.0
// Every enumerator of sharing, kernels, graphs, faults, profiling, dumps and platforms has the value that compiled
// programs carry.
#include <gtest/gtest.h>

#include "abi_pins.h"
#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"

namespace portacl::contract {
namespace {

TEST(Abi, AclrtMemManagedAdviseTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemManagedAdviseType), 4u);
  ExpectPinned({PIN(ACL_MEM_ADVISE_SET_READ_MOSTLY, 0), PIN(ACL_MEM_ADVISE_UNSET_READ_MOSTLY, 1),
                PIN(ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, 2), PIN(ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 3),
                PIN(ACL_MEM_ADVISE_SET_ACCESSED_BY, 4), PIN(ACL_MEM_ADVISE_UNSET_ACCESSED_BY, 5)});
}

TEST(Abi, AclrtMemManagedLocationTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemManagedLocationType), 4u);
  ExpectPinned({PIN(ACL_MEM_LOCATIONTYPE_INVALID, 0), PIN(ACL_MEM_LOCATIONTYPE_DEVICE, 1),
                PIN(ACL_MEM_LOCATIONTYPE_HOST, 2), PIN(ACL_MEM_LOCATIONTYPE_HOST_NUMA, 3),
                PIN(ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT, 4)});
}

TEST(Abi, AclrtMemPgTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemPgType), 4u);
  ExpectPinned({PIN(NORMAL_PAGE_TYPE, 0), PIN(HUGE_PAGE_TYPE, 1), PIN(HUGE1G_PAGE_TYPE, 2)});
}

TEST(Abi, AclrtMemTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemType), 4u);
  ExpectPinned({PIN(HBM_TYPE, 0), PIN(DDR_TYPE, 1), PIN(P2P_HBM_TYPE, 2), PIN(P2P_DDR_TYPE, 3)});
}

TEST(Abi, AclrtIpcMemAttrTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtIpcMemAttrType), 4u);
  ExpectPinned({PIN(ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0)});
}

TEST(Abi, AclrtGroupAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtGroupAttr), 4u);
  ExpectPinned({PIN(ACL_GROUP_AICORE_INT, 0), PIN(ACL_GROUP_AIV_INT, 1), PIN(ACL_GROUP_AIC_INT, 2),
                PIN(ACL_GROUP_SDMANUM_INT, 3), PIN(ACL_GROUP_ASQNUM_INT, 4), PIN(ACL_GROUP_GROUPID_INT, 5)});
}

TEST(Abi, AclrtMemManagedRangeAttributeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemManagedRangeAttribute), 4u);
  ExpectPinned({PIN(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 1), PIN(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 2),
                PIN(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, 3), PIN(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, 4),
                PIN(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, 5),
                PIN(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 6),
                PIN(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, 7),
                PIN(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, 8)});
}

TEST(Abi, AclrtMemSharedHandleTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemSharedHandleType), 4u);
  ExpectPinned({PIN(ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 1), PIN(ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 2)});
}

TEST(Abi, AclmdlRICaptureModeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclmdlRICaptureMode), 4u);
  ExpectPinned({PIN(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 0), PIN(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, 1),
                PIN(ACL_MODEL_RI_CAPTURE_MODE_RELAXED, 2)});
}

TEST(Abi, AclmdlRICaptureStatusKeepsItsValues) {
  EXPECT_EQ(sizeof(aclmdlRICaptureStatus), 4u);
  ExpectPinned({PIN(ACL_MODEL_RI_CAPTURE_STATUS_NONE, 0), PIN(ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, 1),
                PIN(ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED, 2)});
}

TEST(Abi, AclrtCmoTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtCmoType), 4u);
  ExpectPinned({PIN(ACL_RT_CMO_TYPE_PREFETCH, 0), PIN(ACL_RT_CMO_TYPE_WRITEBACK, 1), PIN(ACL_RT_CMO_TYPE_INVALID, 2),
                PIN(ACL_RT_CMO_TYPE_FLUSH, 3)});
}

TEST(Abi, AclrtBinaryLoadOptionTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtBinaryLoadOptionType), 4u);
  ExpectPinned({PIN(ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 1), PIN(ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC, 2),
                PIN(ACL_RT_BINARY_LOAD_OPT_MAGIC, 2), PIN(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 3)});
}

TEST(Abi, AclrtEngineTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtEngineType), 4u);
  ExpectPinned({PIN(ACL_RT_ENGINE_TYPE_AIC, 0), PIN(ACL_RT_ENGINE_TYPE_AIV, 1)});
}

TEST(Abi, AclrtLaunchKernelAttrIdKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtLaunchKernelAttrId), 4u);
  ExpectPinned({PIN(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 1), PIN(ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE, 2),
                PIN(ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 2), PIN(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 3),
                PIN(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 4),
                PIN(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, 5), PIN(ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 6),
                PIN(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, 7), PIN(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, 8),
                PIN(ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, 9)});
}

TEST(Abi, AclmdlRITaskTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclmdlRITaskType), 4u);
  ExpectPinned({PIN(ACL_MODEL_RI_TASK_DEFAULT, 0), PIN(ACL_MODEL_RI_TASK_KERNEL, 1),
                PIN(ACL_MODEL_RI_TASK_EVENT_RECORD, 2), PIN(ACL_MODEL_RI_TASK_EVENT_WAIT, 3),
                PIN(ACL_MODEL_RI_TASK_EVENT_RESET, 4), PIN(ACL_MODEL_RI_TASK_VALUE_WRITE, 5),
                PIN(ACL_MODEL_RI_TASK_VALUE_WAIT, 6)});
}

TEST(Abi, AclrtReduceKindKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtReduceKind), 4u);
  ExpectPinned({PIN(ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, 10), PIN(ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, 11),
                PIN(ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN, 12), PIN(ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, 13)});
}

TEST(Abi, AclrtConditionKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtCondition), 4u);
  ExpectPinned({PIN(ACL_RT_EQUAL, 0), PIN(ACL_RT_NOT_EQUAL, 1), PIN(ACL_RT_GREATER, 2), PIN(ACL_RT_GREATER_OR_EQUAL, 3),
                PIN(ACL_RT_LESS, 4), PIN(ACL_RT_LESS_OR_EQUAL, 5)});
}

TEST(Abi, AclrtCompareDataTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtCompareDataType), 4u);
  ExpectPinned({PIN(ACL_RT_SWITCH_INT32, 0), PIN(ACL_RT_SWITCH_INT64, 1)});
}

TEST(Abi, AclrtRandomNumFuncTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtRandomNumFuncType), 4u);
  ExpectPinned({PIN(ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, 0), PIN(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, 1),
                PIN(ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS, 2),
                PIN(ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS, 3)});
}

TEST(Abi, AclrtDeviceTaskAbortStageKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDeviceTaskAbortStage), 4u);
  ExpectPinned({PIN(ACL_RT_DEVICE_TASK_ABORT_PRE, 0), PIN(ACL_RT_DEVICE_TASK_ABORT_POST, 1)});
}

TEST(Abi, AclrtUpdateTaskAttrIdKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtUpdateTaskAttrId), 4u);
  ExpectPinned({PIN(ACL_RT_UPDATE_RANDOM_TASK, 1), PIN(ACL_RT_UPDATE_AIC_AIV_TASK, 2)});
}

TEST(Abi, AclrtSnapShotStageKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtSnapShotStage), 4u);
  ExpectPinned({PIN(ACL_RT_SNAPSHOT_LOCK_PRE, 0), PIN(ACL_RT_SNAPSHOT_BACKUP_PRE, 1),
                PIN(ACL_RT_SNAPSHOT_BACKUP_POST, 2), PIN(ACL_RT_SNAPSHOT_RESTORE_PRE, 3),
                PIN(ACL_RT_SNAPSHOT_RESTORE_POST, 4), PIN(ACL_RT_SNAPSHOT_UNLOCK_POST, 5)});
}

TEST(Abi, AclrtFuncAttributeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtFuncAttribute), 4u);
  ExpectPinned(
      {PIN(ACL_FUNC_ATTR_KERNEL_TYPE, 1), PIN(ACL_FUNC_ATTR_KERNEL_RATIO, 2), PIN(ACL_FUNC_ATTR_KERNEL_SCHED_MODE, 3)});
}

TEST(Abi, AclrtKernelTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtKernelType), 4u);
  ExpectPinned({PIN(ACL_KERNEL_TYPE_AICORE, 0), PIN(ACL_KERNEL_TYPE_CUBE, 1), PIN(ACL_KERNEL_TYPE_VECTOR, 2),
                PIN(ACL_KERNEL_TYPE_MIX, 3), PIN(ACL_KERNEL_TYPE_AICPU, 100)});
}

TEST(Abi, AclrtMemLinkTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemLinkType), 4u);
  ExpectPinned({PIN(ACL_RT_MEM_ACCESS_LINK_SIO, 0), PIN(ACL_RT_MEM_ACCESS_LINK_HCCS, 1),
                PIN(ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH, 2), PIN(ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH, 3)});
}

TEST(Abi, AclrtAtomicOperationCapabilityKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtAtomicOperationCapability), 4u);
  ExpectPinned({PIN(ACL_RT_ATOMIC_CAPABILITY_SIGNED, 1), PIN(ACL_RT_ATOMIC_CAPABILITY_UNSIGNED, 2),
                PIN(ACL_RT_ATOMIC_CAPABILITY_REDUCATION, 4), PIN(ACL_RT_ATOMIC_CAPABILITY_REDUCTION, 4),
                PIN(ACL_RT_ATOMIC_CAPABILITY_SCALAR8, 8), PIN(ACL_RT_ATOMIC_CAPABILITY_SCALAR16, 16),
                PIN(ACL_RT_ATOMIC_CAPABILITY_SCALAR32, 32), PIN(ACL_RT_ATOMIC_CAPABILITY_SCALAR64, 64),
                PIN(ACL_RT_ATOMIC_CAPABILITY_SCALAR128, 128), PIN(ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4, 0x100)});
}

TEST(Abi, AclrtAtomicOperationKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtAtomicOperation), 4u);
  ExpectPinned({PIN(ACL_RT_ATOMIC_OPERATION_INTEGER_ADD, 0),
                PIN(ACL_RT_ATOMIC_OPERATION_INTEGER_MIN, 1),
                PIN(ACL_RT_ATOMIC_OPERATION_INTEGER_MAX, 2),
                PIN(ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT, 3),
                PIN(ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT, 4),
                PIN(ACL_RT_ATOMIC_OPERATION_AND, 5),
                PIN(ACL_RT_ATOMIC_OPERATION_OR, 6),
                PIN(ACL_RT_ATOMIC_OPERATION_XOR, 7),
                PIN(ACL_RT_ATOMIC_OPERATION_EXCHANGE, 8),
                PIN(ACL_RT_ATOMIC_OPERATION_CAS, 9),
                PIN(ACL_RT_ATOMIC_OPERATION_FLOAT_ADD, 10),
                PIN(ACL_RT_ATOMIC_OPERATION_FLOAT_MIN, 11),
                PIN(ACL_RT_ATOMIC_OPERATION_FLOAT_MAX, 12),
                PIN(ACL_RT_ATOMIC_OPERATION_DMA_ADD, 30),
                PIN(ACL_RT_ATOMIC_OPERATION_DMA_MIN, 31),
                PIN(ACL_RT_ATOMIC_OPERATION_DMA_MAX, 32),
                PIN(ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD, 40),
                PIN(ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN, 41),
                PIN(ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX, 42),
                PIN(ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS, 43),
                PIN(ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH, 44)});
}

TEST(Abi, AclmdlRICondHandleFlagKeepsItsValues) {
  EXPECT_EQ(sizeof(aclmdlRICondHandleFlag), 4u);
  ExpectPinned({PIN(ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, 1)});
}

TEST(Abi, AclmdlRICondTaskTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclmdlRICondTaskType), 4u);
  ExpectPinned(
      {PIN(ACL_MODEL_RI_COND_TYPE_IF, 0), PIN(ACL_MODEL_RI_COND_TYPE_WHILE, 1), PIN(ACL_MODEL_RI_COND_TYPE_SWITCH, 2)});
}

TEST(Abi, AclrtMemPoolAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemPoolAttr), 4u);
  ExpectPinned(
      {PIN(ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1), PIN(ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 2),
       PIN(ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 3), PIN(ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 4),
       PIN(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, 5), PIN(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, 6),
       PIN(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, 7), PIN(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 8)});
}

TEST(Abi, AclprofAicoreMetricsKeepsItsValues) {
  EXPECT_EQ(sizeof(aclprofAicoreMetrics), 4u);
  ExpectPinned({PIN(ACL_AICORE_ARITHMETIC_UTILIZATION, 0), PIN(ACL_AICORE_PIPE_UTILIZATION, 1),
                PIN(ACL_AICORE_MEMORY_BANDWIDTH, 2), PIN(ACL_AICORE_L0B_AND_WIDTH, 3),
                PIN(ACL_AICORE_RESOURCE_CONFLICT_RATIO, 4), PIN(ACL_AICORE_MEMORY_UB, 5), PIN(ACL_AICORE_L2_CACHE, 6),
                PIN(ACL_AICORE_PIPE_EXECUTE_UTILIZATION, 7), PIN(ACL_AICORE_MEMORY_ACCESS, 8),
                PIN(ACL_AICORE_NONE, 255)});
}

TEST(Abi, AclprofStepTagKeepsItsValues) {
  EXPECT_EQ(sizeof(aclprofStepTag), 4u);
  ExpectPinned({PIN(ACL_STEP_START, 0), PIN(ACL_STEP_END, 1)});
}

TEST(Abi, AclprofSubscribeOpFlagKeepsItsValues) {
  EXPECT_EQ(sizeof(aclprofSubscribeOpFlag), 4u);
  ExpectPinned({PIN(ACL_SUBSCRIBE_OP, 0), PIN(ACL_SUBSCRIBE_SUBGRAPH, 1), PIN(ACL_SUBSCRIBE_OP_THREAD, 2),
                PIN(ACL_SUBSCRIBE_NONE, 255)});
}

TEST(Abi, AclprofSubscribeOpAttriKeepsItsValues) {
  EXPECT_EQ(sizeof(aclprofSubscribeOpAttri), 4u);
  ExpectPinned({PIN(ACL_SUBSCRIBE_ATTRI_THREADID, 0), PIN(ACL_SUBSCRIBE_ATTRI_NONE, 1)});
}

TEST(Abi, AclprofConfigTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclprofConfigType), 4u);
  ExpectPinned({PIN(ACL_PROF_ARGS_MIN, 0), PIN(ACL_PROF_STORAGE_LIMIT, 1), PIN(ACL_PROF_SYS_HARDWARE_MEM_FREQ, 3),
                PIN(ACL_PROF_LLC_MODE, 4), PIN(ACL_PROF_SYS_IO_FREQ, 5), PIN(ACL_PROF_SYS_INTERCONNECTION_FREQ, 6),
                PIN(ACL_PROF_DVPP_FREQ, 7), PIN(ACL_PROF_HOST_SYS, 8), PIN(ACL_PROF_HOST_SYS_USAGE, 9),
                PIN(ACL_PROF_HOST_SYS_USAGE_FREQ, 10), PIN(ACL_PROF_LOW_POWER_FREQ, 11),
                PIN(ACL_PROF_SYS_MEM_SERVICEFLOW, 12), PIN(ACL_PROF_SYS_CPU_FREQ, 13), PIN(ACL_PROF_OPTYPE, 14),
                PIN(ACL_PROF_NTS_METRICS, 15), PIN(ACL_PROF_PATH, 16), PIN(ACL_PROF_ARGS_MAX, 17)});
}

TEST(Abi, AclprofMessageTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclprofMessageType), 4u);
  ExpectPinned({PIN(ACL_PROF_MESSAGE_TYPE_TENSOR_INFO, 0)});
}

TEST(Abi, AcldumpTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(acldumpType), 4u);
  ExpectPinned({PIN(AIC_ERR_BRIEF_DUMP, 1), PIN(AIC_ERR_NORM_DUMP, 2), PIN(AIC_ERR_DETAIL_DUMP, 3), PIN(DATA_DUMP, 4),
                PIN(OVERFLOW_DUMP, 5)});
}

TEST(Abi, AcldumpTensorTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(acldumpTensorType), 4u);
  ExpectPinned({PIN(ACL_DUMP_TENSOR_INPUT, 0), PIN(ACL_DUMP_TENSOR_OUTPUT, 1), PIN(ACL_DUMP_TENSOR_WORKSPACE, 2)});
}

TEST(Abi, AcldumpTensorAddressTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(acldumpTensorAddressType), 4u);
  ExpectPinned({PIN(ACL_DUMP_ADDR_PTR, 0), PIN(ACL_DUMP_ADDR_PTR_PTR, 1), PIN(ACL_DUMP_ADDR_RAW, 2)});
}

TEST(Abi, AcldumpTensorPlacementKeepsItsValues) {
  EXPECT_EQ(sizeof(acldumpTensorPlacement), 4u);
  ExpectPinned({PIN(ACL_DUMP_PLACEMENT_DEVICE, 0), PIN(ACL_DUMP_PLACEMENT_HOST, 1), PIN(ACL_DUMP_PLACEMENT_END, 2)});
}

TEST(Abi, AclplatformDevInfoKeepsItsValues) {
  EXPECT_EQ(sizeof(aclplatformDevInfo), 4u);
  ExpectPinned({PIN(ACL_PLATFORM_AICORE_CNT, 0), PIN(ACL_PLATFORM_AICORE_UB_SIZE, 1),
                PIN(ACL_PLATFORM_CUBE_CORE_CNT, 2), PIN(ACL_PLATFORM_VECTOR_CORE_CNT, 3), PIN(ACL_PLATFORM_L2_SIZE, 4),
                PIN(ACL_PLATFORM_MEMORY_SIZE, 5), PIN(ACL_PLATFORM_CUBE_FREQ, 6), PIN(ACL_PLATFORM_VEC_FREQ, 7),
                PIN(ACL_PLATFORM_BT_SIZE, 8), PIN(ACL_PLATFORM_L0_A_SIZE, 9), PIN(ACL_PLATFORM_L0_B_SIZE, 10),
                PIN(ACL_PLATFORM_L0_C_SIZE, 11), PIN(ACL_PLATFORM_L1_SIZE, 12), PIN(ACL_PLATFORM_SOC_VERSION, 13),
                PIN(ACL_PLATFORM_AIC_VERSION, 14), PIN(ACL_PLATFORM_NPU_ARCH, 15), PIN(ACL_PLATFORM_MEMORY_TYPE, 16)});
}

TEST(Abi, AclplatformCoreTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclplatformCoreType), 4u);
  ExpectPinned({PIN(ACL_PLATFORM_CORE_TYPE_AI_CORE, 0), PIN(ACL_PLATFORM_CORE_TYPE_VECTOR_CORE, 1)});
}

TEST(Abi, AclplatformNpuArchKeepsItsValues) {
  EXPECT_EQ(sizeof(aclplatformNpuArch), 4u);
  ExpectPinned({PIN(DAV_1001, 1001), PIN(DAV_2002, 2002), PIN(DAV_2102, 2102), PIN(DAV_2201, 2201), PIN(DAV_3002, 3002),
                PIN(DAV_3003, 3003), PIN(DAV_3004, 3004), PIN(DAV_3102, 3102), PIN(DAV_3113, 3113), PIN(DAV_3505, 3505),
                PIN(DAV_3510, 3510), PIN(DAV_5102, 5102), PIN(DAV_5162, 5162), PIN(DAV_RESV, 0xffff)});
}

TEST(Abi, AclplatformLocalMemTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclplatformLocalMemType), 4u);
  ExpectPinned({PIN(L0_A, 0), PIN(L0_B, 1), PIN(L0_C, 2), PIN(L1, 3), PIN(L2, 4), PIN(UB, 5), PIN(HBM, 6)});
}

}  // namespace
}  // namespace portacl::contract
