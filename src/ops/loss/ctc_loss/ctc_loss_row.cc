// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_row.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/dtype.h"
#include "ops/loss/ctc_loss/ctc_loss_element.h"
#include "simd/strided_copy.h"

namespace portacl::ops::ctc_loss {
namespace {

// Rows whose classes do not follow each other pass through blocks of this size.
constexpr int64_t kBlockBytes = 4096;

// Every class in float64: an infinite gradient makes a difference of numbers that are 0 in float32.
void WriteSlowly(const Sample& sample, const std::byte* lp, std::byte* out, double grad) {
  const CtcPlan& plan = sample.plan();
  WithElement(plan.dtype, [&](auto element) {
    for (int64_t c = 0; c < plan.classes; ++c) {
      const double x = element.Load(lp + c * plan.log_probs.element);
      const double p =
          x == -std::numeric_limits<double>::infinity() ? std::numeric_limits<double>::quiet_NaN() : std::exp(x);
      element.Store(p * grad, out + c * plan.out.element);
    }
  });
}

}  // namespace

void FillRows(const Sample& sample, int64_t from, int64_t to, double value) {
  const CtcPlan& plan = sample.plan();
  const auto bytes = static_cast<int64_t>(ElementBytes(plan.dtype));
  for (int64_t time = from; time < to; ++time) {
    std::byte* const out = sample.At(plan.out) + time * plan.out.time;
    if (value == 0 && plan.out.element == bytes) {
      std::memset(out, 0, static_cast<size_t>(plan.classes * bytes));
      continue;
    }
    WithElement(plan.dtype, [&](auto element) {
      for (int64_t c = 0; c < plan.classes; ++c) element.Store(value, out + c * plan.out.element);
    });
  }
}

void WriteExponentials(const Sample& sample, int64_t time, double grad) {
  const CtcPlan& plan = sample.plan();
  const auto bytes = static_cast<int64_t>(ElementBytes(plan.dtype));
  const std::byte* const lp = sample.At(plan.log_probs) + time * plan.log_probs.time;
  std::byte* const out = sample.At(plan.out) + time * plan.out.time;
  if (!std::isfinite(grad)) return WriteSlowly(sample, lp, out, grad);
  if (plan.log_probs.element == bytes && plan.out.element == bytes)
    return plan.exponential_row(lp, out, static_cast<size_t>(plan.classes), grad);
  alignas(64) std::byte block[kBlockBytes];
  for (int64_t begin = 0; begin < plan.classes; begin += kBlockBytes / bytes) {
    const int64_t count = std::min(kBlockBytes / bytes, plan.classes - begin);
    simd::StridedCopy(static_cast<size_t>(bytes), 1, count, block, 0, bytes, lp + begin * plan.log_probs.element, 0,
                      plan.log_probs.element);
    plan.exponential_row(block, block, static_cast<size_t>(count), grad);
    simd::StridedCopy(static_cast<size_t>(bytes), 1, count, out + begin * plan.out.element, 0, plan.out.element, block,
                      0, bytes);
  }
}

}  // namespace portacl::ops::ctc_loss
