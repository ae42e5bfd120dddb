// SPDX-License-Identifier: Apache-2.0
// A C++11 program that uses every public field and enumerator.
#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "aclnn/acl_meta.h"
#include "hccl/hccl.h"

extern const unsigned long kFieldSizes[];
extern const long long kEnumerators[];

#define FIELD(type, field) sizeof(((type*)0)->field),
const unsigned long kFieldSizes[] = {
#include "fields.inc"
};

const long long kEnumerators[] = {
#include "enumerators.inc"
};
