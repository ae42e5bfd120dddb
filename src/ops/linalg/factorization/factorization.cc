// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <utility>

#include "loops/batches/matrices.h"
#include "loops/elements/conversion.h"
#include "ops/linalg/factorization/factorization_spec.h"
#include "ops/linalg/factorization/kernels.h"

namespace portacl::ops::factorization {
namespace {

// Measured: one core does 8 to 13 operations a ns from 128 rows on, Eigen being compiled for SSE2; and the fixed cost
// of a matrix.
constexpr double kNsPerOperation = 0.1;
constexpr double kNsPerMatrix = 300;

double NsOf(double operations) { return kNsPerMatrix + kNsPerOperation * operations; }

void PlanInverse(exec::PlanBuilder& plan) {
  const View& self = plan.Tensor("self");
  const auto n = static_cast<double>(self.shape[self.rank - 1]);
  loops::batches::Matrices(plan, {plan.Input("self"), plan.Output("out")},
                           {.run = Invert, .ns_per_matrix = NsOf(2 * n * n * n)});
}

// A 1 x 1 matrix for each matrix of self.
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
  const bool is_complex = loops::IsComplex(self.dtype);
  const auto run = !is_complex                                     ? TakeDeterminant
                   : loops::IsComplex(plan.Tensor("logOut").dtype) ? TakeComplexDeterminantAndLog
                                                                   : TakeComplexDeterminant;
  const double operations = (is_complex ? 8.0 : 2.0) / 3 * n * n * n;
  loops::batches::Matrices(plan, {plan.Input("self"), NumbersOf(plan, "signOut"), NumbersOf(plan, "logOut")},
                           {.run = run, .ns_per_matrix = NsOf(operations), .outputs = 2});
}

// An operand with rows and columns transposed.
loops::OperandPart TransposeOf(const exec::PlanBuilder& plan, const char* name) {
  const int number = plan.Operand(plan.schema().Find(name));
  View view = plan.OperandView(number);
  std::swap(view.shape[view.rank - 2], view.shape[view.rank - 1]);
  std::swap(view.strides[view.rank - 2], view.strides[view.rank - 1]);
  return {number, view};
}

void PlanLinalgQr(exec::PlanBuilder& plan) {
  const View& self = plan.Tensor("self");
  const auto m = static_cast<double>(self.shape[self.rank - 2]);
  const auto n = static_cast<double>(self.shape[self.rank - 1]);
  const double k = std::min(m, n);
  const double ns_of_r = NsOf(2 * m * n * k);
  const auto mode = plan.Attribute<int64_t>("mode");
  const loops::OperandPart of_self = TransposeOf(plan, "self"), r = TransposeOf(plan, "R");
  if (mode == kOnlyR) return loops::batches::Matrices(plan, {of_self, r}, {.run = FactorR, .ns_per_matrix = ns_of_r});
  const double ns_of_q = NsOf(2 * m * k * (mode == kComplete ? m : k));
  loops::batches::Matrices(plan, {of_self, TransposeOf(plan, "Q"), r},
                           {.run = FactorQr, .ns_per_matrix = ns_of_r + ns_of_q, .outputs = 2});
}

}  // namespace

}  // namespace portacl::ops::factorization

#include "ops/linalg/factorization/factorization_functions.inc"
