// SPDX-License-Identifier: Apache-2.0
// Access between devices: memory of peers, links, and numbering.
#include <array>
#include <atomic>

#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

// A bit for each peer that a device may reach.
constinit std::array<std::atomic<uint64_t>, devices::kMaxDevices> g_reachable_peers{};
static_assert(devices::kMaxDevices <= 64);

constexpr uint64_t BitOf(int32_t device) noexcept { return uint64_t{1} << device; }

// Returns the current device after checking that the peer is another one; -1 with *status.
int CurrentDeviceBeside(const char* function, int32_t peer, aclError* status) noexcept {
  const contexts::Context* context = contexts::ResolveContext(function);
  if (context == nullptr) {
    *status = ACL_ERROR_RT_CONTEXT_NULL;
    return -1;
  }
  *status = CheckDevice(function, peer, "peerDeviceId");
  if (*status != ACL_SUCCESS) return -1;
  if (peer != context->device()) return context->device();
  *status = Failf(ACL_ERROR_INVALID_PARAM,
                  "{}: argument 'peerDeviceId': expected another device than the current one, got {}", function, peer);
  return -1;
}

aclError TranslateDevice(const char* function, const char* argument, int32_t from, int32_t* to,
                         int (*translate)(int)) noexcept {
  if (to == nullptr) return NullArgument(function, "second argument");
  const int found = translate(from);
  if (found < 0) {
    return Failf(ACL_ERROR_RT_INVALID_DEVICEID, "{}: argument '{}': expected the number of a visible device, got {}",
                 function, argument, from);
  }
  *to = found;
  return ACL_SUCCESS;
}

int SameDevice(int number) noexcept { return devices::VisibleFromPhysical(number) < 0 ? -1 : number; }

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  const ApiCall api_call(__func__);
  if (deviceId == peerDeviceId) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'peerDeviceId': expected another device than {}", __func__,
                 deviceId);
  }
  aclError status = CheckDevice(__func__, deviceId);
  if (status == ACL_SUCCESS) status = CheckDevice(__func__, peerDeviceId, "peerDeviceId");
  if (status != ACL_SUCCESS) return status;
  if (canAccessPeer == nullptr) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'canAccessPeer': expected a pointer, got NULL", __func__);
  }
  *canAccessPeer = 1;
  return ACL_SUCCESS;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  const ApiCall api_call(__func__);
  if (flags != 0)
    return Failf(ACL_ERROR_FEATURE_UNSUPPORTED, "{}: argument 'flags': expected 0, got {:#x}", __func__, flags);
  aclError status = ACL_SUCCESS;
  const int device = CurrentDeviceBeside(__func__, peerDeviceId, &status);
  if (device < 0) return status;
  g_reachable_peers[static_cast<size_t>(device)].fetch_or(BitOf(peerDeviceId), std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const int device = CurrentDeviceBeside(__func__, peerDeviceId, &status);
  if (device < 0) return status;
  g_reachable_peers[static_cast<size_t>(device)].fetch_and(~BitOf(peerDeviceId), std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  const ApiCall api_call(__func__);
  if (status == nullptr) return NullArgument(__func__, "status");
  aclError code = CheckDevice(__func__, deviceId);
  if (code == ACL_SUCCESS) code = CheckDevice(__func__, peerDeviceId, "peerDeviceId");
  if (code != ACL_SUCCESS) return code;
  const uint64_t peers = g_reachable_peers[static_cast<size_t>(deviceId)].load(std::memory_order_relaxed);
  *status = (peers & BitOf(peerDeviceId)) != 0 ? 1 : 0;
  return ACL_SUCCESS;
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  aclError status = CheckDevice(__func__, deviceId);
  if (status == ACL_SUCCESS) status = CheckDevice(__func__, otherDeviceId, "otherDeviceId");
  if (status == ACL_SUCCESS) *value = ACL_RT_DEVS_TOPOLOGY_HCCS;
  return status;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
  const ApiCall api_call(__func__);
  return TranslateDevice(__func__, "userDevid", userDevid, logicDevId, &devices::PhysicalFromVisible);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) {
  const ApiCall api_call(__func__);
  return TranslateDevice(__func__, "logicDevId", logicDevId, userDevid, &devices::VisibleFromPhysical);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) {
  const ApiCall api_call(__func__);
  return TranslateDevice(__func__, "phyDevId", phyDevId, logicDevId, &SameDevice);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) {
  const ApiCall api_call(__func__);
  return TranslateDevice(__func__, "logicDevId", logicDevId, phyDevId, &SameDevice);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId) {
  const ApiCall api_call(__func__);
  return TranslateDevice(__func__, "phyDevId", phyDevId, userDevId, &devices::VisibleFromPhysical);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId) {
  const ApiCall api_call(__func__);
  return TranslateDevice(__func__, "userDevId", userDevId, phyDevId, &devices::PhysicalFromVisible);
}
