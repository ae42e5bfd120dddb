// SPDX-License-Identifier: Apache-2.0
// Properties, health and identity of a device.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/float_mode.h"
#include "base/observer.h"
#include "base/soc.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/parallel/threads.h"
#include "runtime/streams/stream_settings.h"

namespace portacl {
namespace {

constexpr int64_t kGuessedCacheBytes = int64_t{32} << 20;  // used where the system does not report the size

// The size of L3, or of L2 where there is no L3.
int64_t LastLevelCacheBytes() noexcept {
  const long third = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (third > 0) return third;
  const long second = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return second > 0 ? second : kGuessedCacheBytes;
}

// The sizes that kernels of a real card could use; programs compute the sizes of their buffers from them.
constexpr int64_t kLocalMemoryBytes = 192 * 1024;
constexpr int64_t kWarpSize = 32;
constexpr int64_t kMostKernelThreads = 1024;
constexpr int64_t kMostBlocks = 65535;

constexpr int kPciTextBytes = 13;  // "dddd:bb:dd.f" and a zero

// Returns null when there is no such attribute.
const int64_t* FindAttribute(int device, int attribute, int64_t* room) noexcept {
  const auto answer = [room](int64_t value) {
    *room = value;
    return room;
  };
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      return answer(parallel::CoresPerDevice());
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      return answer(streams::kCubeCores);
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      return answer(streams::kVectorCores);
    case ACL_DEV_ATTR_WARP_SIZE:
      return answer(kWarpSize);
    case ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE:
      return answer(kLocalMemoryBytes);
    case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
      return answer(kMostKernelThreads);
    case ACL_DEV_ATTR_MAX_GRID_DIM_X:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
    case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
      return answer(kMostBlocks);
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      return answer(static_cast<int64_t>(devices::GetDevice(device).MemoryTotal()));
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      return answer(LastLevelCacheBytes());
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      return answer(device);
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
    case ACL_DEV_ATTR_MAINBOARD_ID:
    case ACL_DEV_ATTR_IS_VIRTUAL:
      return answer(0);
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
      return answer(ACL_HOST_DEVICE_CONNECT_TYPE_PCIE);
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
      return answer(ACL_DEVICE_FORM_FACTOR_PCIE_CARD);
    case ACL_DEV_ATTR_NPU_ARCH:
      return answer(0xffff);  // reserved: no kernels are built for it
    default:
      return nullptr;
  }
}

// The machine's load in the last minute as a percentage of its cores; -1 when it is unknown. Not inlined, so that it is
// computed after the caller has set the floating-point mode.
[[gnu::noinline]] int32_t LoadPercent() noexcept {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return -1;
  return static_cast<int32_t>(std::clamp(100 * load / parallel::UsableCores(), 0.0, 100.0));
}

void WritePciBusId(int device, char* text) noexcept {
  std::snprintf(text, kPciTextBytes, "0000:%02x:00.0", static_cast<unsigned>(device + 1) & 0xFFu);
}

}  // namespace

}  // namespace portacl

using namespace portacl;

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  switch (EnumNumber(deviceInfo)) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      *value = streams::kCubeCores;
      return ACL_SUCCESS;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      *value = streams::kVectorCores;
      return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
      *value = LastLevelCacheBytes();
      return ACL_SUCCESS;
    default:
      return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'deviceInfo': expected 0..2, got {}", __func__,
                   EnumNumber(deviceInfo));
  }
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  int64_t room = 0;
  const int64_t* found = FindAttribute(static_cast<int>(deviceId), EnumNumber(attr), &room);
  if (found == nullptr) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'attr': expected an ACL_DEV_ATTR_* number, got {}", __func__,
                 EnumNumber(attr));
  }
  *value = *found;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  const int feature = EnumNumber(devFeatureType);
  if (feature != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV && feature != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'devFeatureType': expected 1 or 21, got {}", __func__,
                 feature);
  }
  *value = ACL_DEV_FEATURE_NOT_SUPPORT;
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  const ApiCall api_call(__func__);
  if (leastPriority != nullptr) *leastPriority = static_cast<int32_t>(streams::kLeastUrgent);
  if (greatestPriority != nullptr) *greatestPriority = 0;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  const ApiCall api_call(__func__);
  if (utilizationInfo == nullptr) return NullArgument(__func__, "utilizationInfo");
  if (utilizationInfo->utilizationExtend != nullptr) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'utilizationInfo': expected utilizationExtend to be NULL",
                 __func__);
  }
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  const DefaultFloatMode mode;
  const int32_t load = LoadPercent();
  *utilizationInfo = {load, load, load, -1, nullptr};
  return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  const ApiCall api_call(__func__);
  if (deviceStatus == nullptr) return NullArgument(__func__, "deviceStatus");
  const aclError status = CheckDevice(__func__, deviceId);
  if (status == ACL_SUCCESS) *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
  return status;
}

