// SPDX-License-Identifier: Apache-2.0
// Every enumerator of types, memory, events, streams, options and devices has the value that compiled programs carry.
#include <gtest/gtest.h>

#include "abi_pins.h"
#include "acl/acl.h"

namespace portacl::contract {
namespace {

TEST(Abi, AclDataTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclDataType), 4u);
  ExpectPinned(
      {PIN(ACL_DT_UNDEFINED, -1), PIN(ACL_FLOAT, 0),        PIN(ACL_FLOAT16, 1),        PIN(ACL_INT8, 2),
       PIN(ACL_INT32, 3),         PIN(ACL_UINT8, 4),        PIN(ACL_INT16, 6),          PIN(ACL_UINT16, 7),
       PIN(ACL_UINT32, 8),        PIN(ACL_INT64, 9),        PIN(ACL_UINT64, 10),        PIN(ACL_DOUBLE, 11),
       PIN(ACL_BOOL, 12),         PIN(ACL_STRING, 13),      PIN(ACL_COMPLEX64, 16),     PIN(ACL_COMPLEX128, 17),
       PIN(ACL_BF16, 27),         PIN(ACL_INT4, 29),        PIN(ACL_UINT1, 30),         PIN(ACL_COMPLEX32, 33),
       PIN(ACL_HIFLOAT8, 34),     PIN(ACL_FLOAT8_E5M2, 35), PIN(ACL_FLOAT8_E4M3FN, 36), PIN(ACL_FLOAT8_E8M0, 37),
       PIN(ACL_FLOAT6_E3M2, 38),  PIN(ACL_FLOAT6_E2M3, 39), PIN(ACL_FLOAT4_E2M1, 40),   PIN(ACL_FLOAT4_E1M2, 41)});
}

TEST(Abi, AclFormatKeepsItsValues) {
  EXPECT_EQ(sizeof(aclFormat), 4u);
  ExpectPinned({PIN(ACL_FORMAT_UNDEFINED, -1),
                PIN(ACL_FORMAT_NCHW, 0),
                PIN(ACL_FORMAT_NHWC, 1),
                PIN(ACL_FORMAT_ND, 2),
                PIN(ACL_FORMAT_NC1HWC0, 3),
                PIN(ACL_FORMAT_FRACTAL_Z, 4),
                PIN(ACL_FORMAT_NC1HWC0_C04, 12),
                PIN(ACL_FORMAT_HWCN, 16),
                PIN(ACL_FORMAT_NDHWC, 27),
                PIN(ACL_FORMAT_FRACTAL_NZ, 29),
                PIN(ACL_FORMAT_NCDHW, 30),
                PIN(ACL_FORMAT_NDC1HWC0, 32),
                PIN(ACL_FRACTAL_Z_3D, 33),
                PIN(ACL_FORMAT_NC, 35),
                PIN(ACL_FORMAT_NCL, 47),
                PIN(ACL_FORMAT_FRACTAL_NZ_C0_16, 50),
                PIN(ACL_FORMAT_FRACTAL_NZ_C0_32, 51),
                PIN(ACL_FORMAT_FRACTAL_NZ_C0_2, 52),
                PIN(ACL_FORMAT_FRACTAL_NZ_C0_4, 53),
                PIN(ACL_FORMAT_FRACTAL_NZ_C0_8, 54)});
}

TEST(Abi, AclrtMemcpyKindKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemcpyKind), 4u);
  ExpectPinned({PIN(ACL_MEMCPY_HOST_TO_HOST, 0), PIN(ACL_MEMCPY_HOST_TO_DEVICE, 1), PIN(ACL_MEMCPY_DEVICE_TO_HOST, 2),
                PIN(ACL_MEMCPY_DEVICE_TO_DEVICE, 3), PIN(ACL_MEMCPY_DEFAULT, 4),
                PIN(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, 5), PIN(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, 6),
                PIN(ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, 7)});
}

TEST(Abi, AclrtMemMallocPolicyKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemMallocPolicy), 4u);
  ExpectPinned({PIN(ACL_MEM_MALLOC_HUGE_FIRST, 0), PIN(ACL_MEM_MALLOC_HUGE_ONLY, 1), PIN(ACL_MEM_MALLOC_NORMAL_ONLY, 2),
                PIN(ACL_MEM_MALLOC_HUGE_FIRST_P2P, 3), PIN(ACL_MEM_MALLOC_HUGE_ONLY_P2P, 4),
                PIN(ACL_MEM_MALLOC_NORMAL_ONLY_P2P, 5), PIN(ACL_MEM_MALLOC_HUGE1G_ONLY, 6),
                PIN(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P, 7), PIN(ACL_MEM_TYPE_LOW_BAND_WIDTH, 0x100),
                PIN(ACL_MEM_TYPE_HIGH_BAND_WIDTH, 0x1000), PIN(ACL_MEM_ACCESS_USER_SPACE_READONLY, 0x100000)});
}

