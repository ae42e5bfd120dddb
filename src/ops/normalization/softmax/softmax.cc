// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <initializer_list>
#include <utility>

#include "base/target.h"
#include "exec/shape_rule.h"
#include "loops/tiles/rows.h"
#include "ops/normalization/softmax/softmax_lanes.h"
#include "ops/normalization/softmax/softmax_spec.h"

namespace portacl::ops::softmax {
namespace {

// Rows along an axis with at least kManyNeighbours adjacent columns are processed as columns, so that these fill
// registers. So are shorter rows with a few neighbours, which would be copied first.
constexpr int64_t kShortRow = 32;
constexpr int64_t kManyNeighbours = 16;

// The axis of a call, for views of rank 1 or more.
struct Axis {
  Axis(const View& view, int64_t dim) {
    if (view.rank == 0) return;
    number = exec::AxisOf(dim, view.rank);
    size = view.shape[number];
    for (int i = number + 1; i < view.rank; ++i) neighbours *= view.shape[i];
  }
  // Depends on the shape only: results are the same whatever the strides.
  bool IsTakenAsColumns() const { return neighbours >= kManyNeighbours || (neighbours > 1 && size < kShortRow); }

  int number = 0;
  int64_t size = 1;
  int64_t neighbours = 1;
};

// The operand with at least one axis; the axis of the call is the last one if rows are processed as rows.
loops::OperandPart PartOf(const exec::PlanBuilder& plan, int operand, const Axis& axis, bool as_columns) {
  View view = plan.OperandView(operand);
  if (view.rank == 0) {
    view.rank = 1;
    view.shape[0] = view.strides[0] = 1;
  }
  for (int i = axis.number; !as_columns && i + 1 < view.rank; ++i) {
    std::swap(view.shape[i], view.shape[i + 1]);
    std::swap(view.strides[i], view.strides[i + 1]);
  }
  return {operand, view};
}

// Plans a function of one or two tensors along `dim`; `ns` is the time per element.
template <Function kFunction>
void Plan(exec::PlanBuilder& plan, double ns, std::initializer_list<int> operands) {
  const int out = *(operands.end() - 1);
  const View& view = plan.OperandView(*operands.begin());
  aclDataType dtype = view.dtype;
  if (plan.OperandView(out).dtype != dtype)
    dtype = dtype == ACL_DOUBLE || plan.OperandView(out).dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  const Axis axis(view, plan.Attribute<int64_t>("dim"));
  const bool as_columns = dtype == ACL_DOUBLE || axis.IsTakenAsColumns();
  constexpr bool kIsGradient = kFunction == Function::kSoftmaxBackward || kFunction == Function::kLogSoftmaxBackward;
  const aclDataType stored = dtype;
  if (as_columns && !kIsGradient && dtype != ACL_DOUBLE) dtype = ACL_FLOAT;
  const auto part = [&](int operand) { return PartOf(plan, operand, axis, as_columns); };
  loops::RowKernel kernel{
      .run = as_columns ? ColumnLanes(kFunction, stored, ActiveTarget()) : RowLanes(kFunction, dtype, ActiveTarget()),
      .ns_per_element = dtype == ACL_DOUBLE ? 4 * ns : ns,
      .dtype = dtype};
  if (kFunction == Function::kSoftmax) {
    kernel.scratch_bytes =
        as_columns ? ColumnScratchBytes(axis.size, dtype == ACL_DOUBLE ? 8 : 4) : RowScratchBytes(axis.size);
  }
  kernel.columns = ColumnsTogether(axis.size);
  const int* const n = operands.begin();
  if (operands.size() == 2) {
    as_columns ? loops::Columns(plan, {part(n[0]), part(n[1])}, axis.number, kernel)
               : loops::Rows(plan, {part(n[0]), part(n[1])}, kernel);
  } else {
    as_columns ? loops::Columns(plan, {part(n[0]), part(n[1]), part(n[2])}, axis.number, kernel)
               : loops::Rows(plan, {part(n[0]), part(n[1]), part(n[2])}, kernel);
  }
}

template <Function kFunction>
void PlanForward(exec::PlanBuilder& plan) {
  Plan<kFunction>(plan, 0.4, {plan.Input("self"), plan.Output("out")});
}

template <Function kFunction>
void PlanBackward(exec::PlanBuilder& plan) {
  Plan<kFunction>(plan, 0.3, {plan.Input("gradOutput"), plan.Input("output"), plan.Output("out")});
}

void PlanSoftmaxCrossEntropyWithLogits(exec::PlanBuilder& plan) {
  constexpr int kFeatures = kSoftmaxCrossEntropyWithLogits.Index("features");
  constexpr int kLabels = kSoftmaxCrossEntropyWithLogits.Index("labels");
  const int loss = plan.Output("loss");
  const View& features = plan.Tensor(kFeatures);
  View of_rows = plan.OperandView(loss);
  of_rows.rank = 2;
  of_rows.shape[1] = features.shape[1];
  of_rows.strides[1] = 0;
  const aclDataType dtype = plan.Tensor(kLabels).dtype == features.dtype ? features.dtype : ACL_FLOAT;
  constexpr int kOfLoss = 2;
  loops::Rows(
      plan,
      {plan.Operand(kFeatures), plan.Operand(kLabels), loops::OperandPart(loss, of_rows), plan.Output("backprop")},
      {.run = CrossEntropyLanes(dtype, ActiveTarget()),
       .ns_per_element = 1,
       .outputs = 2,
       .repeated = 1U << kOfLoss,
       .dtype = dtype});
}

constexpr exec::PlanFunction PlanSoftmax = PlanForward<Function::kSoftmax>;
constexpr exec::PlanFunction PlanLogSoftmax = PlanForward<Function::kLogSoftmax>;
constexpr exec::PlanFunction PlanSoftmaxBackward = PlanBackward<Function::kSoftmaxBackward>;
constexpr exec::PlanFunction PlanLogSoftmaxBackward = PlanBackward<Function::kLogSoftmaxBackward>;

}  // namespace

}  // namespace portacl::ops::softmax

#include "ops/normalization/softmax/softmax_functions.inc"