aclError aclrtSetTsDevice(aclrtTsId tsId) {
  const ApiCall api_call(__func__);
  const int number = EnumNumber(tsId);
  if (number != ACL_TS_ID_AICORE && number != ACL_TS_ID_AIVECTOR)
    return Failf(ACL_ERROR_INVALID_PARAM, "aclrtSetTsDevice: argument 'tsId': expected 0 or 1, got {}", number);
  return contexts::ResolveContext(__func__) == nullptr ? ACL_ERROR_RT_CONTEXT_NULL : ACL_SUCCESS;
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  const ApiCall api_call(__func__);
  if (uuid == nullptr) return NullArgument(__func__, "uuid");
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  char text[sizeof(uuid->bytes) + 1];
  std::snprintf(text, sizeof(text), "portacl device%02d", deviceId);
  std::memcpy(uuid->bytes, text, sizeof(uuid->bytes));
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len) {
  const ApiCall api_call(__func__);
  if (pciBusId == nullptr) return NullArgument(__func__, "pciBusId");
  if (len < kPciTextBytes) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'len': expected at least {}, got {}", __func__,
                 kPciTextBytes, len);
  }
  const aclError status = CheckDevice(__func__, deviceId);
  if (status == ACL_SUCCESS) WritePciBusId(deviceId, pciBusId);
  return status;
}

aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId) {
  const ApiCall api_call(__func__);
  if (pciBusId == nullptr) return NullArgument(__func__, "pciBusId");
  if (deviceId == nullptr) return NullArgument(__func__, "deviceId");
  for (int device = 0; device < devices::DeviceCount(); ++device) {
    char text[kPciTextBytes];
    WritePciBusId(device, text);
    if (std::string_view(text) != pciBusId) continue;
    *deviceId = device;
    return ACL_SUCCESS;
  }
  return Failf(ACL_ERROR_RT_PARAM_INVALID,
               "{}: argument 'pciBusId': expected the address of one of {} devices, got '{}'", __func__,
               devices::DeviceCount(), pciBusId);
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  const ApiCall api_call(__func__);
  if (flags == nullptr || active == nullptr) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected a pointer, got NULL", __func__,
                 flags == nullptr ? "flags" : "active");
  }
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  *flags = 0;
  *active = contexts::g_primary_contexts[static_cast<size_t>(deviceId)].load(std::memory_order_acquire) != 0 ? 1 : 0;
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  const ApiCall api_call(__func__);
  if (pid == nullptr) return NullArgument(__func__, "pid");
  *pid = static_cast<int32_t>(getpid());
  return ACL_SUCCESS;
}

aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
  const ApiCall api_call(__func__);
  if (socVersion == nullptr || *socVersion == '\0' || canCompatible == nullptr) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected {}", __func__,
                 canCompatible == nullptr ? "canCompatible" : "socVersion",
                 canCompatible == nullptr ? "a pointer, got NULL" : "the name of an SoC, got none");
  }
  Soc soc{};
  *canCompatible = ParseSoc(socVersion, &soc) && soc.family == CurrentSoc().family ? 1 : 0;
  return ACL_SUCCESS;
}
