// SPDX-License-Identifier: Apache-2.0
// Properties of devices: attributes, health, identity, numbering, access to peers, limits.
#ifndef PORTACL_INCLUDE_ACL_RT_DEVICE_QUERY_H_
#define PORTACL_INCLUDE_ACL_RT_DEVICE_QUERY_H_

#include "acl/rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Properties of a device.
typedef enum aclDeviceInfo {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
  ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

/// One property of a device as a number.
///
/// deviceId    in   0 .. count - 1.
/// deviceInfo  in   ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM or ACL_DEVICE_INFO_L2_SIZE (bytes).
/// value       out  the number. Core counts are constants: programs divide work by them, and any number is right.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such number); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no
/// context.
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value);

/// One attribute of a device.
///
/// deviceId  in   0 .. count - 1.
/// attr      in   any aclrtDevAttr.
/// value     out  its value; sizes in bytes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (no such attribute);
/// ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);

/// Whether a device has a feature. These devices have none of those that can be queried.
///
/// deviceId        in   0 .. count - 1.
/// devFeatureType  in   any aclrtDevFeatureType.
/// value           out  ACL_DEV_FEATURE_NOT_SUPPORT.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (no such feature);
/// ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                                      int32_t* value);

/// The range of stream priorities.
///
/// leastPriority     out  7; may be NULL.
/// greatestPriority  out  0, the most urgent; may be NULL.
///
/// Returns ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority);

/// Load of a device. The load of its cores is the machine's load of the last minute.
///
/// deviceId         in     0 .. count - 1.
/// utilizationInfo  inout  percentages, memory -1 (not known); `utilizationExtend` must be NULL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, utilizationExtend); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no
/// context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo);

/// Health of a device.
///
/// deviceId      in   0 .. count - 1.
/// deviceStatus  out  ACL_RT_DEVICE_STATUS_NORMAL.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus);

/// Chooses a scheduler. There is only one, so that this has no effect.
///
/// tsId  in  ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (another); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/// Identity of a device, which is the same in every process.
///
/// deviceId  in   0 .. count - 1.
/// uuid      out  16 bytes, different for each device.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid);

/// Address of a device on the PCI bus, as "dddd:bb:dd.f". Not a real address, but different for each device.
///
/// deviceId  in   0 .. count - 1.
/// pciBusId  out  null-terminated text.
/// len       in   size of `pciBusId` in bytes, at least 13.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (len);
/// ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len);

/// The device at an address on the PCI bus.
///
/// pciBusId  in   result of aclrtDeviceGetPCIBusId.
/// deviceId  out  its number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (no device there). Threads: no
/// context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId);

/// Sets the size of a stack or of a print buffer of kernels. It is stored; nothing uses it.
///
/// limit  in  any aclrtDeviceLimit.
/// value  in  bytes, at most 2^32 - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (limit, value); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

/// The limit that aclrtDeviceSetLimit set on the current device.
///
/// limit  in   any aclrtDeviceLimit.
/// value  out  bytes; 0 at first.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, limit); ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value);

/// Whether a device is set.
///
/// deviceId  in   0 .. count - 1.
/// flags     out  0.
/// active    out  1 while the device holds a reference of aclrtSetDevice, else 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active);

/// Whether two devices can copy to each other directly. They can.
///
/// canAccessPeer           out  1.
/// deviceId, peerDeviceId  in   two different devices.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (the same device twice); ACL_ERROR_RT_INVALID_DEVICEID;
/// ACL_ERROR_RT_PARAM_INVALID (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/// Allows the current device to access the memory of another; copies work without this, too.
///
/// peerDeviceId  in  another device than the current one.
/// flags         in  0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_FEATURE_UNSUPPORTED (flags); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_INVALID_PARAM (the current device). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/// Undoes aclrtDeviceEnablePeerAccess.
///
/// peerDeviceId  in  another device than the current one.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_INVALID_PARAM (the current
/// device). Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/// Whether aclrtDeviceEnablePeerAccess is in effect.
///
/// deviceId, peerDeviceId  in   the accessing device and the accessed one.
/// status                  out  1 or 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status);

/// The link between two devices.
///
/// deviceId, otherDeviceId  in   the devices.
/// value                    out  ACL_RT_DEVS_TOPOLOGY_HCCS: the direct one.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value);

/// Logical number of the device with a user number. Programs pass user numbers: positions in ASCEND_RT_VISIBLE_DEVICES.
/// Logical numbers are the entries of that list, and physical ones are equal to them. Without the variable all are
/// equal.
///
/// userDevid   in   the user number.
/// logicDevId  out  the logical number.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId);

/// User number of the device with a logical number; see aclrtGetLogicDevIdByUserDevId.
///
/// logicDevId  in   the logical number.
/// userDevid   out  the user number.
///
/// Returns as that function. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid);

/// Logical number of the device with a physical number; see aclrtGetLogicDevIdByUserDevId.
///
/// phyDevId    in   the physical number.
/// logicDevId  out  the logical number.
///
/// Returns as that function. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId);

/// Physical number of the device with a logical number; see aclrtGetLogicDevIdByUserDevId.
///
/// logicDevId  in   the logical number.
/// phyDevId    out  the physical number.
///
/// Returns as that function. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId);

/// User number of the device with a physical number; see aclrtGetLogicDevIdByUserDevId.
///
/// phyDevId   in   the physical number.
/// userDevId  out  the user number.
///
/// Returns as that function. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId);

/// Physical number of the device with a user number; see aclrtGetLogicDevIdByUserDevId.
///
/// userDevId  in   the user number.
/// phyDevId   out  the physical number.
///
/// Returns as that function. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId);

/// Id of the process as the device's driver sees it.
///
/// pid  out  result of getpid().
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t* pid);

/// Whether a binary for an SoC runs on this one.
///
/// socVersion     in   name of an SoC, such as "Ascend910B2".
/// canCompatible  out  1 if it is of the emulated family, otherwise 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, empty). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_DEVICE_QUERY_H_
