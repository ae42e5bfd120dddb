// SPDX-License-Identifier: Apache-2.0
// Opening and closing the operator library; neither call is needed.
#ifndef PORTACL_INCLUDE_ACLNN_ACLNN_BASE_H_
#define PORTACL_INCLUDE_ACLNN_ACLNN_BASE_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opens the operator library. May be called any number of times.
///
/// configPath  in  NULL or the path of a JSON file; a missing file, bad JSON and unknown keys are tolerated.
///
/// Returns 0. Threads: process.
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);

/// Closes the operator library; this has no visible effect.
///
/// Returns 0. Threads: process.
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACLNN_ACLNN_BASE_H_
