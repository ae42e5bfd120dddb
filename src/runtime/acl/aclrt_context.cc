// SPDX-License-Identifier: Apache-2.0
// Context functions of the C API.
#include "base/observer.h"
#include "runtime/contexts/context.h"

#include "runtime/acl/checks.h"

using namespace portacl;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  const ApiCall api_call(__func__);
  if (context == nullptr) return NullArgument(__func__, "context");
  aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  HandleBits handle = 0;
  status = contexts::OpenContext(__func__, deviceId, false, &handle);
  if (status != 0) return status;
  streams::t_thread.explicit_context = handle;
  *context = ToHandle(handle);
  NotifyObservers([=](Observer& each) { each.HandleMade(HandleKind::kContext, handle); });
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
  const ApiCall api_call(__func__);
  if (context == nullptr) return NullArgument(__func__, "context");
  const contexts::Context* live = contexts::g_contexts.Find(context);
  if (live != nullptr && live->primary()) {
    return Failf(
        ACL_ERROR_RT_PARAM_INVALID,
        "{}: argument 'context': expected a context made by aclrtCreateContext, got the primary context of device {}",
        __func__, live->device());
  }
  if (live == nullptr || !contexts::CloseContext(ToBits(context))) {
    NotifyObservers([=](Observer& each) { each.HandleDead(HandleKind::kContext, ToBits(context)); });
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'context': expected a live context, got {}", __func__,
                 context);
  }
  NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKind::kContext, ToBits(context)); });
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  const ApiCall api_call(__func__);
  if (context == nullptr) return NullArgument(__func__, "context");
  if (contexts::g_contexts.Find(context) == nullptr) {
    NotifyObservers([=](Observer& each) { each.HandleDead(HandleKind::kContext, ToBits(context)); });
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "aclrtSetCurrentContext: argument 'context': expected a live context, got {}", context);
  }
  streams::t_thread.explicit_context = ToBits(context);
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  const ApiCall api_call(__func__);
  if (context == nullptr) return NullArgument(__func__, "context");
  HandleBits handle = 0;
  if (contexts::ResolveContext(__func__, &handle) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *context = ToHandle(handle);
  return ACL_SUCCESS;
}
