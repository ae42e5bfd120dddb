// SPDX-License-Identifier: Apache-2.0
// Data channels between host and device processes. This library exports none; the header exists because clients
// include it.
#ifndef PORTACL_INCLUDE_ACL_ACL_TDT_H_
#define PORTACL_INCLUDE_ACL_ACL_TDT_H_

#include "acl/acl_base.h"

#endif  // PORTACL_INCLUDE_ACL_ACL_TDT_H_
