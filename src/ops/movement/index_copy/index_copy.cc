// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and the rows that are filled.
#include <algorithm>
#include <span>
#include <vector>

#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/fill_runs.h"
#include "loops/gather.h"
#include "loops/store_scalar.h"
#include "ops/movement/index_copy/index_copy_spec.h"

namespace portacl::ops::index_copy {
namespace {

int DimOf(const exec::PlanBuilder& plan) {
  const auto dim = plan.Attribute<int64_t>("dim");
  return static_cast<int>(dim < 0 ? dim + std::max(plan.Tensor(0).rank, 1) : dim);
}

void PlanIndexCopy(exec::PlanBuilder& plan) {
  loops::Scatter(plan, plan.Input("selfRef"), DimOf(plan), plan.Input("index"), plan.Input("source"),
                 plan.Output("outRef"));
}

void PlanInplaceIndexCopy(exec::PlanBuilder& plan) {
  loops::Scatter(plan, loops::kNothing, DimOf(plan), plan.Input("index"), plan.Input("source"), plan.Output("selfRef"));
}

// The rows that are named, as runs.
void PlanFill(exec::PlanBuilder& plan, int index, int self, int out) {
  const int dim = DimOf(plan);
  const View& rows_of = plan.Tensor(0);
  const int64_t rows = rows_of.rank == 0 ? 1 : rows_of.shape[dim];
  std::vector<int64_t> named;
  for (const int64_t row : plan.Ints(index)) named.push_back(row < 0 ? row + rows : row);
  std::ranges::sort(named);
  std::vector<loops::RowRun> runs;
  for (const int64_t row : named) {
    if (runs.empty() || row > runs.back().begin + runs.back().size) {
      runs.push_back({row, 1});
    } else {
      runs.back().size = row + 1 - runs.back().begin;
    }
  }
  alignas(16) std::byte value[16] = {};
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), plan.OperandView(out).dtype, value);
  loops::FillRuns(plan, self, out, dim, runs, value);
}

void PlanIndexFillTensor(exec::PlanBuilder& plan) {
  PlanFill(plan, kIndexFillTensor.Index("index"), plan.Input("self"), plan.Output("out"));
}

void PlanInplaceIndexFillTensor(exec::PlanBuilder& plan) {
  PlanFill(plan, kInplaceIndexFillTensor.Index("index"), plan.Output("selfRef"), plan.Output("selfRef"));
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnIndexCopyGetWorkspaceSize, &aclnnIndexCopy>(kIndexCopy),
    exec::Bind<&aclnnInplaceIndexCopyGetWorkspaceSize, &aclnnInplaceIndexCopy>(kInplaceIndexCopy),
    exec::Bind<&aclnnIndexFillTensorGetWorkspaceSize, &aclnnIndexFillTensor>(kIndexFillTensor),
    exec::Bind<&aclnnInplaceIndexFillTensorGetWorkspaceSize, &aclnnInplaceIndexFillTensor>(kInplaceIndexFillTensor),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::index_copy

using namespace portacl::ops::index_copy;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnIndexCopy, kIndexCopy, PlanIndexCopy,
                        (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* source,
                         aclTensor* outRef),
                        selfRef, dim, index, source, outRef)
PORTACL_DEFINE_OPERATOR(aclnnInplaceIndexCopy, kInplaceIndexCopy, PlanInplaceIndexCopy,
                        (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* source), selfRef,
                        dim, index, source)
PORTACL_DEFINE_OPERATOR(aclnnIndexFillTensor, kIndexFillTensor, PlanIndexFillTensor,
                        (const aclTensor* self, int64_t dim, const aclIntArray* index, const aclScalar* value,
                         aclTensor* out),
                        self, dim, index, value, out)
PORTACL_DEFINE_OPERATOR(aclnnInplaceIndexFillTensor, kInplaceIndexFillTensor, PlanInplaceIndexFillTensor,
                        (aclTensor * selfRef, int64_t dim, const aclIntArray* index, const aclScalar* value), selfRef,
                        dim, index, value)
