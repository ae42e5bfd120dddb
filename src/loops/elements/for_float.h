// SPDX-License-Identifier: Apache-2.0
//
// Picks lane code that is a template of its floating element type, by dtype.
#pragma once

#include "acl/acl_base_rt.h"
#include "hwy/base.h"

namespace portacl::loops {

/// Calls find.operator()<T>() with the T of FLOAT, FLOAT16 or BFLOAT16.
template <class F>
auto ForFloat(aclDataType dtype, const F& find) {
  if (dtype == ACL_FLOAT) return find.template operator()<float>();
  return dtype == ACL_FLOAT16 ? find.template operator()<hwy::float16_t>()
                              : find.template operator()<hwy::bfloat16_t>();
}

}  // namespace portacl::loops
