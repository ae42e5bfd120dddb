// SPDX-License-Identifier: Apache-2.0
// The machine is asked directly and not through Highway's library, so that the toolkit does not need that library at
// run time; target_test.cc compares the two.
#include "base/target.h"

#include <hwy/targets.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/environment.h"
#include "base/set_target.h"

#if HWY_ARCH_ARM_A64
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace portacl {
namespace {

// What each target's code may contain, as listed in Highway's set_macros-inl.h.
int64_t DetectTargets() noexcept {
  int64_t found = HWY_EMU128;
#if HWY_ARCH_X86
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  // These answers include that the system saves the wide registers.
  const bool avx2 = sse4 && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("f16c");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (sse4) found |= HWY_SSE4;
  if (avx2) found |= HWY_AVX2;
  if (avx3) found |= HWY_AVX3;
#elif HWY_ARCH_ARM_A64
  const unsigned long capabilities = getauxval(AT_HWCAP);
  const unsigned long more = getauxval(AT_HWCAP2);
  if ((capabilities & HWCAP_ASIMD) != 0 && (capabilities & HWCAP_AES) != 0) found |= HWY_NEON;
  if ((capabilities & HWCAP_SVE) != 0) {
    const bool sve2 = (more & HWCAP2_SVE2) != 0 && (more & HWCAP2_SVEAES) != 0;
    const int vector_bytes = prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK;
    found |= HWY_SVE;
    if (vector_bytes == 32) found |= HWY_SVE_256;
    if (sve2) found |= HWY_SVE2;
    if (sve2 && vector_bytes == 16) found |= HWY_SVE2_128;
  }
#endif
  return found;
}

struct TargetList {
  std::array<int64_t, 64> bits{};
  size_t count = 0;
};

TargetList ListUsable() noexcept {
  // The compiler may use HWY_STATIC_TARGET anywhere, so the machine has it whatever the detection says.
  const int64_t usable = (DetectTargets() & (HWY_TARGETS)) | (HWY_STATIC_TARGET);
  TargetList list;
  for (int64_t rest = usable; rest != 0; rest &= rest - 1) list.bits[list.count++] = rest & -rest;
  return list;
}

int64_t ChooseTarget() noexcept {
  const std::span<const int64_t> usable = UsableTargets();
  const char* name = VariableText(Variable::kTarget);
  if (name == nullptr) return usable.front();
  for (const int64_t target : usable) {
    if (std::strcmp(name, TargetName(target)) == 0) return target;
  }
  RejectVariable(Variable::kTarget, "the name of an instruction set that this machine and this build have");
  return usable.front();
}

constinit std::atomic<int64_t> active{0};
constinit std::atomic<int64_t> forced{0};

}  // namespace

inline namespace v1 {

constinit std::atomic<uint64_t> settings_version{0};

int64_t ActiveTarget() noexcept {
  if (const int64_t target = forced.load(std::memory_order_relaxed); target != 0) return target;
  int64_t target = active.load(std::memory_order_relaxed);
  if (target == 0) {
    // Several first callers find the same answer.
    target = ChooseTarget();
    active.store(target, std::memory_order_relaxed);
  }
  return target;
}

const char* TargetName(int64_t target) noexcept { return hwy::TargetName(target); }

std::span<const int64_t> UsableTargets() noexcept {
  static const TargetList list = ListUsable();
  return {list.bits.data(), list.count};
}

void SetActiveTarget(int64_t target) noexcept {
  forced.store(target, std::memory_order_relaxed);
  if (target == 0) active.store(0, std::memory_order_relaxed);
  settings_version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace v1

void SetActiveTargetForTest(int64_t target) noexcept { SetActiveTarget(target); }

}  // namespace portacl
