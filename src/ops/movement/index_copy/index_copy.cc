// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and how rows are filled.
#include <algorithm>
#include <vector>

#include "loops/elements/store_scalar.h"
#include "loops/moves/fill_runs.h"
#include "loops/moves/scatter.h"
#include "ops/movement/index_copy/index_copy_spec.h"

namespace portacl::ops::index_copy {
namespace {

int DimOf(const exec::PlanBuilder& plan) {
  const auto dim = plan.Attribute<int64_t>("dim");
  return static_cast<int>(dim < 0 ? dim + std::max(plan.Tensor(0).rank, 1) : dim);
}

void PlanIndexCopy(exec::PlanBuilder& plan) {
  const bool in_place = &plan.schema() == &kInplaceIndexCopy;
  loops::moves::ScatterRows(plan,
                            {.self = in_place ? loops::moves::kNothing : plan.Input("selfRef"),
                             .index = plan.Input("index"),
                             .source = plan.Input("source"),
                             .out = plan.Output(in_place ? "selfRef" : "outRef")},
                            DimOf(plan));
}

// The named rows as runs.
static_assert(kIndexFillTensor.Index("index") == kInplaceIndexFillTensor.Index("index"));
void PlanFill(exec::PlanBuilder& plan, int index, int self, int out) {
  const int dim = DimOf(plan);
  const View& rows_of = plan.Tensor(0);
  const int64_t rows = rows_of.rank == 0 ? 1 : rows_of.shape[dim];
  std::vector<int64_t> named;
  for (const int64_t row : plan.Ints(index)) named.push_back(row < 0 ? row + rows : row);
  std::ranges::sort(named);
  std::vector<loops::moves::RowRun> runs;
  for (const int64_t row : named) {
    if (runs.empty() || row > runs.back().begin + runs.back().size) {
      runs.push_back({row, 1});
    } else {
      runs.back().size = row + 1 - runs.back().begin;
    }
  }
  alignas(16) std::byte value[16] = {};
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), plan.OperandView(out).dtype, value);
  loops::moves::FillRuns(plan, self, out, dim, runs, value);
}

void PlanIndexFillTensor(exec::PlanBuilder& plan) {
  const bool in_place = &plan.schema() == &kInplaceIndexFillTensor;
  const int out = plan.Output(in_place ? "selfRef" : "out");
  PlanFill(plan, kIndexFillTensor.Index("index"), in_place ? out : plan.Input("self"), out);
}

void PlanIndexFill(exec::PlanBuilder& plan) {
  const bool in_place = &plan.schema() == &kInplaceIndexFill;
  loops::moves::Scattered what{.self = in_place ? loops::moves::kNothing : plan.Input("self"),
                               .index = plan.Input("index"),
                               .out = plan.Output(in_place ? "selfRef" : "out"),
                               .wraps = true,
                               .ignores = true};
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), plan.OperandView(what.out).dtype, what.value);
  loops::moves::ScatterRows(plan, what, DimOf(plan));
}

void PlanIndexAdd(exec::PlanBuilder& plan) {
  loops::moves::Scattered what{.self = plan.Input("self"),
                               .index = plan.Input("index"),
                               .source = plan.Input("source"),
                               .out = plan.Output("out"),
                               .combine = loops::moves::Combine::kAdd};
  const auto& alpha = *plan.Attribute<const aclScalar*>("alpha");
  const aclDataType dtype = plan.OperandView(what.out).dtype;
  if (!families::kFloats4.Holds(dtype)) {
    loops::StoreScalar(alpha, dtype == ACL_BOOL ? ACL_BOOL : ACL_INT64,
                       reinterpret_cast<std::byte*>(&what.factor.whole));
    if (dtype == ACL_BOOL) what.factor.whole &= 1;
  } else if (dtype == ACL_DOUBLE) {
    loops::StoreScalar(alpha, ACL_DOUBLE, reinterpret_cast<std::byte*>(&what.factor.real));
  } else {
    float single;
    loops::StoreScalar(alpha, ACL_FLOAT, reinterpret_cast<std::byte*>(&single));
    what.factor.real = static_cast<double>(single);
  }
  loops::moves::ScatterRows(plan, what, DimOf(plan));
}
constexpr exec::PlanFunction PlanIndexAddV2 = PlanIndexAdd;

}  // namespace

}  // namespace portacl::ops::index_copy

#include "ops/movement/index_copy/index_copy_functions.inc"
