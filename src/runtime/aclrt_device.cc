// SPDX-License-Identifier: Apache-2.0
// Device functions of the C API.
#include "runtime/arguments.h"
#include "runtime/context.h"
#include "runtime/deadline.h"
#include "runtime/device_checks.h"

namespace portacl {
namespace {

aclError SynchronizeContext(const char* function, Deadline deadline) noexcept {
  HandleBits context = 0;
  if (NeedContext(function, &context) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  bool in_time = true;
  int32_t error = 0;
  g_streams.ForEach([&](Stream& stream, HandleBits) {
    if (!in_time || stream.context() != context) return;
    in_time = stream.WaitForAll(deadline);
    if (!in_time) return;
    const int32_t status = stream.TakeError();
    if (error == 0) error = status;
  });
  if (error != 0) return ReportAsynchronous(function, error);
  if (!in_time)
    return Failf(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "{}: expected all streams to finish in time, they still run",
                 function);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtSetDevice(int32_t deviceId) {
  const aclError status = CheckDevice("aclrtSetDevice", deviceId);
  return status != ACL_SUCCESS ? status : SetDevice("aclrtSetDevice", deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
  const aclError status = CheckDevice("aclrtResetDevice", deviceId);
  return status != ACL_SUCCESS ? status : ResetDevice("aclrtResetDevice", deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  const aclError status = CheckDevice("aclrtResetDeviceForce", deviceId);
  return status != ACL_SUCCESS ? status : ResetDevice("aclrtResetDeviceForce", deviceId, true);
}

aclError aclrtGetDevice(int32_t* deviceId) {
  if (deviceId == nullptr) return NullArgument("aclrtGetDevice", "deviceId");
  const Context* context = NeedContext("aclrtGetDevice");
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *deviceId = context->device();
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  if (count == nullptr) return NullArgument("aclrtGetDeviceCount", "count");
  *count = static_cast<uint32_t>(DeviceCount());
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  if (runMode == nullptr) return NullArgument("aclrtGetRunMode", "runMode");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void) { return SynchronizeContext("aclrtSynchronizeDevice", {}); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  Deadline deadline;
  const aclError status = ReadTimeout("aclrtSynchronizeDeviceWithTimeout", timeout, &deadline);
  return status != ACL_SUCCESS ? status : SynchronizeContext("aclrtSynchronizeDeviceWithTimeout", deadline);
}
