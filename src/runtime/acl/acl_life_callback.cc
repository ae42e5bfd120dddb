// SPDX-License-Identifier: Apache-2.0
// Registration of callbacks of aclInit and aclFinalize.
#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/process/init.h"

namespace portacl {
namespace {

// Returns 0, or a status code with a report.
aclError CheckComponent(const char* function, bool has_callback, int type) noexcept {
  if (!has_callback) return NullArgument(function, "cbFunc");
  if ((type >= ACL_REG_TYPE_ACL_MODEL && type <= ACL_REG_TYPE_ACL_RETR) || type == ACL_REG_TYPE_OTHER)
    return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'type': expected 0..7 or 0xffff, got {}", function, type);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(function, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(function, [&] { return process::TheProcessLife().AddInitCallback(function, number, cbFunc, userData); });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(function, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(function, [&] { return process::TheProcessLife().RemoveInitCallback(function, number, cbFunc); });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(function, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(function,
               [&] { return process::TheProcessLife().AddFinalizeCallback(function, number, cbFunc, userData); });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(function, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(function, [&] { return process::TheProcessLife().RemoveFinalizeCallback(function, number, cbFunc); });
}