TEST(Abi, AclrtMemAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemAttr), 4u);
  ExpectPinned({PIN(ACL_DDR_MEM, 0), PIN(ACL_HBM_MEM, 1), PIN(ACL_DDR_MEM_HUGE, 2), PIN(ACL_DDR_MEM_NORMAL, 3),
                PIN(ACL_HBM_MEM_HUGE, 4), PIN(ACL_HBM_MEM_NORMAL, 5), PIN(ACL_DDR_MEM_P2P_HUGE, 6),
                PIN(ACL_DDR_MEM_P2P_NORMAL, 7), PIN(ACL_HBM_MEM_P2P_HUGE, 8), PIN(ACL_HBM_MEM_P2P_NORMAL, 9),
                PIN(ACL_HBM_MEM_HUGE1G, 10), PIN(ACL_HBM_MEM_P2P_HUGE1G, 11), PIN(ACL_MEM_NORMAL, 12),
                PIN(ACL_MEM_HUGE, 13), PIN(ACL_MEM_HUGE1G, 14), PIN(ACL_MEM_P2P_NORMAL, 15), PIN(ACL_MEM_P2P_HUGE, 16),
                PIN(ACL_MEM_P2P_HUGE1G, 17)});
}

TEST(Abi, AclrtMallocAttrTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMallocAttrType), 4u);
  ExpectPinned({PIN(ACL_RT_MEM_ATTR_RSV, 0), PIN(ACL_RT_MEM_ATTR_MODULE_ID, 1), PIN(ACL_RT_MEM_ATTR_DEVICE_ID, 2),
                PIN(ACL_RT_MEM_ATTR_VA_FLAG, 3)});
}

TEST(Abi, AclrtHostRegisterTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtHostRegisterType), 4u);
  ExpectPinned(
      {PIN(ACL_HOST_REGISTER_MAPPED, 0), PIN(ACL_HOST_REGISTER_IOMEMORY, 4), PIN(ACL_HOST_REGISTER_READONLY, 8)});
}

TEST(Abi, AclrtMemLocationTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemLocationType), 4u);
  ExpectPinned({PIN(ACL_MEM_LOCATION_TYPE_HOST, 0), PIN(ACL_MEM_LOCATION_TYPE_DEVICE, 1),
                PIN(ACL_MEM_LOCATION_TYPE_UNREGISTERED, 2), PIN(ACL_MEM_LOCATION_TYPE_MANAGED, 3),
                PIN(ACL_MEM_LOCATION_TYPE_HOST_NUMA, 4)});
}

TEST(Abi, AclrtMemHandleTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemHandleType), 4u);
  ExpectPinned({PIN(ACL_MEM_HANDLE_TYPE_NONE, 0), PIN(ACL_MEM_HANDLE_TYPE_POSIX, 2)});
}

TEST(Abi, AclrtMemAllocationTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemAllocationType), 4u);
  ExpectPinned({PIN(ACL_MEM_ALLOCATION_TYPE_PINNED, 0)});
}

TEST(Abi, AclrtMemGranularityOptionsKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemGranularityOptions), 4u);
  ExpectPinned({PIN(ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, 0), PIN(ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1),
                PIN(ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, 0xffff)});
}

TEST(Abi, AclrtMemAccessFlagsKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtMemAccessFlags), 4u);
  ExpectPinned({PIN(ACL_RT_MEM_ACCESS_FLAGS_NONE, 0), PIN(ACL_RT_MEM_ACCESS_FLAGS_READ, 1),
                PIN(ACL_RT_MEM_ACCESS_FLAGS_READWRITE, 3)});
}

TEST(Abi, AclrtHostMemMapCapabilityKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtHostMemMapCapability), 4u);
  ExpectPinned({PIN(ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED, 0), PIN(ACL_RT_HOST_MEM_MAP_SUPPORTED, 1)});
}

