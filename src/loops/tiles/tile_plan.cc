// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/tile_plan.h"

#include "loops/elements/non_temporal.h"
#include "loops/tiles/plan_joiner.h"

namespace portacl::loops {

void SetOperands(const exec::PlanBuilder& builder, std::span<const OperandPart> operands, const Parameters& parameters,
                 TilePlan* plan) {
  const LoopNest& nest = plan->nest;
  int i = 0;
  for (const OperandPart& part : operands) {
    const View& whole = builder.OperandView(part.operand);
    plan->operand[i] = part.operand;
    if (part.view) plan->offset[i] = (part.view->offset - whole.offset) * nest.element_bytes[i];
    // Tests the whole operand: two of its parts may share bytes although neither overlaps itself.
    if (i >= plan->code.inputs) {
      plan->serial |= plan->tiling.chunks > 1 && MayOverlapItself(whole);
      // Large operands also make loops of long formulas prefetch, which they need from a smaller size on: Silu of 64
      // MiB took 19 ms without, and 8 with it. The same holds for copies of transposed operands, whose results would
      // otherwise be fetched line by line: 64 MiB of 16-bit elements took 26 ms without, and 12 with it.
      const bool transposes =
          plan->code.any_strides && nest.rank > 1 && nest.strides[0][0] > nest.strides[0][1] && nest.strides[0][1] > 0;
      const int64_t all = NonTemporalBytes();
      const int64_t bytes = transposes ? all / 2 : plan->code.prefetches ? all / 4 * 3 : all;
      plan->non_temporal = nest.Elements() > bytes / BytesPerElement(nest);
    }
    ++i;
  }
  parameters.CopyTo(plan->parameters);
}

void PlanJoiner::Run(exec::PlanBuilder& builder, exec::RunFunction run) {
  constexpr int64_t kOneThreadBytes = 256 << 10;
  plans_.serial |= moved_ <= kOneThreadBytes;
  std::memcpy(bytes_.data(), &plans_, sizeof(plans_));
  for (size_t at = kPlansHeaderBytes; moved_ > NonTemporalBytes() && at < bytes_.size();
       at += static_cast<size_t>(plans_.plan_bytes))
    reinterpret_cast<TilePlan*>(&bytes_[at])->non_temporal = true;
  builder.RunBytes(run, bytes_.data(), bytes_.size(), cost_ns_);
}

}  // namespace portacl::loops
