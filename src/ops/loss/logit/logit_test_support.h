// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this room share: calls of aclnnLogit and aclnnLogitGrad on values given as float64. Device memory
// is reached only through the C API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "base/product.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/device_array.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

namespace portacl::ops::logit {

using calls::Decode;
using calls::Encode;
using testing::DeviceTest;

inline aclnnStatus LogitPhase1(const aclTensor* input, const aclTensor* out, double eps = -1) {
  return testing::PhaseOne(aclnnLogitGetWorkspaceSize, input, eps, out);
}

inline aclnnStatus LogitGradPhase1(const aclTensor* x, const aclTensor* dy, const aclTensor* out, double eps = -1) {
  return testing::PhaseOne(aclnnLogitGradGetWorkspaceSize, x, dy, eps, out);
}

inline void RunLogit(const aclTensor* input, double eps, const aclTensor* out) {
  testing::RunPhases(aclnnLogitGetWorkspaceSize, aclnnLogit, input, eps, out);
}

inline void RunLogitGrad(const aclTensor* x, const aclTensor* dy, double eps, const aclTensor* out) {
  testing::RunPhases(aclnnLogitGradGetWorkspaceSize, aclnnLogitGrad, x, dy, eps, out);
}

/// One-dimensional, contiguous operands given as bytes; the bytes of the result.
inline std::vector<std::byte> LogitBytes(aclDataType dtype, const std::vector<std::byte>& input, double eps) {
  const testing::DeviceArray<std::byte> device_input(input);
  const testing::DeviceArray<std::byte> device_out(input.size());
  calls::TensorBuilder builder(dtype, {static_cast<int64_t>(input.size() / calls::ElementBytes(dtype))});
  RunLogit(builder.Data(device_input.data()).Build().get(), eps, builder.Data(device_out.data()).Build().get());
  return device_out.ToHost();
}

inline std::vector<double> LogitValues(aclDataType dtype, const std::vector<double>& input, double eps) {
  return Decode(dtype, LogitBytes(dtype, Encode(dtype, input), eps));
}

inline std::vector<std::byte> LogitGradBytes(aclDataType dtype, const std::vector<std::byte>& x,
                                             const std::vector<std::byte>& dy, double eps) {
  const testing::DeviceArray<std::byte> device_x(x);
  const testing::DeviceArray<std::byte> device_dy(dy);
  const testing::DeviceArray<std::byte> device_out(x.size());
  calls::TensorBuilder builder(dtype, {static_cast<int64_t>(x.size() / calls::ElementBytes(dtype))});
  RunLogitGrad(builder.Data(device_x.data()).Build().get(), builder.Data(device_dy.data()).Build().get(), eps,
               builder.Data(device_out.data()).Build().get());
  return device_out.ToHost();
}

inline std::vector<double> LogitGradValues(aclDataType dtype, const std::vector<double>& x,
                                           const std::vector<double>& dy, double eps) {
  return Decode(dtype, LogitGradBytes(dtype, Encode(dtype, x), Encode(dtype, dy), eps));
}

}  // namespace portacl::ops::logit
