// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <cmath>
#include <span>

#include "aclnnop/aclnn_inverse.h"
#include "aclnnop/aclnn_slogdet.h"
#include "families/define.h"
#include "loops/matrices.h"
#include "ops/linalg/factorization/factorization_spec.h"
#include "ops/linalg/factorization/kernels.h"

namespace portacl::ops::factorization {
namespace {

// Measured with matrices of 256 x 256, where one core does some 5 operations a ns; and what one costs however small.
constexpr double kNsPerOperation = 0.2;
constexpr double kNsPerMatrix = 300;

double NsOf(double operations) { return kNsPerMatrix + kNsPerOperation * operations; }

void PlanInverse(exec::PlanBuilder& plan) {
  const View& self = plan.Tensor("self");
  const auto n = static_cast<double>(self.shape[self.rank - 1]);
  loops::Matrices(plan, {plan.Input("self"), plan.Output("out")},
                  {.run = Invert, .ns_per_matrix = NsOf(2 * n * n * n)});
}

// A number for each matrix, as a matrix of one element.
loops::OperandPart NumbersOf(const exec::PlanBuilder& plan, const char* name) {
  const int number = plan.Output(name);
  View view = plan.OperandView(number);
  for (int axis = 0; axis < 2; ++axis) {
    view.shape[view.rank] = 1;
    view.strides[view.rank++] = 0;
  }
  return {number, view};
}

void PlanSlogdet(exec::PlanBuilder& plan) {
  const View& self = plan.Tensor("self");
  const auto n = static_cast<double>(self.shape[self.rank - 1]);
  loops::Matrices(plan, {plan.Input("self"), NumbersOf(plan, "signOut"), NumbersOf(plan, "logOut")},
                  {.run = TakeDeterminant, .ns_per_matrix = NsOf(2.0 / 3 * n * n * n), .outputs = 2});
}

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnInverse, kInverse, PlanInverse, (const aclTensor* self, aclTensor* out), self, out)
PORTACL_DEFINE_OPERATOR(aclnnSlogdet, kSlogdet, PlanSlogdet,
                        (const aclTensor* self, aclTensor* signOut, aclTensor* logOut), self, signOut, logOut)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Inverse), PORTACL_BIND(Slogdet)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::factorization
