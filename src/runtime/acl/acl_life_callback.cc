// SPDX-License-Identifier: Apache-2.0
// Registration of callbacks of aclInit and aclFinalize.
#include "runtime/arguments.h"
#include "runtime/process/init.h"

namespace portacl {
namespace {

// 0, or a status code with a report.
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
  constexpr const char* kFunction = "aclInitCallbackRegister";
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(kFunction, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(kFunction,
               [&] { return process::TheProcessLife().AddInitCallback(kFunction, number, cbFunc, userData); });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  constexpr const char* kFunction = "aclInitCallbackUnRegister";
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(kFunction, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(kFunction, [&] { return process::TheProcessLife().RemoveInitCallback(kFunction, number, cbFunc); });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData) {
  constexpr const char* kFunction = "aclFinalizeCallbackRegister";
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(kFunction, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(kFunction,
               [&] { return process::TheProcessLife().AddFinalizeCallback(kFunction, number, cbFunc, userData); });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  constexpr const char* kFunction = "aclFinalizeCallbackUnRegister";
  const int number = EnumNumber(type);
  const aclError status = CheckComponent(kFunction, cbFunc != nullptr, number);
  if (status != ACL_SUCCESS) return status;
  return Guard(kFunction, [&] { return process::TheProcessLife().RemoveFinalizeCallback(kFunction, number, cbFunc); });
}
