// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_plain_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace portacl::ops::ctc_loss {

void PlainSteps::Begin(const double* skip, const int32_t* class_of_label, size_t labels) {
  // Zeros stand for states that are not reached, and behind the ends of all arrays.
  std::fill_n(arrays_, kPlainStepsArrays * plan_.pitch, 0);
  const size_t lanes = plan_.kernels->lanes;
  const auto states = [&](int array) {
    auto* const exponents = reinterpret_cast<int32_t*>(ArrayAt(array + 2) + lanes);
    return PlainStates{ArrayAt(array) + lanes, ArrayAt(array + 1) + lanes, exponents};
  };
  step_ = {.from = states(0),
           .to = states(3),
           .skip = skip,
           .labels = labels,
           .class_of_label = class_of_label,
           .p_of_class = ArrayAt(6),
           .p = ArrayAt(7) + lanes};
  are_on_ = true;
}

void PlainSteps::Reach(size_t blank, double p_blank, size_t label, double p_label) {
  step_.from.blank[blank] = p_blank;
  if (label < step_.labels) step_.from.label[label] = p_label;
  step_.drop = std::numeric_limits<double>::infinity();  // not rescaled yet
}

bool PlainSteps::Read(size_t classes, size_t begin, size_t end) {
  step_.begin = begin;
  step_.end = end;
  return plan_.kernels->plain.exponentials(log_probs(), ArrayAt(6), classes, &step_.drop_of_step);
}

void PlainSteps::CopyStates(const PlainStates& states, size_t first, const Row& row) const {
  const auto divide = [](double state, int32_t exponent, double& m, double& k) {
    const double units = state == 0 ? 0 : std::round((std::ilogb(state) + exponent) / 256.0);
    m = std::ldexp(state, exponent - 256 * static_cast<int>(units));
    k = state == 0 ? kZeroExponent : units;
  };
  // Of whole registers: behind the last there are zeros.
  const size_t lanes = plan_.kernels->lanes;
  for (size_t j = first; j < (step_.labels + lanes) / lanes * lanes; ++j) {
    const int32_t exponent = states.exponent[j / lanes];
    divide(states.blank[j], exponent, row.blank()[j], row.blank_exponent()[j]);
    divide(states.label[j], exponent, row.label()[j], row.label_exponent()[j]);
  }
}

void PlainSteps::Keep(double* to) const {
  to[0] = step_.drop;
  to[1] = step_.gain;
  to[2] = step_.apart;
  std::copy_n(StatesAt(), kPlainArrays * plan_.pitch, to + kKeptScalars);
}

void PlainSteps::Fetch(const double* from) {
  step_.drop = from[0];
  step_.gain = from[1];
  step_.apart = static_cast<int32_t>(from[2]);
  std::copy_n(from + kKeptScalars, kPlainArrays * plan_.pitch, StatesAt());
}

}  // namespace portacl::ops::ctc_loss
