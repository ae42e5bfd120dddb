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
    // The whole operand decides: two parts of it may share bytes though neither overlaps itself.
    if (i >= plan->code.inputs) {
      plan->serial |= plan->tiling.chunks > 1 && MayOverlapItself(whole);
      // Loops of long formulas prefetch then, which they need earlier: Silu of 64 MiB took 19 ms without, and 8 with
      // it. So do copies of transposed operands, whose results would else be fetched line by line: 16-bit elements, 64
      // MiB, took 26 ms, and take 12.
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
