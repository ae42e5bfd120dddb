// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the tests of both directions.
#pragma once

#include <cstdint>
#include <limits>

namespace portacl::ops::smooth_l1_loss {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;
constexpr int64_t kSum = 2;

}  // namespace portacl::ops::smooth_l1_loss
