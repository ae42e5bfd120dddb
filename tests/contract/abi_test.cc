// SPDX-License-Identifier: Apache-2.0
// Every struct with a public layout has the sizes and offsets that compiled programs carry.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi_pins.h"
#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace portacl::contract {
namespace {

TEST(Abi, AclrtMallocAttrValueKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMallocAttrValue), 8u);
  EXPECT_EQ(alignof(aclrtMallocAttrValue), 4u);
  ExpectPinned({PIN(offsetof(aclrtMallocAttrValue, moduleId), 0), PIN(offsetof(aclrtMallocAttrValue, deviceId), 0),
                PIN(offsetof(aclrtMallocAttrValue, vaFlag), 0), PIN(offsetof(aclrtMallocAttrValue, rsv), 0)});
}

TEST(Abi, AclrtMallocAttributeKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMallocAttribute), 12u);
  EXPECT_EQ(alignof(aclrtMallocAttribute), 4u);
  ExpectPinned({PIN(offsetof(aclrtMallocAttribute, attr), 0), PIN(offsetof(aclrtMallocAttribute, value), 4)});
}

TEST(Abi, AclrtMallocConfigKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMallocConfig), 16u);
  EXPECT_EQ(alignof(aclrtMallocConfig), 8u);
  ExpectPinned({PIN(offsetof(aclrtMallocConfig, attrs), 0), PIN(offsetof(aclrtMallocConfig, numAttrs), 8)});
}

TEST(Abi, AclrtMemLocationKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemLocation), 8u);
  EXPECT_EQ(alignof(aclrtMemLocation), 4u);
  ExpectPinned({PIN(offsetof(aclrtMemLocation, id), 0), PIN(offsetof(aclrtMemLocation, type), 4)});
}

TEST(Abi, AclrtMemManagedLocationKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemManagedLocation), 8u);
  EXPECT_EQ(alignof(aclrtMemManagedLocation), 4u);
  ExpectPinned({PIN(offsetof(aclrtMemManagedLocation, type), 0), PIN(offsetof(aclrtMemManagedLocation, id), 4)});
}

TEST(Abi, AclrtPtrAttributesKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtPtrAttributes), 28u);
  EXPECT_EQ(alignof(aclrtPtrAttributes), 4u);
  ExpectPinned({PIN(offsetof(aclrtPtrAttributes, location), 0), PIN(offsetof(aclrtPtrAttributes, pageSize), 8),
                PIN(offsetof(aclrtPtrAttributes, rsv), 12)});
}

TEST(Abi, AclrtPhysicalMemPropKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtPhysicalMemProp), 32u);
  EXPECT_EQ(alignof(aclrtPhysicalMemProp), 8u);
  ExpectPinned({PIN(offsetof(aclrtPhysicalMemProp, handleType), 0),
                PIN(offsetof(aclrtPhysicalMemProp, allocationType), 4), PIN(offsetof(aclrtPhysicalMemProp, memAttr), 8),
                PIN(offsetof(aclrtPhysicalMemProp, location), 12), PIN(offsetof(aclrtPhysicalMemProp, reserve), 24)});
}

TEST(Abi, AclrtMemAccessDescKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemAccessDesc), 24u);
  EXPECT_EQ(alignof(aclrtMemAccessDesc), 4u);
  ExpectPinned({PIN(offsetof(aclrtMemAccessDesc, flags), 0), PIN(offsetof(aclrtMemAccessDesc, location), 4),
                PIN(offsetof(aclrtMemAccessDesc, rsv), 12)});
}

TEST(Abi, AclrtMemUsageInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemUsageInfo), 112u);
  EXPECT_EQ(alignof(aclrtMemUsageInfo), 8u);
  ExpectPinned({PIN(offsetof(aclrtMemUsageInfo, name), 0), PIN(offsetof(aclrtMemUsageInfo, curMemSize), 32),
                PIN(offsetof(aclrtMemUsageInfo, memPeakSize), 40), PIN(offsetof(aclrtMemUsageInfo, reserved), 48)});
}

TEST(Abi, AclrtMemcpyBatchAttrKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemcpyBatchAttr), 32u);
  EXPECT_EQ(alignof(aclrtMemcpyBatchAttr), 4u);
  ExpectPinned({PIN(offsetof(aclrtMemcpyBatchAttr, dstLoc), 0), PIN(offsetof(aclrtMemcpyBatchAttr, srcLoc), 8),
                PIN(offsetof(aclrtMemcpyBatchAttr, rsv), 16)});
}

TEST(Abi, AclrtStreamConfigHandleKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtStreamConfigHandle), 32u);
  EXPECT_EQ(alignof(aclrtStreamConfigHandle), 8u);
  ExpectPinned({PIN(offsetof(aclrtStreamConfigHandle, workptr), 0), PIN(offsetof(aclrtStreamConfigHandle, workSize), 8),
                PIN(offsetof(aclrtStreamConfigHandle, flag), 16),
                PIN(offsetof(aclrtStreamConfigHandle, priority), 24)});
}

TEST(Abi, AclrtStreamAttrValueKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtStreamAttrValue), 16u);
  EXPECT_EQ(alignof(aclrtStreamAttrValue), 8u);
  ExpectPinned(
      {PIN(offsetof(aclrtStreamAttrValue, failureMode), 0), PIN(offsetof(aclrtStreamAttrValue, overflowSwitch), 0),
       PIN(offsetof(aclrtStreamAttrValue, userCustomTag), 0), PIN(offsetof(aclrtStreamAttrValue, cacheOpInfoSwitch), 0),
       PIN(offsetof(aclrtStreamAttrValue, streamPriority), 0), PIN(offsetof(aclrtStreamAttrValue, reserve), 0)});
}

TEST(Abi, AclrtUtilizationInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtUtilizationInfo), 24u);
  EXPECT_EQ(alignof(aclrtUtilizationInfo), 8u);
  ExpectPinned({PIN(offsetof(aclrtUtilizationInfo, cubeUtilization), 0),
                PIN(offsetof(aclrtUtilizationInfo, vectorUtilization), 4),
                PIN(offsetof(aclrtUtilizationInfo, aicpuUtilization), 8),
                PIN(offsetof(aclrtUtilizationInfo, memoryUtilization), 12),
                PIN(offsetof(aclrtUtilizationInfo, utilizationExtend), 16)});
}

TEST(Abi, AclrtUuidKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtUuid), 16u);
  EXPECT_EQ(alignof(aclrtUuid), 1u);
  ExpectPinned({PIN(offsetof(aclrtUuid, bytes), 0)});
}

TEST(Abi, AclCANNPackageVersionKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclCANNPackageVersion), 512u);
  EXPECT_EQ(alignof(aclCANNPackageVersion), 1u);
  ExpectPinned(
      {PIN(offsetof(aclCANNPackageVersion, version), 0), PIN(offsetof(aclCANNPackageVersion, majorVersion), 128),
       PIN(offsetof(aclCANNPackageVersion, minorVersion), 192),
       PIN(offsetof(aclCANNPackageVersion, releaseVersion), 256),
       PIN(offsetof(aclCANNPackageVersion, patchVersion), 320), PIN(offsetof(aclCANNPackageVersion, reserved), 384)});
}

TEST(Abi, AclrtCntNotifyRecordInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtCntNotifyRecordInfo), 8u);
  EXPECT_EQ(alignof(aclrtCntNotifyRecordInfo), 4u);
  ExpectPinned({PIN(offsetof(aclrtCntNotifyRecordInfo, mode), 0), PIN(offsetof(aclrtCntNotifyRecordInfo, value), 4)});
}

TEST(Abi, AclrtCntNotifyWaitInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtCntNotifyWaitInfo), 16u);
  EXPECT_EQ(alignof(aclrtCntNotifyWaitInfo), 4u);
  ExpectPinned({PIN(offsetof(aclrtCntNotifyWaitInfo, mode), 0), PIN(offsetof(aclrtCntNotifyWaitInfo, value), 4),
                PIN(offsetof(aclrtCntNotifyWaitInfo, timeout), 8), PIN(offsetof(aclrtCntNotifyWaitInfo, isClear), 12),
                PIN(offsetof(aclrtCntNotifyWaitInfo, rsv), 13)});
}

TEST(Abi, AclrtIpcEventHandleKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtIpcEventHandle), 64u);
  EXPECT_EQ(alignof(aclrtIpcEventHandle), 1u);
  ExpectPinned({PIN(offsetof(aclrtIpcEventHandle, reserved), 0)});
}

TEST(Abi, AclrtMemUceInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemUceInfo), 128u);
  EXPECT_EQ(alignof(aclrtMemUceInfo), 8u);
  ExpectPinned({PIN(offsetof(aclrtMemUceInfo, addr), 0), PIN(offsetof(aclrtMemUceInfo, len), 8),
                PIN(offsetof(aclrtMemUceInfo, reserved), 16)});
}

TEST(Abi, AclrtErrorInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtErrorInfo), 2576u);
  EXPECT_EQ(alignof(aclrtErrorInfo), 8u);
  ExpectPinned({PIN(offsetof(aclrtErrorInfo, tryRepair), 0), PIN(offsetof(aclrtErrorInfo, hasDetail), 1),
                PIN(offsetof(aclrtErrorInfo, reserved), 2), PIN(offsetof(aclrtErrorInfo, errorType), 4),
                PIN(offsetof(aclrtErrorInfo, detail), 8), PIN(offsetof(aclrtErrorInfo, detail.uceInfo.arraySize), 8),
                PIN(offsetof(aclrtErrorInfo, detail.uceInfo.memUceInfoArray), 16),
                PIN(offsetof(aclrtErrorInfo, detail.aicoreErrType), 8)});
}

TEST(Abi, Dim3KeepsItsLayout) {
  EXPECT_EQ(sizeof(dim3), 12u);
  EXPECT_EQ(alignof(dim3), 4u);
  ExpectPinned({PIN(offsetof(dim3, x), 0), PIN(offsetof(dim3, y), 4), PIN(offsetof(dim3, z), 8)});
}

TEST(Abi, AclrtLaunchKernelAttrValueKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtLaunchKernelAttrValue), 16u);
  EXPECT_EQ(alignof(aclrtLaunchKernelAttrValue), 4u);
  ExpectPinned({PIN(offsetof(aclrtLaunchKernelAttrValue, schemMode), 0),
                PIN(offsetof(aclrtLaunchKernelAttrValue, localMemorySize), 0),
                PIN(offsetof(aclrtLaunchKernelAttrValue, engineType), 0),
                PIN(offsetof(aclrtLaunchKernelAttrValue, timeout), 0),
                PIN(offsetof(aclrtLaunchKernelAttrValue, timeoutUs), 0),
                PIN(offsetof(aclrtLaunchKernelAttrValue, timeoutUs.timeoutHigh), 4),
                PIN(offsetof(aclrtLaunchKernelAttrValue, rsv), 0)});
}

TEST(Abi, AclrtLaunchKernelAttrKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtLaunchKernelAttr), 20u);
  EXPECT_EQ(alignof(aclrtLaunchKernelAttr), 4u);
  ExpectPinned({PIN(offsetof(aclrtLaunchKernelAttr, id), 0), PIN(offsetof(aclrtLaunchKernelAttr, value), 4)});
}

TEST(Abi, AclrtLaunchKernelCfgKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtLaunchKernelCfg), 16u);
  EXPECT_EQ(alignof(aclrtLaunchKernelCfg), 8u);
  ExpectPinned({PIN(offsetof(aclrtLaunchKernelCfg, attrs), 0), PIN(offsetof(aclrtLaunchKernelCfg, numAttrs), 8)});
}

TEST(Abi, AclrtPlaceHolderInfoKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtPlaceHolderInfo), 8u);
  EXPECT_EQ(alignof(aclrtPlaceHolderInfo), 4u);
  ExpectPinned(
      {PIN(offsetof(aclrtPlaceHolderInfo, addrOffset), 0), PIN(offsetof(aclrtPlaceHolderInfo, dataOffset), 4)});
}

TEST(Abi, AclrtBinaryLoadOptionKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtBinaryLoadOption), 20u);
  EXPECT_EQ(alignof(aclrtBinaryLoadOption), 4u);
  ExpectPinned({PIN(offsetof(aclrtBinaryLoadOption, type), 0), PIN(offsetof(aclrtBinaryLoadOption, value), 4)});
}

TEST(Abi, AclrtBinaryLoadOptionsKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtBinaryLoadOptions), 16u);
  EXPECT_EQ(alignof(aclrtBinaryLoadOptions), 8u);
  ExpectPinned({PIN(offsetof(aclrtBinaryLoadOptions, options), 0), PIN(offsetof(aclrtBinaryLoadOptions, numOpt), 8)});
}

TEST(Abi, AclmdlRICondTaskParamsKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclmdlRICondTaskParams), 24u);
  EXPECT_EQ(alignof(aclmdlRICondTaskParams), 8u);
  ExpectPinned({PIN(offsetof(aclmdlRICondTaskParams, handle), 0), PIN(offsetof(aclmdlRICondTaskParams, type), 8),
                PIN(offsetof(aclmdlRICondTaskParams, size), 12),
                PIN(offsetof(aclmdlRICondTaskParams, modelRIArray), 16)});
}

TEST(Abi, AclmdlRITaskParamsKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclmdlRITaskParams), 200u);
  EXPECT_EQ(alignof(aclmdlRITaskParams), 8u);
  ExpectPinned({PIN(offsetof(aclmdlRITaskParams, type), 0), PIN(offsetof(aclmdlRITaskParams, rsv0), 4),
                PIN(offsetof(aclmdlRITaskParams, taskGrp), 16), PIN(offsetof(aclmdlRITaskParams, opInfoPtr), 24),
                PIN(offsetof(aclmdlRITaskParams, opInfoSize), 32), PIN(offsetof(aclmdlRITaskParams, rsv1), 40),
                PIN(offsetof(aclmdlRITaskParams, rsv2), 72)});
}

TEST(Abi, AclrtServerPidKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtServerPid), 24u);
  EXPECT_EQ(alignof(aclrtServerPid), 8u);
  ExpectPinned({PIN(offsetof(aclrtServerPid, sdid), 0), PIN(offsetof(aclrtServerPid, pid), 8),
                PIN(offsetof(aclrtServerPid, num), 16)});
}

TEST(Abi, AclrtMemFabricHandleKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtMemFabricHandle), 128u);
  EXPECT_EQ(alignof(aclrtMemFabricHandle), 1u);
  ExpectPinned({PIN(offsetof(aclrtMemFabricHandle, data), 0)});
}

TEST(Abi, AclrtSnapShotBackupArgsKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtSnapShotBackupArgs), 64u);
  EXPECT_EQ(alignof(aclrtSnapShotBackupArgs), 4u);
  ExpectPinned(
      {PIN(offsetof(aclrtSnapShotBackupArgs, backupFlags), 0), PIN(offsetof(aclrtSnapShotBackupArgs, reserved), 4)});
}

TEST(Abi, AclrtSnapShotRestoreArgsKeepsItsLayout) {
  EXPECT_EQ(sizeof(aclrtSnapShotRestoreArgs), 64u);
  EXPECT_EQ(alignof(aclrtSnapShotRestoreArgs), 4u);
  ExpectPinned(
      {PIN(offsetof(aclrtSnapShotRestoreArgs, restoreFlags), 0), PIN(offsetof(aclrtSnapShotRestoreArgs, reserved), 4)});
}

TEST(Abi, HandlesAreAsWideAsPointers) {
  static_assert(std::is_same<aclError, int>::value && std::is_same<aclnnStatus, int32_t>::value, "statuses");
  static_assert(std::is_same<aclFloat16, uint16_t>::value, "float16 bits");
  ExpectPinned({PIN(sizeof(aclrtStream), 8), PIN(sizeof(aclrtEvent), 8), PIN(sizeof(aclrtContext), 8),
                PIN(sizeof(aclTensor*), 8), PIN(sizeof(aclOpExecutor*), 8), PIN(OK, 0)});
}

TEST(Abi, Dim3DefaultsToOne) {
  const dim3 one;
  EXPECT_EQ(one.x * one.y * one.z, 1u);
  const dim3 row(7);
  ExpectPinned({PIN(row.x, 7), PIN(row.y, 1), PIN(row.z, 1)});
}

}  // namespace
}  // namespace portacl::contract
