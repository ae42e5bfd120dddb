// SPDX-License-Identifier: Apache-2.0
// All include paths with which programs include the headers, given -I include -I include/aclnn -I include/aclnnop.
// Included by one C and one C++ source, because only that shows a path that resolves to another file.
#ifndef PORTACL_TESTS_CONTRACT_HEADERS_SPELLINGS_H_
#define PORTACL_TESTS_CONTRACT_HEADERS_SPELLINGS_H_

#include "acl/acl.h"
#include "acl/acl_base.h"
#include "acl/acl_rt.h"
#include "acl_meta.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnn_base.h"
#include "aclnn_util.h"
#include "aclnnop/aclnn_util.h"
#include "opdev/op_errno.h"

#endif  // PORTACL_TESTS_CONTRACT_HEADERS_SPELLINGS_H_