TEST(Abi, AclrtHacTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtHacType), 4u);
  ExpectPinned({PIN(ACL_RT_HAC_TYPE_STARS, 0), PIN(ACL_RT_HAC_TYPE_AICPU, 1), PIN(ACL_RT_HAC_TYPE_AIC, 2),
                PIN(ACL_RT_HAC_TYPE_AIV, 3), PIN(ACL_RT_HAC_TYPE_PCIEDMA, 4), PIN(ACL_RT_HAC_TYPE_RDMA, 5),
                PIN(ACL_RT_HAC_TYPE_SDMA, 6), PIN(ACL_RT_HAC_TYPE_DVPP, 7), PIN(ACL_RT_HAC_TYPE_UDMA, 8),
                PIN(ACL_RT_HAC_TYPE_CCU, 9)});
}

TEST(Abi, AclMemTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclMemType), 4u);
  ExpectPinned({PIN(ACL_MEMTYPE_DEVICE, 0), PIN(ACL_MEMTYPE_HOST, 1), PIN(ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT, 2)});
}

TEST(Abi, AclrtEventStatusKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtEventStatus), 4u);
  ExpectPinned(
      {PIN(ACL_EVENT_STATUS_COMPLETE, 0), PIN(ACL_EVENT_STATUS_NOT_READY, 1), PIN(ACL_EVENT_STATUS_RESERVED, 2)});
}

TEST(Abi, AclrtEventRecordedStatusKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtEventRecordedStatus), 4u);
  ExpectPinned({PIN(ACL_EVENT_RECORDED_STATUS_NOT_READY, 0), PIN(ACL_EVENT_RECORDED_STATUS_COMPLETE, 1)});
}

TEST(Abi, AclrtEventWaitStatusKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtEventWaitStatus), 4u);
  ExpectPinned({PIN(ACL_EVENT_WAIT_STATUS_COMPLETE, 0), PIN(ACL_EVENT_WAIT_STATUS_NOT_READY, 1),
                PIN(ACL_EVENT_WAIT_STATUS_RESERVED, 0xffff)});
}

TEST(Abi, AclrtCallbackBlockTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtCallbackBlockType), 4u);
  ExpectPinned({PIN(ACL_CALLBACK_NO_BLOCK, 0), PIN(ACL_CALLBACK_BLOCK, 1)});
}

TEST(Abi, AclrtCntNotifyRecordModeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtCntNotifyRecordMode), 4u);
  ExpectPinned({PIN(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0), PIN(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1),
                PIN(ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 2), PIN(ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 4)});
}

TEST(Abi, AclrtCntNotifyWaitModeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtCntNotifyWaitMode), 4u);
  ExpectPinned({PIN(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 0), PIN(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1),
                PIN(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 2), PIN(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 3),
                PIN(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 4)});
}

TEST(Abi, AclrtStreamStatusKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtStreamStatus), 4u);
  ExpectPinned({PIN(ACL_STREAM_STATUS_COMPLETE, 0), PIN(ACL_STREAM_STATUS_NOT_READY, 1),
                PIN(ACL_STREAM_STATUS_RESERVED, 0xffff)});
}

TEST(Abi, AclrtStreamConfigAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtStreamConfigAttr), 4u);
  ExpectPinned({PIN(ACL_RT_STREAM_WORK_ADDR_PTR, 0), PIN(ACL_RT_STREAM_WORK_SIZE, 1), PIN(ACL_RT_STREAM_FLAG, 2),
                PIN(ACL_RT_STREAM_PRIORITY, 3)});
}

TEST(Abi, AclrtStreamAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtStreamAttr), 4u);
  ExpectPinned({PIN(ACL_STREAM_ATTR_FAILURE_MODE, 1), PIN(ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, 2),
                PIN(ACL_STREAM_ATTR_USER_CUSTOM_TAG, 3), PIN(ACL_STREAM_ATTR_CACHE_OP_INFO, 4),
                PIN(ACL_STREAM_ATTR_PRIORITY, 5)});
}

TEST(Abi, AclrtStreamStateKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtStreamState), 4u);
  ExpectPinned({PIN(ACL_RT_STREAM_STATE_CREATE_POST, 1), PIN(ACL_RT_STREAM_STATE_DESTROY_PRE, 2)});
}

TEST(Abi, AclrtRunModeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtRunMode), 4u);
  ExpectPinned({PIN(ACL_DEVICE, 0), PIN(ACL_HOST, 1)});
}

TEST(Abi, AclrtTsIdKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtTsId), 4u);
  ExpectPinned({PIN(ACL_TS_ID_AICORE, 0), PIN(ACL_TS_ID_AIVECTOR, 1), PIN(ACL_TS_ID_RESERVED, 2)});
}

