// SPDX-License-Identifier: Apache-2.0
// The process-wide system options that operators consult in phase 1.
#pragma once

#include <cstdint>

#include "acl/acl.h"
#include "base/visibility.h"

namespace portacl {
inline namespace v1 {

// The value set last with aclrtSetSysParamOpt or aclrtCtxSetSysParamOpt; 0 when never set.
PORTACL_LEND int64_t SystemOption(aclSysParamOpt option) noexcept;

}  // namespace v1
}  // namespace portacl
