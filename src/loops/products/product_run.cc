// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "loops/products/product_task.h"

namespace portacl::loops::products {

int32_t RunProduct(const exec::RunContext& context) {
  const auto& plan = context.Parameters<ProductPlan>();
  const auto address = [&](const auto& operand) {
    std::byte* const base = context.Address(operand.operand);
    return base == nullptr ? nullptr : base + operand.offset;
  };
  const ProductTask task{.plan = plan,
                         .rows = address(plan.rows_of),
                         .columns = address(plan.columns_of),
                         .out = address(plan.out),
                         .addend = plan.beta == 0 ? nullptr : address(plan.addend)};
  std::visit([&](const auto& way) { RunProducts(task, way); }, plan.way);
  return 0;
}

}  // namespace portacl::loops::products
