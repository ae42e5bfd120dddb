// SPDX-License-Identifier: Apache-2.0
// Sizes, offsets and values that compiled programs carry, checked by the compiler in a C11 and in a C++11 program.
#ifndef PORTACL_TESTS_CONTRACT_HEADERS_VALUES_H_
#define PORTACL_TESTS_CONTRACT_HEADERS_VALUES_H_

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "aclnn/acl_meta.h"
#include "aclnn/opdev/op_errno.h"
#include "hccl/hccl.h"

#define ENUM(type) static_assert(sizeof(type) == 4, "size of " #type);
#define PIN(name, value) static_assert((name) == (value), #name);
#define LAYOUT(type, size, alignment) \
  static_assert(sizeof(type) == (size) && alignof(type) == (alignment), "size or alignment of " #type);
#define FIELD(type, field, offset) static_assert(offsetof(type, field) == (offset), "offset of " #type "." #field);

#include "constants.inc"
#include "enumerators.inc"
#include "layouts.inc"

#endif  // PORTACL_TESTS_CONTRACT_HEADERS_VALUES_H_
