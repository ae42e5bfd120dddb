// SPDX-License-Identifier: Apache-2.0
// The instruction sets that this machine has.
#pragma once

#include <hwy/detect_targets.h>

#include <cstdint>

#if HWY_ARCH_ARM_A64
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace portacl {

// The instructions that the code of each target may contain, as listed in Highway's set_macros-inl.h.
inline int64_t DetectTargets() noexcept {
  int64_t found = HWY_EMU128;
#if HWY_ARCH_X86
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  // These answers imply that the system saves the wide registers.
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

}  // namespace portacl
