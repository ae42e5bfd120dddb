// SPDX-License-Identifier: Apache-2.0
// The machine is queried directly, not with Highway's library, so that the toolkit does not need that library at run
// time; target_test.cc compares the two.
#include "base/target.h"

#include <hwy/targets.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/detect_targets.h"
#include "base/environment.h"
#include "base/set_target.h"

namespace portacl {
namespace {

struct TargetList {
  std::array<int64_t, 64> bits{};
  size_t count = 0;
};

TargetList ListUsable() noexcept {
  // The compiler may use HWY_STATIC_TARGET anywhere, so the machine has it whatever the detection finds.
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
    // Several threads that call first find the same answer.
    target = ChooseTarget();
    active.store(target, std::memory_order_relaxed);
  }
  return target;
}

const char* TargetName(int64_t target) noexcept { return hwy::TargetName(target); }

const char* MissingTarget() noexcept {
#ifdef PORTACL_NATIVE
  static const bool has_it = (DetectTargets() & (HWY_STATIC_TARGET)) != 0;
  if (!has_it) return TargetName(HWY_STATIC_TARGET);
#endif
  return nullptr;
}

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
