// SPDX-License-Identifier: Apache-2.0
// Limits that clients set and read back: cores of devices, streams and threads, and sizes of stacks.
#include <array>
#include <atomic>

#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

constexpr std::array<uint32_t, streams::kCoreKinds> kCores = {streams::kCubeCores, streams::kVectorCores};

constexpr int kDeviceLimits = 5;  // the values of aclrtDeviceLimit are 0..4
constexpr uint64_t kMostLimit = UINT32_MAX;

struct DeviceLimits {
  streams::CoreLimits cores{};
  std::array<std::atomic<size_t>, kDeviceLimits> sizes{};
};
constinit std::array<DeviceLimits, devices::kMaxDevices> g_limits{};

PORTACL_HOT_THREAD_LOCAL constinit thread_local HandleBits t_stream_in_use = 0;

// Returns the index of a kind of core; -1 with *status.
int CoreKind(const char* function, const aclrtDevResLimitType& type, aclError* status) noexcept {
  const int kind = EnumNumber(type);
  if (kind >= 0 && kind < streams::kCoreKinds) return kind;
  *status = Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'type': expected 0 or 1, got {}", function, kind);
  return -1;
}

aclError CheckCores(const char* function, int kind, uint32_t value) noexcept {
  const uint32_t most = kCores[static_cast<size_t>(kind)];
  if (value >= 1 && value <= most) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'value': expected 1..{}, got {}", function, most, value);
}

uint32_t CoresOf(int device, int kind) noexcept {
  const auto index = static_cast<size_t>(kind);
  const uint32_t limit = g_limits[static_cast<size_t>(device)].cores[index].load(std::memory_order_relaxed);
  return limit != 0 ? limit : kCores[index];
}

uint32_t CoresOf(const streams::Stream& stream, int kind) noexcept {
  const uint32_t limit = stream.settings.cores[static_cast<size_t>(kind)].load(std::memory_order_relaxed);
  return limit != 0 ? limit : CoresOf(stream.device(), kind);
}

std::atomic<size_t>* SizeLimit(const char* function, const aclrtDeviceLimit& limit, aclError* status) noexcept {
  const int number = EnumNumber(limit);
  if (number < 0 || number >= kDeviceLimits) {
    *status = Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'limit': expected 0..4, got {}", function, number);
    return nullptr;
  }
  const contexts::Context* context = contexts::ResolveContext(function);
  *status = ACL_ERROR_RT_CONTEXT_NULL;
  if (context == nullptr) return nullptr;
  return &g_limits[static_cast<size_t>(context->device())].sizes[static_cast<size_t>(number)];
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  const int kind = CoreKind(__func__, type, &status);
  if (kind < 0) return status;
  *value = CoresOf(deviceId, kind);
  return ACL_SUCCESS;
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  const ApiCall api_call(__func__);
  aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  const int kind = CoreKind(__func__, type, &status);
  if (kind < 0) return status;
  status = CheckCores(__func__, kind, value);
  if (status != ACL_SUCCESS) return status;
  if (contexts::g_primary_contexts[static_cast<size_t>(deviceId)].load(std::memory_order_acquire) == 0) {
    return Failf(ACL_ERROR_RT_INTERNAL_ERROR, "{}: argument 'deviceId': expected a device that is set, got {}",
                 __func__, deviceId);
  }
  g_limits[static_cast<size_t>(deviceId)].cores[static_cast<size_t>(kind)].store(value, std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  const ApiCall api_call(__func__);
  const aclError status = CheckDevice(__func__, deviceId);
  if (status == ACL_SUCCESS) streams::ResetCores(g_limits[static_cast<size_t>(deviceId)].cores);
  return status;
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  aclError status = ACL_SUCCESS;
  const int kind = CoreKind(__func__, type, &status);
  if (kind < 0) return status;
  const streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live == nullptr) return status;
  *value = CoresOf(*live, kind);
  return ACL_SUCCESS;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const int kind = CoreKind(__func__, type, &status);
  if (kind < 0) return status;
  status = CheckCores(__func__, kind, value);
  if (status != ACL_SUCCESS) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live == nullptr) return status;
  live->settings.cores[static_cast<size_t>(kind)].store(value, std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live != nullptr) streams::ResetCores(live->settings.cores);
  return status;
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live != nullptr) t_stream_in_use = live->handle();
  return status;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live != nullptr && t_stream_in_use == live->handle()) t_stream_in_use = 0;
  return status;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  aclError status = ACL_SUCCESS;
  const int kind = CoreKind(__func__, type, &status);
  if (kind < 0) return status;
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  const streams::Stream* stream = contexts::g_streams.Find(t_stream_in_use);
  *value = stream != nullptr ? CoresOf(*stream, kind) : CoresOf(context->device(), kind);
  return ACL_SUCCESS;
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
  const ApiCall api_call(__func__);
  if (value > kMostLimit) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'value': expected at most {}, got {}", __func__, kMostLimit,
                 value);
  }
  aclError status = ACL_SUCCESS;
  std::atomic<size_t>* place = SizeLimit(__func__, limit, &status);
  if (place == nullptr) return status;
  place->store(value, std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  aclError status = ACL_SUCCESS;
  const std::atomic<size_t>* place = SizeLimit(__func__, limit, &status);
  if (place == nullptr) return status;
  *value = place->load(std::memory_order_relaxed);
  return ACL_SUCCESS;
}
