// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/indices.h"
#include "calls/oracle.h"

namespace portacl::ops::optimizer {

inline constexpr const char* kAdamWNumbers[] = {"beta1Power", "beta2Power", "lr", "weightDecay",
                                                "beta1",      "beta2",      "eps"};

// The formula of aclnnApplyAdamW and aclnnApplyAdamWV2 for one element, and what measures its errors.
class AdamWReference {
 public:
  using Real = long double;

  explicit AdamWReference(calls::OracleCall& call)
      : lr_(Single(call, "lr")),
        beta1_(Single(call, "beta1")),
        beta2_(Single(call, "beta2")),
        eps_(Single(call, "eps")),
        decay_(static_cast<float>(1 - static_cast<double>(lr_) * static_cast<double>(Single(call, "weightDecay")))),
        sign_(call.Integer("maximize") != 0 ? -1 : 1),
        amsgrad_(call.Integer("amsgrad") != 0) {
    const double beta1 = static_cast<double>(beta1_), beta2 = static_cast<double>(beta2_);
    double power1, power2;
    if (call.schema().Find("step") < 0) {
      power1 = static_cast<double>(Single(call, "beta1Power")) * beta1;
      power2 = static_cast<double>(Single(call, "beta2Power")) * beta2;
    } else {
      const double t = call.Values("step")[0] + 1;
      power1 = std::pow(beta1, t);
      power2 = std::pow(beta2, t);
    }
    size_ = static_cast<double>(lr_) / (1 - power1);
    root_ = std::sqrt(1 - power2);
  }

  void Compute(Real old_var, Real old_m, Real old_v, Real old_most, Real of_grad) {
    leaves_ = size_ != 0 && std::abs(size_) < static_cast<double>(kLeast);  // a factor of few digits
    Within(size_);
    const Real grad = sign_ * of_grad, rest = Within(1 - beta2_) * grad;
    m = old_m + Within(Within(grad - old_m) * (1 - beta1_));
    v = Within(old_v * beta2_) + Within(Within(rest) * grad);
    most = amsgrad_ ? (old_most > v || std::isnan(old_most) ? old_most : v) : v;
    const Real divisor = Within(std::sqrt(most)) / root_ + eps_;
    moment_term = std::max({std::abs(old_m), std::abs(grad), std::abs((grad - old_m) * (1 - beta1_)), kLeast});
    Within(moment_term / divisor);
    const Real step = Within(Within(Within(m) / divisor) * size_), kept = Within(old_var * decay_);
    var = kept - step;
    square_term = std::max({std::abs(old_v * beta2_), std::abs(rest * grad), kLeast * std::abs(grad)});
    var_term = std::max({std::abs(kept), std::abs(step), moment_term / std::abs(divisor) * std::abs(Real(size_)),
                         kLeast * std::abs(Real(size_))});
    // The root of what is below the normal numbers has a larger error, and a sum that cancels any.
    const bool is_small = std::abs(most) < kLeast || std::abs(v) < square_term / 2 ||
                          std::abs(divisor) < std::max(std::abs(std::sqrt(std::abs(most)) / root_), std::abs(eps_)) / 2;
    if (leaves_) moment_term = square_term = kAny;
    if (leaves_ || (is_small && most != 0)) var_term = kAny;
  }

  Real var, m, v, most;
  Real var_term, moment_term, square_term;

 private:
  static constexpr Real kAny = std::numeric_limits<Real>::infinity();
  static constexpr Real kLeast = std::numeric_limits<float>::min();

  // An attribute or a tensor of one element.
  static Real Single(calls::OracleCall& call, const char* name) {
    const bool is_attribute = call.Argument(name).tensors.empty();
    return static_cast<float>(is_attribute ? call.Real(name) : call.Values(name)[0]);
  }
  // An intermediate result, which may exceed the range of FLOAT: then any result is valid.
  Real Within(Real value) {
    leaves_ |= std::isfinite(value) && std::abs(value) > static_cast<Real>(std::numeric_limits<float>::max());
    return value;
  }

