// SPDX-License-Identifier: Apache-2.0
// Answers to queries about absent features that clients make on normal paths. No graph is ever being captured. The
// objects for profiling steps and time stamps are empty; clients only test that they exist.
#include <utility>

#include "acl/acl_prof.h"
#include "runtime/arguments.h"

namespace portacl {
namespace {

PORTACL_HOT_THREAD_LOCAL constinit thread_local aclmdlRICaptureMode t_capture_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constinit char g_profiling_object = 0;

aclError NoFeatures(const char* function, size_t* size, void** data) noexcept {
  if (size == nullptr) return NullArgument(function, "featuresSize");
  if (data == nullptr) return NullArgument(function, "featuresData");
  *size = 0;
  *data = nullptr;
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclmdlRICaptureGetInfo(aclrtStream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
  if (status != nullptr) *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  if (modelRI != nullptr) *modelRI = nullptr;
  return ACL_SUCCESS;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  if (mode == nullptr) return NullArgument(__func__, "mode");
  const int number = EnumNumber(*mode);
  if (number < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || number > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'mode': expected 0..2, got {}", __func__, number);
  }
  *mode = std::exchange(t_capture_mode, *mode);
  return ACL_SUCCESS;
}

aclError aclprofGetSupportedFeatures(size_t* featuresSize, void** featuresData) {
  const ApiCall api_call(__func__);
  return NoFeatures(__func__, featuresSize, featuresData);
}

aclError aclprofGetSupportedFeaturesV2(size_t* featuresSize, void** featuresData) {
  const ApiCall api_call(__func__);
  return NoFeatures(__func__, featuresSize, featuresData);
}

aclprofStepInfo* aclprofCreateStepInfo() { return reinterpret_cast<aclprofStepInfo*>(&g_profiling_object); }

void* aclprofCreateStamp() { return &g_profiling_object; }
