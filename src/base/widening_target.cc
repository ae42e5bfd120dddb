// SPDX-License-Identifier: Apache-2.0
#include "base/widening_target.h"

#include <hwy/targets.h>

#include <algorithm>
#include <span>

#include "base/environment.h"
#include "base/target.h"

#if HWY_ARCH_X86_64
#include <cpuid.h>
#endif

namespace portacl {
namespace {

bool WorksInHalves() noexcept {
#if HWY_ARCH_X86_64
  unsigned version = 0, b = 0, c = 0, d = 0;
  __builtin_cpu_init();
  if (!__builtin_cpu_is("amd") || __get_cpuid(1, &version, &b, &c, &d) == 0) return false;
  return (version >> 8 & 15) + (version >> 20 & 255) == 25;
#else
  return false;
#endif
}

// In place of the best one.
int64_t Choose() noexcept {
  const std::span<const int64_t> usable = UsableTargets();
  const bool is_free = usable.front() == HWY_AVX3 && VariableText(Variable::kTarget) == nullptr;
  const bool has_avx2 = std::find(usable.begin(), usable.end(), HWY_AVX2) != usable.end();
  return is_free && has_avx2 && WorksInHalves() ? HWY_AVX2 : usable.front();
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
