// SPDX-License-Identifier: Apache-2.0
// Process-wide functions of the C API: initialisation, version, last error.
#include "base/observer.h"
#include "base/status.h"
#include "runtime/arguments.h"
#include "runtime/process/init.h"

namespace portacl {
namespace {

aclError CheckLevel(const char* function, int level) noexcept {
  if (level == ACL_RT_THREAD_LEVEL) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'level': expected 0 (ACL_RT_THREAD_LEVEL), got {}", function,
               level);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclInit(const char* configPath) {
  const ApiCall api_call(__func__);
  return Guard(__func__, [configPath] { return process::TheProcessLife().Init(configPath); });
}

aclError aclFinalize() {
  const ApiCall api_call(__func__);
  return Guard(__func__, [] { return process::TheProcessLife().Finalize(); });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  const ApiCall api_call(__func__);
  return Guard(__func__, [refCount] { return process::TheProcessLife().FinalizeReference(refCount); });
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  const ApiCall api_call(__func__);
  if (majorVersion == nullptr) return NullArgument(__func__, "majorVersion");
  if (minorVersion == nullptr) return NullArgument(__func__, "minorVersion");
  if (patchVersion == nullptr) return NullArgument(__func__, "patchVersion");
  *majorVersion = ACL_MAJOR_VERSION;
  *minorVersion = ACL_MINOR_VERSION;
  *patchVersion = ACL_PATCH_VERSION;
  return ACL_SUCCESS;
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  const ApiCall api_call(__func__);
  const aclError status = CheckLevel(__func__, EnumNumber(level));
  if (status != ACL_SUCCESS) return status;
  const aclError last = LastRuntimeError();
  ClearLastRuntimeError();
  return last;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  const ApiCall api_call(__func__);
  const aclError status = CheckLevel(__func__, EnumNumber(level));
  return status != ACL_SUCCESS ? status : LastRuntimeError();
}
