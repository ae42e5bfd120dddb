// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and substitution in float64: products of float32 are exact, and a
// solution is rounded once, after the last row has used it.
#include <algorithm>

#include "loops/batches/matrices.h"
#include "ops/linalg/triangular_solve/triangular_solve_spec.h"

namespace portacl::ops::triangular_solve {
namespace {

// Measured on one core.
constexpr double kNsPerTerm = 0.4;
constexpr double kNsPerElement = 2;
constexpr double kNsPerMatrix = 300;

// Subtracts from a row the weighted sum of others.
void Subtract(const double* factors, int64_t factor_stride, const double* others, int64_t count, int64_t columns,
              double* row) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {  // loads and stores the row once for four others
    const double a = factors[i * factor_stride], b = factors[(i + 1) * factor_stride];
    const double c = factors[(i + 2) * factor_stride], d = factors[(i + 3) * factor_stride];
    const double* const x = others + i * columns;
    for (int64_t j = 0; j < columns; ++j)
      row[j] -= (a * x[j] + b * x[columns + j]) + (c * x[2 * columns + j] + d * x[3 * columns + j]);
  }
  for (; i < count; ++i) {
    const double factor = factors[i * factor_stride];
    for (int64_t j = 0; j < columns; ++j) row[j] -= factor * others[i * columns + j];
  }
}

// Operands: self, A, xOut, mOut.
template <bool kUpper, bool kTranspose, bool kUnit>
void Solve(const loops::batches::Matrix* operands) {
  const double* const a = operands[1].elements;
  double* const x = operands[2].elements;
  double* const triangle = operands[3].elements;
  const int64_t n = operands[2].rows, columns = operands[2].columns;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) triangle[i * n + j] = (kUpper ? j >= i : j <= i) ? a[i * n + j] : 0;
  }
  std::copy_n(operands[0].elements, n * columns, x);
  constexpr bool kForwards = kUpper == kTranspose;  // first row first if it has one unknown, otherwise the last
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = kForwards ? step : n - 1 - step;
    const int64_t first = kForwards ? 0 : i + 1;  // first of the solved rows
    Subtract(kTranspose ? a + first * n + i : a + i * n + first, kTranspose ? n : 1, x + first * columns, step, columns,
             x + i * columns);
    if constexpr (kUnit) continue;
    for (int64_t j = 0; j < columns; ++j) x[i * columns + j] /= a[i * n + i];
  }
}

template <bool kUpper, bool kTranspose>
auto SolverOf(bool is_unit) {
  return is_unit ? Solve<kUpper, kTranspose, true> : Solve<kUpper, kTranspose, false>;
}
template <bool kUpper>
auto SolverOf(bool is_transposed, bool is_unit) {
  return is_transposed ? SolverOf<kUpper, true>(is_unit) : SolverOf<kUpper, false>(is_unit);
}

// The matrices of an input, broadcast to those of the output.
loops::OperandPart Broadcast(const exec::PlanBuilder& plan, const char* input) {
  const int number = plan.Input(input);
  const View& from = plan.OperandView(number);
  const View& out = plan.Tensor("xOut");
  View view = from;
  view.rank = out.rank;
  const int added = out.rank - from.rank;
  for (int axis = 0; axis < out.rank; ++axis) {
    const bool is_batch = axis < out.rank - 2;
    view.strides[axis] = axis < added ? 0 : from.step(axis - added);
    view.shape[axis] = is_batch ? out.shape[axis] : from.shape[axis - added];
  }
  return {number, view};
}

void PlanTriangularSolve(exec::PlanBuilder& plan) {
  const View& out = plan.Tensor("xOut");
  const auto n = static_cast<double>(out.shape[out.rank - 2]), columns = static_cast<double>(out.shape[out.rank - 1]);
  const bool is_transposed = plan.Attribute<bool>("transpose"), is_unit = plan.Attribute<bool>("unitriangular");
  loops::batches::Matrices(
      plan, {Broadcast(plan, "self"), Broadcast(plan, "A"), plan.Output("xOut"), plan.Output("mOut")},
      {.run = plan.Attribute<bool>("upper") ? SolverOf<true>(is_transposed, is_unit)
                                            : SolverOf<false>(is_transposed, is_unit),
       .ns_per_matrix = kNsPerMatrix + kNsPerElement * n * (n + columns) + kNsPerTerm * n * n / 2 * columns,
       .outputs = 2});
}

}  // namespace

}  // namespace portacl::ops::triangular_solve

#include "ops/linalg/triangular_solve/triangular_solve_functions.inc"
