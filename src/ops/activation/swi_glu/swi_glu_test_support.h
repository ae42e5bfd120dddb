// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this room share: calls of aclnnSwiGlu and aclnnSwiGluGrad on tensors, and on contiguous values.
// Device memory is reached only through the C API.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/device_array.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

namespace portacl::ops::swi_glu {

inline constexpr aclDataType kAllDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

using Bytes = std::vector<std::byte>;
using calls::Decode;
using calls::Encode;
using testing::DeviceTest;

inline aclnnStatus SwiGluPhase1(const aclTensor* x, int64_t dim, const aclTensor* out) {
  return testing::PhaseOne(aclnnSwiGluGetWorkspaceSize, x, dim, out);
}

inline aclnnStatus SwiGluGradPhase1(const aclTensor* grad, const aclTensor* x, int64_t dim, const aclTensor* out) {
  return testing::PhaseOne(aclnnSwiGluGradGetWorkspaceSize, grad, x, dim, out);
}

inline void RunSwiGlu(const aclTensor* x, int64_t dim, const aclTensor* out) {
  testing::RunPhases(aclnnSwiGluGetWorkspaceSize, aclnnSwiGlu, x, dim, out);
}

inline void RunSwiGluGrad(const aclTensor* grad, const aclTensor* x, int64_t dim, const aclTensor* out) {
  testing::RunPhases(aclnnSwiGluGradGetWorkspaceSize, aclnnSwiGluGrad, grad, x, dim, out);
}

/// A contiguous x of this shape, given as bytes; the bytes of the result.
inline Bytes SwiGluBytes(aclDataType dtype, calls::Dims shape, int64_t dim, const Bytes& x) {
  const testing::DeviceArray<std::byte> device_x(x);
  const testing::DeviceArray<std::byte> device_out(x.size() / 2);
  calls::TensorBuilder builder(dtype, shape);
  const auto x_tensor = builder.Data(device_x.data()).Build();
  shape[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim)] /= 2;
  RunSwiGlu(x_tensor.get(), dim, builder.Shape(shape).Data(device_out.data()).Build().get());
  return device_out.ToHost();
}

inline Bytes SwiGluGradBytes(aclDataType dtype, calls::Dims shape, int64_t dim, const Bytes& grad, const Bytes& x) {
  const testing::DeviceArray<std::byte> device_grad(grad);
  const testing::DeviceArray<std::byte> device_x(x);
  const testing::DeviceArray<std::byte> device_out(x.size());
  calls::TensorBuilder builder(dtype, shape);
  const auto x_tensor = builder.Data(device_x.data()).Build();
  const auto out_tensor = builder.Data(device_out.data()).Build();
  shape[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim)] /= 2;
  const auto grad_tensor = builder.Shape(shape).Data(device_grad.data()).Build();
  RunSwiGluGrad(grad_tensor.get(), x_tensor.get(), dim, out_tensor.get());
  return device_out.ToHost();
}

/// The same on one axis, x being A and then B, all given as values.
inline std::vector<double> SwiGluValues(aclDataType dtype, std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return Decode(dtype, SwiGluBytes(dtype, {static_cast<int64_t>(a.size())}, 0, Encode(dtype, a)));
}

inline std::vector<double> SwiGluGradValues(aclDataType dtype, const std::vector<double>& grad, std::vector<double> a,
                                            const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  const calls::Dims shape = {static_cast<int64_t>(a.size())};
  return Decode(dtype, SwiGluGradBytes(dtype, shape, 0, Encode(dtype, grad), Encode(dtype, a)));
}

/// NaN and infinities alike, zeros of any sign; otherwise within `relative`, 0 for equality.
inline ::testing::AssertionResult Near(double want, double got, double relative) {
  const bool exact = std::isnan(want) ? std::isnan(got) : want == got;
  if (exact || (std::isfinite(got) && std::abs(got - want) <= relative * std::abs(want)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "want " << want << ", got " << got;
}

}  // namespace portacl::ops::swi_glu