TEST(Abi, AclLogLevelKeepsItsValues) {
  EXPECT_EQ(sizeof(aclLogLevel), 4u);
  ExpectPinned({PIN(ACL_DEBUG, 0), PIN(ACL_INFO, 1), PIN(ACL_WARNING, 2), PIN(ACL_ERROR, 3)});
}

TEST(Abi, AclSysParamOptKeepsItsValues) {
  EXPECT_EQ(sizeof(aclSysParamOpt), 4u);
  ExpectPinned({PIN(ACL_OPT_DETERMINISTIC, 0), PIN(ACL_OPT_ENABLE_DEBUG_KERNEL, 1), PIN(ACL_OPT_STRONG_CONSISTENCY, 2),
                PIN(ACL_OPT_ENABLE_KERNEL_EARLY_START, 3)});
}

TEST(Abi, AclrtFloatOverflowModeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtFloatOverflowMode), 4u);
  ExpectPinned({PIN(ACL_RT_OVERFLOW_MODE_SATURATION, 0), PIN(ACL_RT_OVERFLOW_MODE_INFNAN, 1),
                PIN(ACL_RT_OVERFLOW_MODE_UNDEF, 2)});
}

TEST(Abi, AclCannAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclCannAttr), 4u);
  ExpectPinned({PIN(ACL_CANN_ATTR_UNDEFINED, -1), PIN(ACL_CANN_ATTR_INF_NAN, 0), PIN(ACL_CANN_ATTR_BF16, 1),
                PIN(ACL_CANN_ATTR_JIT_COMPILE, 2)});
}

TEST(Abi, AclDeviceInfoKeepsItsValues) {
  EXPECT_EQ(sizeof(aclDeviceInfo), 4u);
  ExpectPinned({PIN(ACL_DEVICE_INFO_UNDEFINED, -1), PIN(ACL_DEVICE_INFO_AI_CORE_NUM, 0),
                PIN(ACL_DEVICE_INFO_VECTOR_CORE_NUM, 1), PIN(ACL_DEVICE_INFO_L2_SIZE, 2)});
}

TEST(Abi, AclrtLastErrLevelKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtLastErrLevel), 4u);
  ExpectPinned({PIN(ACL_RT_THREAD_LEVEL, 0)});
}

TEST(Abi, AclCANNPackageNameKeepsItsValues) {
  EXPECT_EQ(sizeof(aclCANNPackageName), 4u);
  ExpectPinned({PIN(ACL_PKG_NAME_CANN, 0), PIN(ACL_PKG_NAME_RUNTIME, 1), PIN(ACL_PKG_NAME_COMPILER, 2),
                PIN(ACL_PKG_NAME_HCCL, 3), PIN(ACL_PKG_NAME_TOOLKIT, 4), PIN(ACL_PKG_NAME_OPP, 5),
                PIN(ACL_PKG_NAME_OPP_KERNEL, 6), PIN(ACL_PKG_NAME_DRIVER, 7)});
}

TEST(Abi, AclRegisterCallbackTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclRegisterCallbackType), 4u);
  ExpectPinned({PIN(ACL_REG_TYPE_ACL_MODEL, 0), PIN(ACL_REG_TYPE_ACL_OP_EXECUTOR, 1), PIN(ACL_REG_TYPE_ACL_OP_CBLAS, 2),
                PIN(ACL_REG_TYPE_ACL_OP_COMPILER, 3), PIN(ACL_REG_TYPE_ACL_TDT_CHANNEL, 4),
                PIN(ACL_REG_TYPE_ACL_TDT_QUEUE, 5), PIN(ACL_REG_TYPE_ACL_DVPP, 6), PIN(ACL_REG_TYPE_ACL_RETR, 7),
                PIN(ACL_REG_TYPE_OTHER, 0xffff)});
}

TEST(Abi, AclrtProcessStateKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtProcessState), 4u);
  ExpectPinned({PIN(ACL_RT_PROCESS_STATE_RUNNING, 0), PIN(ACL_RT_PROCESS_STATE_LOCKED, 1)});
}

