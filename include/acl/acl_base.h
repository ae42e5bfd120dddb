// SPDX-License-Identifier: Apache-2.0
// Base types of every other header: handles, element types, memory layouts, error codes, float16 helpers.
#ifndef PORTACL_INCLUDE_ACL_ACL_BASE_H_
#define PORTACL_INCLUDE_ACL_ACL_BASE_H_

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"
#include "acl/error_codes/ge_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"

#endif  // PORTACL_INCLUDE_ACL_ACL_BASE_H_
