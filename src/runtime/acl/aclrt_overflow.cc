// SPDX-License-Identifier: Apache-2.0
// Detection of overflows: on the CPU an overflow results in an infinity or NaN, and nothing detects it.
#include <array>
#include <atomic>

#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

constexpr size_t kStatusBytes = 64;

constinit std::array<std::atomic<bool>, devices::kMaxDevices> g_saturates{};

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  const ApiCall api_call(__func__);
  const int number = EnumNumber(mode);
  if (number != ACL_RT_OVERFLOW_MODE_SATURATION && number != ACL_RT_OVERFLOW_MODE_INFNAN)
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'mode': expected 0 or 1, got {}", __func__, number);
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  g_saturates[static_cast<size_t>(context->device())].store(number == ACL_RT_OVERFLOW_MODE_SATURATION,
                                                            std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  const ApiCall api_call(__func__);
  if (mode == nullptr) return NullArgument(__func__, "mode");
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  const bool saturates = g_saturates[static_cast<size_t>(context->device())].load(std::memory_order_relaxed);
  *mode = saturates ? ACL_RT_OVERFLOW_MODE_SATURATION : ACL_RT_OVERFLOW_MODE_INFNAN;
  return ACL_SUCCESS;
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  const ApiCall api_call(__func__);
  if (outputAddr == nullptr) return NullArgument(__func__, "outputAddr");
  if (outputSize != kStatusBytes) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'outputSize': expected {}, got {}", __func__, kStatusBytes,
                 outputSize);
  }
  return aclrtMemsetAsync(outputAddr, kStatusBytes, 0, kStatusBytes, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  return status;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  const ApiCall api_call(__func__);
  if (flag > 1) return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'flag': expected 0 or 1, got {}", __func__, flag);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live != nullptr) live->settings.overflow_switch.store(flag, std::memory_order_relaxed);
  return status;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  const ApiCall api_call(__func__);
  if (flag == nullptr) return NullArgument(__func__, "flag");
  aclError status = ACL_SUCCESS;
  const streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live != nullptr) *flag = live->settings.overflow_switch.load(std::memory_order_relaxed);
  return status;
}