TEST(Abi, AclrtDevAttrKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDevAttr), 4u);
  ExpectPinned({PIN(ACL_DEV_ATTR_AICPU_CORE_NUM, 1),
                PIN(ACL_DEV_ATTR_AICORE_CORE_NUM, 101),
                PIN(ACL_DEV_ATTR_CUBE_CORE_NUM, 102),
                PIN(ACL_DEV_ATTR_VECTOR_CORE_NUM, 201),
                PIN(ACL_DEV_ATTR_WARP_SIZE, 202),
                PIN(ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE, 203),
                PIN(ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE, 204),
                PIN(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, 204),
                PIN(ACL_DEV_ATTR_MAX_GRID_DIM_X, 205),
                PIN(ACL_DEV_ATTR_MAX_GRID_DIM_Y, 206),
                PIN(ACL_DEV_ATTR_MAX_GRID_DIM_Z, 207),
                PIN(ACL_DEV_ATTR_MAX_BLOCK_PER_GRID, 208),
                PIN(ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK, 209),
                PIN(ACL_DEV_ATTR_MAX_BLOCK_DIM_X, 210),
                PIN(ACL_DEV_ATTR_MAX_BLOCK_DIM_Y, 211),
                PIN(ACL_DEV_ATTR_MAX_BLOCK_DIM_Z, 212),
                PIN(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, 301),
                PIN(ACL_DEV_ATTR_L2_CACHE_SIZE, 302),
                PIN(ACL_DEV_ATTR_SMP_ID, 401),
                PIN(ACL_DEV_ATTR_PHY_CHIP_ID, 402),
                PIN(ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID, 403),
                PIN(ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, 403),
                PIN(ACL_DEV_ATTR_SUPER_POD_SERVER_ID, 404),
                PIN(ACL_DEV_ATTR_SUPER_POD_ID, 405),
                PIN(ACL_DEV_ATTR_CUST_OP_PRIVILEGE, 406),
                PIN(ACL_DEV_ATTR_MAINBOARD_ID, 407),
                PIN(ACL_DEV_ATTR_HD_CONNECT_TYPE, 408),
                PIN(ACL_DEV_ATTR_DEVICE_FORM_FACTOR, 409),
                PIN(ACL_DEV_ATTR_IS_VIRTUAL, 501),
                PIN(ACL_DEV_ATTR_NPU_ARCH, 601)});
}

TEST(Abi, AclrtDevFeatureTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDevFeatureType), 4u);
  ExpectPinned(
      {PIN(ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, 1), PIN(ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, 21)});
}

TEST(Abi, AclrtDevResLimitTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDevResLimitType), 4u);
  ExpectPinned({PIN(ACL_RT_DEV_RES_CUBE_CORE, 0), PIN(ACL_RT_DEV_RES_VECTOR_CORE, 1)});
}

TEST(Abi, AclrtDeviceStatusKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDeviceStatus), 4u);
  ExpectPinned({PIN(ACL_RT_DEVICE_STATUS_NORMAL, 0), PIN(ACL_RT_DEVICE_STATUS_ABNORMAL, 1),
                PIN(ACL_RT_DEVICE_STATUS_END, 0xffff)});
}

TEST(Abi, AclrtDeviceStateKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDeviceState), 4u);
  ExpectPinned({PIN(ACL_RT_DEVICE_STATE_SET_PRE, 0), PIN(ACL_RT_DEVICE_STATE_SET_POST, 1),
                PIN(ACL_RT_DEVICE_STATE_RESET_PRE, 2), PIN(ACL_RT_DEVICE_STATE_RESET_POST, 3)});
}

TEST(Abi, AclrtDeviceLimitKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtDeviceLimit), 4u);
  ExpectPinned({PIN(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 0), PIN(ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE, 1),
                PIN(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 2), PIN(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 3),
                PIN(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, 4)});
}

TEST(Abi, AclrtErrorTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtErrorType), 4u);
  ExpectPinned({PIN(ACL_RT_NO_ERROR, 0), PIN(ACL_RT_ERROR_MEMORY, 1), PIN(ACL_RT_ERROR_L2, 2),
                PIN(ACL_RT_ERROR_AICORE, 3), PIN(ACL_RT_ERROR_LINK, 4), PIN(ACL_RT_ERROR_L3_PORT, 5),
                PIN(ACL_RT_ERROR_OTHERS, 0xffff)});
}

TEST(Abi, AclrtAicoreErrorTypeKeepsItsValues) {
  EXPECT_EQ(sizeof(aclrtAicoreErrorType), 4u);
  ExpectPinned(
      {PIN(ACL_RT_AICORE_ERROR_UNKNOWN, 0), PIN(ACL_RT_AICORE_ERROR_SW, 1), PIN(ACL_RT_AICORE_ERROR_HW_LOCAL, 2)});
}

}  // namespace
}  // namespace portacl::contract