  Real lr_, beta1_, beta2_, eps_, decay_, sign_;
  bool amsgrad_;
  double size_, root_;
  bool leaves_ = false;
};

inline void UpdateByAdamW(calls::OracleCall& call) {
  AdamWReference adam(call);
  const bool updates = call.schema().Find("step") >= 0, amsgrad = call.Integer("amsgrad") != 0;
  const char* const maximum = updates ? "maxGradNormOptionalRef" : "maxGradNormOptional";
  const std::vector<double> var = call.Values("varRef"), m = call.Values("mRef"), v = call.Values("vRef");
  const std::vector<double> most = call.Argument(maximum).null ? v : call.Values(maximum);
  const auto set = [&](const char* name, size_t i, long double value, long double term) {
    call.Values(name)[i] = static_cast<double>(value);
    call.Terms(name)[i] = static_cast<double>(term);
  };
  for (const char* const name : {"varRef", "mRef", "vRef"}) call.Terms(name).resize(var.size());
  if (updates) call.Terms(maximum).resize(var.size());
  for (size_t i = 0; i < var.size(); ++i) {
    adam.Compute(var[i], m[i], v[i], most[i], call.Values("grad")[i]);
    set("varRef", i, adam.var, adam.var_term);
    set("mRef", i, adam.m, adam.moment_term);
    set("vRef", i, adam.v, adam.square_term);
    if (amsgrad && updates) set(maximum, i, adam.most, adam.square_term);
  }
}

inline void UpdateScale(calls::OracleCall& call) {
  auto scale = static_cast<float>(call.Values("currentScale")[0]);
  auto tracker = static_cast<int32_t>(call.Values("growthTracker")[0]);
  if (call.Values("foundInf")[0] != 0) {
    scale *= static_cast<float>(call.Real("backoffFactor"));
    tracker = 0;
  } else {
    tracker = static_cast<int32_t>(static_cast<uint32_t>(tracker) + 1);
    const float grown = scale * static_cast<float>(call.Real("growthFactor"));
    const bool grows = tracker == call.Integer("growthInterval");
    if (grows && std::isfinite(grown)) scale = grown;
    if (grows) tracker = 0;
  }
  call.Values("updatedScale") = {static_cast<double>(scale)};
  call.Values("updatedGrowthTracker") = {static_cast<double>(tracker)};
}

// Tensors of one element, and the maximum that amsgrad needs.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const exec::Schema& schema = call.schema();
  const bool is_adam = schema.Find("varRef") >= 0 && schema.Find("amsgrad") >= 0;
  if (!is_adam && schema.Find("updatedScale") < 0) return;
  for (const int argument : schema.tensors) {
    const std::string_view name = schema.args[static_cast<size_t>(argument)].name;
    if (is_adam && name != "step" && std::ranges::find(kAdamWNumbers, name) == std::end(kAdamWNumbers)) continue;
    call.tensor(argument).shape.assign(random != nullptr && random->Chance(0.5) ? 0 : 1, 1);
  }
  if (!is_adam) return;
  const char* const maximum = schema.Find("step") >= 0 ? "maxGradNormOptionalRef" : "maxGradNormOptional";
  int64_t& amsgrad = call.argument("amsgrad").integer;
  if (call.argument(maximum).null) {
    amsgrad = 0;
  } else if (random != nullptr) {
    amsgrad = random->Chance(0.7) ? 1 : 0;
  }
}

// Numbers from 0 to 1, as those of an optimizer are.
inline void CompleteContents(calls::Call& call) {
  if (call.schema().api != std::string_view("aclnnApplyAdamW")) return;
  for (const char* const number : kAdamWNumbers) {
    calls::ChangeElements(call, number, [](long double value) {
      return std::isfinite(value) ? std::abs(value - std::trunc(value)) : 0.5L;
    });
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnApplyAdamW" || call.api() == "aclnnApplyAdamWV2") return UpdateByAdamW(call), true;
  if (call.api() == "aclnnAmpUpdateScale") return UpdateScale(call), true;
  return false;
}

}  // namespace portacl::ops::optimizer
