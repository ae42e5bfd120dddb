// SPDX-License-Identifier: Apache-2.0
//
// Lane code that is a template of the floating type of its elements, by dtype.
#pragma once

#include "acl/acl_base_rt.h"
#include "hwy/base.h"

namespace portacl::loops {

/// find.operator()<T>() for the T of FLOAT, FLOAT16 or BFLOAT16.
template <class F>
auto ForFloat(aclDataType dtype, const F& find) {
  if (dtype == ACL_FLOAT) return find.template operator()<float>();
  return dtype == ACL_FLOAT16 ? find.template operator()<hwy::float16_t>()
                              : find.template operator()<hwy::bfloat16_t>();
}

}  // namespace portacl::loops
