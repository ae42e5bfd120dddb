// SPDX-License-Identifier: Apache-2.0
// Offline models (aclmdl*): none can be loaded. These are the functions that programs call without one.
#ifndef PORTACL_INCLUDE_ACL_ACL_MDL_H_
#define PORTACL_INCLUDE_ACL_ACL_MDL_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Dumps of tensors. This version writes none: these functions do nothing.
///
/// Return ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char* dumpCfgPath);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_MDL_H_
