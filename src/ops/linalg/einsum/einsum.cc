// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned: as products and their sums.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/dtype.h"
#include "families/contraction.h"
#include "families/scalar_lanes.h"
#include "loops/moves/copy.h"
#include "loops/tiles/elementwise.h"
#include "ops/linalg/einsum/einsum_spec.h"

namespace portacl::ops::einsum {
namespace {

constexpr int kTensors = kEinsum.Index("tensors");

struct Product {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>)
      return x * y;
    else
      return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  }
};

void PlanOuter(exec::PlanBuilder& plan) {
  const int first = plan.Operand(kTensors, 0), output = plan.Output("output");
  View rows = loops::moves::PlainView(plan, first);
  rows.shape[rows.rank] = 1;
  rows.strides[rows.rank++] = 0;
  const aclDataType dtype = families::Unsigned(rows.dtype);
  // The product of two FLOAT16 values is exact in float32.
  const aclDataType computed = dtype == ACL_FLOAT16 ? ACL_FLOAT : dtype;
  const families::PointwiseKernel kernel =
      families::FindScalarKernel<Product, 2, float, uint8_t, uint16_t, uint32_t, uint64_t>(computed, 0.3);
  loops::Elementwise(plan, {{first, rows}, plan.Operand(kTensors, 1), output},
                     {.run = kernel.run,
                      .ns_per_element = kernel.ns_per_element,
                      .dtype = dtype == computed ? ACL_DT_UNDEFINED : computed});
}

// The axes abcd and abced without d, over which the kernel iterates.
void PlanContraction(exec::PlanBuilder& plan) {
  const int operands[] = {plan.Operand(kTensors, 0), plan.Operand(kTensors, 1)};
  View views[] = {loops::moves::PlainView(plan, operands[0]), loops::moves::PlainView(plan, operands[1])};
  families::Terms terms{.count = views[0].shape[3], .steps = {}};
  for (int i = 0; i < 2; ++i) {
    const int d = views[i].rank - 1;
    terms.steps[i] = views[i].strides[d] * static_cast<int64_t>(ElementBytes(views[i].dtype));
    plan.ForbidInPlace(operands[i]);  // other sums read the same terms
  }
  views[0].shape[3] = 1;
  --views[1].rank;
  const double ns = 2 + static_cast<double>(terms.count);
  loops::Elementwise(plan, {{operands[0], views[0]}, {operands[1], views[1]}, plan.Output("output")},
                     {.run = families::FindContraction(views[0].dtype), .ns_per_element = ns, .any_strides = true},
                     terms);
}

void PlanEinsum(exec::PlanBuilder& plan) {
  const std::string_view equation = plan.Attribute<const char*>("equation");
  equation == kOuter ? PlanOuter(plan) : PlanContraction(plan);
}

}  // namespace

}  // namespace portacl::ops::einsum

#include "ops/linalg/einsum/einsum_functions.inc"
