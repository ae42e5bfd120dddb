// SPDX-License-Identifier: Apache-2.0
// Offline models (aclmdl*). This library exports none of them; the header exists because clients include it.
#ifndef PORTACL_INCLUDE_ACL_ACL_MDL_H_
#define PORTACL_INCLUDE_ACL_ACL_MDL_H_

#include "acl/acl_base.h"

#endif  // PORTACL_INCLUDE_ACL_ACL_MDL_H_
