// SPDX-License-Identifier: Apache-2.0
// The header most programs include: everything of the runtime and the base types.
//
//     #include "acl/acl.h"
//     #include "aclnnop/aclnn_<operator>.h"
//
//     aclInit(NULL);
//     aclrtSetDevice(0);
//     aclrtStream stream;
//     aclrtCreateStream(&stream);
#ifndef PORTACL_INCLUDE_ACL_ACL_H_
#define PORTACL_INCLUDE_ACL_ACL_H_

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"

#endif  // PORTACL_INCLUDE_ACL_ACL_H_
