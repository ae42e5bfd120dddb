// SPDX-License-Identifier: Apache-2.0
// Checks of words about the operator as a whole.
#include <fmt/format.h>

#include <string>

#include "base/product.h"
#include "base/status.h"
#include "exec/refusal.h"
#include "exec/words/check.h"

namespace portacl::exec {

aclnnStatus CheckOnProducts(Arguments& arguments, const Step& step) {
  if (arguments.schema().products.Holds(arguments.product().family)) return kSuccess;
  return RefuseProduct(arguments, step);
}

aclnnStatus CheckCustom(Arguments& arguments, const Step& step) { return step.custom(arguments, step); }

aclnnStatus RefuseProduct(const Arguments& arguments, const Step& step) {
  const Schema& schema = arguments.schema();
  std::string names;
  for (const Product& product : kProducts) {
    if (schema.products.Holds(product.family))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", product.family_name);
  }
  KeepRefusal(Refusal::kProduct, schema.api);
  return Failf(step.status, "{}: expected one of the products {}, got {}", schema.api, names,
               arguments.product().family_name);
}

}  // namespace portacl::exec
