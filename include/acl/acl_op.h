// SPDX-License-Identifier: Apache-2.0
// Operators by name (aclop*). This library exports none of them; the header exists because clients include it.
#ifndef PORTACL_INCLUDE_ACL_ACL_OP_H_
#define PORTACL_INCLUDE_ACL_ACL_OP_H_

#include "acl/acl_base.h"

#endif  // PORTACL_INCLUDE_ACL_ACL_OP_H_
