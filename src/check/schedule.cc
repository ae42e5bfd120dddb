// SPDX-License-Identifier: Apache-2.0
// PORTACL_SCHEDULE: delays tasks. The same seed delays the same tasks by the same time. Tasks that the program orders
// stay in order; the order of others changes.
#include "check/schedule.h"

#include <cstdint>
#include <utility>

#include "base/environment.h"
#include "base/observer.h"

namespace portacl::check {
namespace {

constexpr int64_t kMostSeed = 1'000'000'000;

class Schedule final : public Observer {
 public:
  void Begin(int64_t seed) noexcept {
    seed_ = static_cast<uint64_t>(seed);
    AddObserver(*this);
  }

  int DelayOf(uint64_t stream, uint64_t number) noexcept override { return check::DelayOf(seed_, stream, number); }

 private:
  uint64_t seed_ = 0;
};

constinit Schedule g_schedule;

[[maybe_unused]] const bool g_schedule_begun = [] {
  if (VariableText(Variable::kSchedule) == nullptr) return false;
  const int64_t seed = VariableInteger(Variable::kSchedule, 0, kMostSeed, -1);
  if (seed >= 0) g_schedule.Begin(seed);
  return seed >= 0;
}();

}  // namespace

// The delays differ by so much that the speed of the machine does not decide which of two tasks comes first. The tasks
// with the same number on four adjacent streams get the four delays in a random permutation. Each stream adds a few
// milliseconds of its own, so that tasks of eight adjacent streams never have equal delays.
int DelayOf(uint64_t seed, uint64_t stream, uint64_t number) noexcept {
  constexpr int kDelays[] = {-1, 10, 20, 34};
  const uint64_t index = stream & 0xFFFFF;
  uint64_t mixed = seed * 0x9E3779B97F4A7C15 + index / 4 * 0xC2B2AE3D27D4EB4F + number;
  mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
  uint64_t order[] = {0, 1, 2, 3};
  for (uint64_t left = 4; left > 1; --left) {
    std::swap(order[left - 1], order[(mixed >> 40) % left]);
    mixed = (mixed ^ mixed >> 29) * 0x9E3779B97F4A7C15;
  }
  const int delay = kDelays[order[index % 4]];
  return delay < 0 ? delay : delay + static_cast<int>(index % 4 * 2 + index / 4 % 2);
}

}  // namespace portacl::check
