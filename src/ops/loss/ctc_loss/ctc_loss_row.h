// SPDX-License-Identifier: Apache-2.0
//
// Whole rows of the gradient: all classes of a sample at one time.
#pragma once

#include "ops/loss/ctc_loss/ctc_loss_sample.h"

namespace portacl::ops::ctc_loss {

/// The times in [from, to) become `value`, 0 or NaN.
void FillRows(const Sample& sample, int64_t from, int64_t to, double value);

/// exp(logProbs) * grad at one time; NaN where logProbs is -Inf.
void WriteExponentials(const Sample& sample, int64_t time, double grad);

}  // namespace portacl::ops::ctc_loss
