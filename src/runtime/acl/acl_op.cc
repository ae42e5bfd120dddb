// SPDX-License-Identifier: Apache-2.0
// The older interface to operators: it has attributes without content, and does not execute.
//
// Only execution is refused. A plug-in describes a call on one thread and executes it on another; an error while it
// describes the call would be lost.
#include "acl/acl_op_compiler.h"

#include "base/observer.h"
#include "runtime/arguments.h"

namespace portacl {
namespace {

// The object that all attributes are.
char g_attributes = 0;

aclError RefuseExecution(const char* function, const char* operator_type) noexcept {
  return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
               "{}: argument 'opType': expected no operator, as nothing is compiled here, got '{}'; use the functions "
               "aclnn{}GetWorkspaceSize and aclnn{}",
               function, operator_type, operator_type, operator_type);
}

const char* NameOf(const char* operator_type) noexcept { return operator_type == nullptr ? "" : operator_type; }

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclopCompileAndExecute(const char* opType, int, const aclTensorDesc* const[], const aclDataBuffer* const[],
                                int, const aclTensorDesc* const[], aclDataBuffer* const[], const aclopAttr*,
                                aclopEngineType, aclopCompileType, const char*, aclrtStream) {
  const ApiCall api_call(__func__);
  return RefuseExecution(__func__, NameOf(opType));
}

aclError aclopCompileAndExecuteV2(const char* opType, int, aclTensorDesc*[], aclDataBuffer*[], int, aclTensorDesc*[],
                                  aclDataBuffer*[], aclopAttr*, aclopEngineType, aclopCompileType, const char*,
                                  aclrtStream) {
  const ApiCall api_call(__func__);
  return RefuseExecution(__func__, NameOf(opType));
}

aclopAttr* aclopCreateAttr() { return reinterpret_cast<aclopAttr*>(&g_attributes); }
void aclopDestroyAttr(const aclopAttr*) {}
aclError aclopSetAttrBool(aclopAttr*, const char*, uint8_t) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrInt(aclopAttr*, const char*, int64_t) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrFloat(aclopAttr*, const char*, float) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrString(aclopAttr*, const char*, const char*) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrDataType(aclopAttr*, const char*, aclDataType) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrListBool(aclopAttr*, const char*, int, const uint8_t*) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrListInt(aclopAttr*, const char*, int, const int64_t*) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrListFloat(aclopAttr*, const char*, int, const float*) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrListListInt(aclopAttr*, const char*, int, const int*, const int64_t* const[]) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrListString(aclopAttr*, const char*, int, const char**) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
aclError aclopSetAttrListDataType(aclopAttr*, const char*, int, const aclDataType[]) {
  const ApiCall api_call(__func__);
  return ACL_SUCCESS;
}
