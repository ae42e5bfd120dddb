// SPDX-License-Identifier: Apache-2.0
// The ordered checks of copies and fills.
#include "runtime/copy_checks.h"

#include "runtime/arguments.h"

namespace portacl {

bool NeedsCopy(const char* function, const CopyArguments& copy, aclError* status) noexcept {
  *status = ACL_SUCCESS;
  if (copy.count == 0) return false;
  if (copy.dst == nullptr || copy.src == nullptr) {
    *status = NullArgument(function, copy.dst == nullptr ? "dst" : "src");
    return false;
  }
  // Kinds above 5 exist for descriptors only.
  if (copy.kind < ACL_MEMCPY_HOST_TO_HOST || copy.kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    *status = Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'kind': expected 0..5, got {}", function, copy.kind);
    return false;
  }
  if (copy.dest_max < copy.count) {
    *status = Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'count': expected at most destMax = {}, got {}", function,
                    copy.dest_max, copy.count);
    return false;
  }
  return copy.dst != copy.src;
}

bool NeedsFill(const char* function, const FillArguments& fill, aclError* status) noexcept {
  *status = ACL_SUCCESS;
  if (fill.count == 0) return false;
  if (fill.dst == nullptr) {
    *status = NullArgument(function, "devPtr");
    return false;
  }
  if (fill.max_count < fill.count) {
    *status = Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'count': expected at most maxCount = {}, got {}",
                    function, fill.max_count, fill.count);
    return false;
  }
  return true;
}

}  // namespace portacl
