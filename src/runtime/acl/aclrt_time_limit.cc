// SPDX-License-Identifier: Apache-2.0
// Time limits of operators and of event waits, and descriptions of tasks for graphs.
#include <atomic>

#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"

namespace portacl {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

constinit std::atomic<uint32_t> g_wait_limit_s{0};
constinit std::atomic<uint64_t> g_execute_limit_us{0};

void SetExecuteLimit(uint64_t microseconds) noexcept {
  g_execute_limit_us.store(microseconds, std::memory_order_relaxed);
}

aclError CheckInfo(const char* function, const char* argument, const void* info, size_t bytes) noexcept {
  if (info != nullptr && bytes != 0) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: arguments '{}' and 'infoSize': expected some bytes, got {} and {}",
               function, argument, info, bytes);
}

}  // namespace

uint32_t EventWaitLimitSeconds() noexcept { return g_wait_limit_s.load(std::memory_order_relaxed); }

}  // namespace portacl

using namespace portacl;

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  const ApiCall api_call(__func__);
  g_wait_limit_s.store(timeout, std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  const ApiCall api_call(__func__);
  SetExecuteLimit(uint64_t{timeout} * 1'000'000);
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  const ApiCall api_call(__func__);
  SetExecuteLimit(uint64_t{timeout} * 1'000);
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  const ApiCall api_call(__func__);
  if (actualTimeout == nullptr) return NullArgument(__func__, "actualTimeout");
  SetExecuteLimit(timeout);
  *actualTimeout = kNever;
  return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
  const ApiCall api_call(__func__);
  if (timeoutMs == nullptr) return NullArgument(__func__, "timeoutMs");
  const uint64_t limit = g_execute_limit_us.load(std::memory_order_relaxed);
  const uint64_t milliseconds = limit / 1'000 + (limit % 1'000 != 0 ? 1 : 0);
  *timeoutMs = milliseconds > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(milliseconds);
  return ACL_SUCCESS;
}

aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  const ApiCall api_call(__func__);
  if (interval == nullptr) return NullArgument(__func__, "interval");
  *interval = 1;
  return ACL_SUCCESS;
}

aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize) {
  const ApiCall api_call(__func__);
  return CheckInfo(__func__, "infoPtr", infoPtr, infoSize);
}

aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t infoSize) {
  const ApiCall api_call(__func__);
  return CheckInfo(__func__, "extendInfoPtr", extendInfoPtr, infoSize);
}
