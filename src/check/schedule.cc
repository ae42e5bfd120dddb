// SPDX-License-Identifier: Apache-2.0
// PORTACL_SCHEDULE: makes tasks late, the same ones by the same time for the same seed. What the program orders stays
// in order; what it does not comes in another one.
#include <cstdint>

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

  // Far enough apart that how fast the machine is does not decide which of two comes first.
  int DelayOf(uint64_t stream, uint64_t number) noexcept override {
    constexpr int kDelays[] = {-1, 8, 16, 32};
    uint64_t mixed = seed_ * 0x9E3779B97F4A7C15 + (stream & 0xFFFFF) * 0xC2B2AE3D27D4EB4F + number;
    mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return kDelays[(mixed >> 40) % 4];
  }

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
}  // namespace portacl::check
