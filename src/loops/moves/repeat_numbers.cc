// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "loops/moves/gather.h"
#include "loops/moves/indices.h"

namespace portacl::loops::moves {
namespace {

constexpr double kNumberNs = 0.7;

// The numbers from 0 on, each as often as its count says.
struct CountsPlan {
  Indices counts;
  int64_t size;
  int64_t stride;
  int out;
};

template <class T>
int32_t WriteRepeated(const CountsPlan& plan, const exec::RunContext& context) {
  const std::byte* const counts = context.Address(plan.counts.operand);
  std::byte* const out = context.Address(plan.out);
  const int64_t count = plan.counts.places.Count();
  const auto read = [&](int64_t i) { return ReadIndex(counts + plan.counts.places.Of(i), plan.counts.is_wide); };
  int64_t sum = 0;
  for (int64_t i = 0; i < count; sum += read(i++)) {
    if (read(i) < 0 || read(i) > plan.size - sum) return RefuseRepeat(plan.counts, read(i), i, plan.size);
  }
  if (sum != plan.size) return RefuseSum(plan.counts, sum, plan.size);
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<T>(i);
    for (const int64_t end = at + read(i); at < end; ++at) std::memcpy(out + at * plan.stride, &value, sizeof(T));
  }
  return 0;
}

int32_t RunRepeatNumbers(const exec::RunContext& context) {
  const auto& plan = context.Parameters<CountsPlan>();
  return plan.counts.is_wide ? WriteRepeated<int64_t>(plan, context) : WriteRepeated<int32_t>(plan, context);
}

}  // namespace

inline namespace v1 {

void RepeatNumbers(exec::PlanBuilder& plan, int repeats, int out) {
  const View& to = plan.OperandView(out);
  const CountsPlan counts{Indices(plan, repeats, 0), to.shape[0], StepBytes(to, 0), out};
  plan.ForbidInPlace(repeats);
  plan.Run(RunRepeatNumbers, counts, CostNs(to.shape[0] + counts.counts.places.Count(), 16, kNumberNs));
}

}  // namespace v1
}  // namespace portacl::loops::moves
