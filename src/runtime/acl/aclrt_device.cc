// SPDX-License-Identifier: Apache-2.0
// Device functions of the C API.
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/acl/state_callbacks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

aclError Reset(const char* function, int32_t id, bool at_once) noexcept {
  aclError status = CheckDevice(function, id);
  if (status != ACL_SUCCESS) return status;
  NotifyDeviceState(id, ACL_RT_DEVICE_STATE_RESET_PRE);
  status = contexts::ResetDevice(function, id, at_once);
  NotifyDeviceState(id, ACL_RT_DEVICE_STATE_RESET_POST);
  return status;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtSetDevice(int32_t deviceId) {
  const ApiCall api_call(__func__);
  aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  NotifyDeviceState(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
  status = contexts::SetDevice(__func__, deviceId);
  NotifyDeviceState(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
  return status;
}

aclError aclrtResetDevice(int32_t deviceId) {
  const ApiCall api_call(__func__);
  return Reset(__func__, deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  const ApiCall api_call(__func__);
  return Reset(__func__, deviceId, true);
}

aclError aclrtGetDevice(int32_t* deviceId) {
  const ApiCall api_call(__func__);
  if (deviceId == nullptr) return NullArgument(__func__, "deviceId");
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *deviceId = context->device();
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  const ApiCall api_call(__func__);
  if (count == nullptr) return NullArgument(__func__, "count");
  *count = static_cast<uint32_t>(devices::DeviceCount());
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  const ApiCall api_call(__func__);
  if (runMode == nullptr) return NullArgument(__func__, "runMode");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void) {
  const ApiCall api_call(__func__);
  return contexts::SynchronizeContext(__func__, {});
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  const ApiCall api_call(__func__);
  streams::Deadline deadline;
  const aclError status = ReadTimeout(__func__, timeout, &deadline);
  return status != ACL_SUCCESS ? status : contexts::SynchronizeContext(__func__, deadline);
}
