// SPDX-License-Identifier: Apache-2.0
#include "base/bfloat16_unit.h"

#include <hwy/targets.h>

#include <algorithm>
#include <atomic>

#include "base/target.h"

#if HWY_ARCH_X86_64
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace portacl {
namespace {

#if HWY_ARCH_X86_64
// The system saves the tile registers of a thread only if the process has requested that. It refuses where it does not
// support them, and where the stack of a signal handler is too small for them.
bool AskForTiles() noexcept {
  constexpr unsigned long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

Bfloat16Unit Detect() noexcept {
  if (((HWY_TARGETS) & ~(HWY_EMU128 | HWY_SCALAR)) == 0) return Bfloat16Unit::kNone;  // a build without vectors
  __builtin_cpu_init();
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool has_registers = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") &&
                             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                             __builtin_cpu_supports("avx512bw");
  if (!has_registers || __get_cpuid_count(7, 1, &a, &b, &c, &d) == 0 || (a >> 5 & 1) == 0) return Bfloat16Unit::kNone;
  const bool has_tiles = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 22 & 1) != 0 && (d >> 24 & 1) != 0;
  if (has_tiles && AskForTiles()) return Bfloat16Unit::kTiles;
  // AMD's processors begin one dot product of a register in each cycle, which is twice the terms of their
  // multiply-adds; on Intel's processors dot products take 1.4 times as long as multiply-adds. This is not a value of
  // base/tuning.h, because it changes bits.
  return __builtin_cpu_is("amd") ? Bfloat16Unit::kDots : Bfloat16Unit::kNone;
}
#else
Bfloat16Unit Detect() noexcept { return Bfloat16Unit::kNone; }
#endif

constinit std::atomic<Bfloat16Unit> most{Bfloat16Unit::kTiles};

}  // namespace

inline namespace v1 {

Bfloat16Unit ActiveBfloat16Unit() noexcept {
  if (ActiveTarget() != UsableTargets().front()) return Bfloat16Unit::kNone;
  static const Bfloat16Unit unit = Detect();
  return std::min(unit, most.load(std::memory_order_relaxed));
}

}  // namespace v1

void LimitBfloat16UnitForTest(Bfloat16Unit limit) noexcept {
  most.store(limit, std::memory_order_relaxed);
  settings_version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace portacl
