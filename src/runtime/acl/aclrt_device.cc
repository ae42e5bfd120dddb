// SPDX-License-Identifier: Apache-2.0
// Device functions of the C API.
#include "runtime/acl/device_checks.h"
#include "runtime/acl/state_callbacks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/streams/deadline.h"

namespace portacl {
namespace {

aclError Reset(const char* function, int32_t id, bool at_once) noexcept {
  aclError status = CheckDevice(function, id);
  if (status != ACL_SUCCESS) return status;
  TellDeviceState(id, ACL_RT_DEVICE_STATE_RESET_PRE);
  status = contexts::ResetDevice(function, id, at_once);
  TellDeviceState(id, ACL_RT_DEVICE_STATE_RESET_POST);
  return status;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtSetDevice(int32_t deviceId) {
  aclError status = CheckDevice("aclrtSetDevice", deviceId);
  if (status != ACL_SUCCESS) return status;
  TellDeviceState(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
  status = contexts::SetDevice("aclrtSetDevice", deviceId);
  TellDeviceState(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
  return status;
}

aclError aclrtResetDevice(int32_t deviceId) { return Reset("aclrtResetDevice", deviceId, false); }

aclError aclrtResetDeviceForce(int32_t deviceId) { return Reset("aclrtResetDeviceForce", deviceId, true); }

aclError aclrtGetDevice(int32_t* deviceId) {
  if (deviceId == nullptr) return NullArgument("aclrtGetDevice", "deviceId");
  const contexts::Context* context = contexts::NeedContext("aclrtGetDevice");
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *deviceId = context->device();
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  if (count == nullptr) return NullArgument("aclrtGetDeviceCount", "count");
  *count = static_cast<uint32_t>(devices::DeviceCount());
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  if (runMode == nullptr) return NullArgument("aclrtGetRunMode", "runMode");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void) { return contexts::SynchronizeContext("aclrtSynchronizeDevice", {}); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  streams::Deadline deadline;
  const aclError status = streams::ReadTimeout("aclrtSynchronizeDeviceWithTimeout", timeout, &deadline);
  return status != ACL_SUCCESS ? status : contexts::SynchronizeContext("aclrtSynchronizeDeviceWithTimeout", deadline);
}
