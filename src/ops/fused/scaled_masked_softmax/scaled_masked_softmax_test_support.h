// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this room share: calls of both operators on tensors, and on contiguous values. Device memory is
// reached only through the C API.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/device_array.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

namespace portacl::ops::scaled_masked_softmax {

inline constexpr aclDataType kAllDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

using Bytes = std::vector<std::byte>;
using Values = std::vector<double>;
using Mask = std::vector<uint8_t>;
using calls::Decode;
using calls::Encode;
using testing::DeviceTest;

inline aclnnStatus SoftmaxPhase1(const aclTensor* x, const aclTensor* mask, aclTensor* y, bool triangle = false) {
  return testing::PhaseOne(aclnnScaledMaskedSoftmaxGetWorkspaceSize, x, mask, 1, triangle, y);
}

inline aclnnStatus BackwardPhase1(const aclTensor* grad, const aclTensor* y, const aclTensor* mask, aclTensor* out,
                                  bool triangle = false) {
  return testing::PhaseOne(aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize, grad, y, mask, 1, triangle, out);
}

inline void RunSoftmax(const aclTensor* x, const aclTensor* mask, double scale, aclTensor* y) {
  testing::RunPhases(aclnnScaledMaskedSoftmaxGetWorkspaceSize, aclnnScaledMaskedSoftmax, x, mask, scale, false, y);
}

inline void RunBackward(const aclTensor* grad, const aclTensor* y, const aclTensor* mask, double scale,
                        aclTensor* out) {
  testing::RunPhases(aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize, aclnnScaledMaskedSoftmaxBackward, grad, y, mask,
                     scale, false, out);
}

/// Contiguous operands of this shape, given as bytes; the mask's shape may have 1 in front. The bytes of the result.
inline Bytes SoftmaxBytes(aclDataType dtype, const calls::Dims& shape, const Bytes& x, const calls::Dims& mask_shape,
                          const Mask& mask, double scale) {
  const testing::DeviceArray<std::byte> device_x(x);
  const testing::DeviceArray<uint8_t> device_mask(mask);
  const testing::DeviceArray<std::byte> device_y(x.size());
  calls::TensorBuilder builder(dtype, shape);
  RunSoftmax(builder.Data(device_x.data()).Build().get(),
             calls::TensorBuilder(ACL_BOOL, mask_shape).Data(device_mask.data()).Build().get(), scale,
             builder.Data(device_y.data()).Build().get());
  return device_y.ToHost();
}

inline Bytes BackwardBytes(aclDataType dtype, const calls::Dims& shape, const Bytes& grad, const Bytes& y,
                           const calls::Dims& mask_shape, const Mask& mask, double scale) {
  const testing::DeviceArray<std::byte> device_grad(grad);
  const testing::DeviceArray<std::byte> device_y(y);
  const testing::DeviceArray<uint8_t> device_mask(mask);
  const testing::DeviceArray<std::byte> device_out(grad.size());
  calls::TensorBuilder builder(dtype, shape);
  const auto grad_tensor = builder.Data(device_grad.data()).Build();
  const auto y_tensor = builder.Data(device_y.data()).Build();
  RunBackward(grad_tensor.get(), y_tensor.get(),
              calls::TensorBuilder(ACL_BOOL, mask_shape).Data(device_mask.data()).Build().get(), scale,
              builder.Data(device_out.data()).Build().get());
  return device_out.ToHost();
}

/// `rows` rows that share no mask, all given as values.
inline Values SoftmaxValues(aclDataType dtype, int64_t rows, const Values& x, const Mask& mask, double scale) {
  const calls::Dims shape = {1, 1, rows, static_cast<int64_t>(x.size()) / rows};
  return Decode(dtype, SoftmaxBytes(dtype, shape, Encode(dtype, x), shape, mask, scale));
}

inline Values BackwardValues(aclDataType dtype, int64_t rows, const Values& grad, const Values& y, const Mask& mask,
                             double scale) {
  const calls::Dims shape = {1, 1, rows, static_cast<int64_t>(grad.size()) / rows};
  return Decode(dtype, BackwardBytes(dtype, shape, Encode(dtype, grad), Encode(dtype, y), shape, mask, scale));
}

/// NaN and infinities alike, zeros of any sign; otherwise within `relative` and `absolute`.
inline ::testing::AssertionResult Near(double want, double got, double relative, double absolute) {
  const bool exact = std::isnan(want) ? std::isnan(got) : want == got;
  if (exact || (std::isfinite(got) && std::abs(got - want) <= relative * std::abs(want) + absolute))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "want " << want << ", got " << got;
}

}  // namespace portacl::ops::scaled_masked_softmax
