// SPDX-License-Identifier: Apache-2.0
#include "base/widening_target.h"

#include <hwy/targets.h>

#include <algorithm>
#include <span>

#include "base/environment.h"
#include "base/target.h"
#include "base/tuning.h"

namespace portacl {
namespace {

// Chooses the target that is used instead of the best one.
int64_t Choose() noexcept {
  const std::span<const int64_t> usable = UsableTargets();
  const bool is_free = usable.front() == HWY_AVX3 && VariableText(Variable::kTarget) == nullptr;
  const bool has_avx2 = std::find(usable.begin(), usable.end(), HWY_AVX2) != usable.end();
  return is_free && has_avx2 && CurrentTuning().halves_512_bits ? HWY_AVX2 : usable.front();
}

}  // namespace

inline namespace v1 {

int64_t WideningTarget() noexcept {
  static const int64_t best = Choose();
  const int64_t active = ActiveTarget();
  return active == UsableTargets().front() ? best : active;
}

}  // namespace v1
}  // namespace portacl
