// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this room share: calls of aclnnSmoothL1Loss and aclnnSmoothL1LossBackward on tensors, and on values
// given as float64. Device memory is reached only through the C API.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/device_array.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

namespace portacl::ops::smooth_l1_loss {

inline constexpr aclDataType kAllDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
inline constexpr int64_t kNone = 0;
inline constexpr int64_t kMean = 1;
inline constexpr int64_t kSum = 2;

using Bytes = std::vector<std::byte>;
using calls::Decode;
using calls::Dims;
using calls::Encode;
using testing::DeviceTest;

inline aclnnStatus LossPhase1(const aclTensor* self, const aclTensor* target, int64_t reduction, float beta,
                              aclTensor* result) {
  return testing::PhaseOne(aclnnSmoothL1LossGetWorkspaceSize, self, target, reduction, beta, result);
}

inline aclnnStatus BackwardPhase1(const aclTensor* grad_out, const aclTensor* self, const aclTensor* target,
                                  int64_t reduction, float beta, aclTensor* grad_input) {
  return testing::PhaseOne(aclnnSmoothL1LossBackwardGetWorkspaceSize, grad_out, self, target, reduction, beta,
                           grad_input);
}

inline void RunLoss(const aclTensor* self, const aclTensor* target, int64_t reduction, float beta, aclTensor* result) {
  testing::RunPhases(aclnnSmoothL1LossGetWorkspaceSize, aclnnSmoothL1Loss, self, target, reduction, beta, result);
}

inline void RunBackward(const aclTensor* grad_out, const aclTensor* self, const aclTensor* target, int64_t reduction,
                        float beta, aclTensor* grad_input) {
  testing::RunPhases(aclnnSmoothL1LossBackwardGetWorkspaceSize, aclnnSmoothL1LossBackward, grad_out, self, target,
                     reduction, beta, grad_input);
}

/// A contiguous tensor in device memory of its own.
class DeviceTensor {
 public:
  DeviceTensor(aclDataType dtype, const Dims& shape, const Bytes& bytes)
      : dtype_(dtype), block_(bytes), tensor_(calls::TensorBuilder(dtype, shape).Data(block_.data()).Build()) {}
  DeviceTensor(aclDataType dtype, const Dims& shape, const std::vector<double>& values)
      : DeviceTensor(dtype, shape, Encode(dtype, values)) {}
  /// Without values, for a result.
  DeviceTensor(aclDataType dtype, const Dims& shape)
      : DeviceTensor(
            dtype, shape,
            Bytes(static_cast<size_t>(calls::ElementCount(shape)) * calls::ElementBytes(dtype), std::byte{0xCD})) {}

  aclTensor* get() const { return tensor_.get(); }
  Bytes bytes() const { return block_.ToHost(); }
  std::vector<double> values() const { return Decode(dtype_, bytes()); }

 private:
  aclDataType dtype_;
  testing::DeviceArray<std::byte> block_;
  calls::TensorHandle tensor_;
};

/// One-dimensional operands of one dtype given as bytes; the bytes of the result.
inline Bytes LossBytes(aclDataType dtype, const Bytes& self, const Bytes& target, int64_t reduction, float beta) {
  const Dims shape = {static_cast<int64_t>(self.size() / calls::ElementBytes(dtype))};
  const DeviceTensor result(dtype, reduction == kNone ? shape : Dims{});
  RunLoss(DeviceTensor(dtype, shape, self).get(), DeviceTensor(dtype, shape, target).get(), reduction, beta,
          result.get());
  return result.bytes();
}

inline Bytes BackwardBytes(aclDataType dtype, const Bytes& grad_out, const Bytes& self, const Bytes& target,
                           int64_t reduction, float beta) {
  const Dims shape = {static_cast<int64_t>(self.size() / calls::ElementBytes(dtype))};
  const DeviceTensor grad_input(dtype, shape);
  RunBackward(DeviceTensor(dtype, shape, grad_out).get(), DeviceTensor(dtype, shape, self).get(),
              DeviceTensor(dtype, shape, target).get(), reduction, beta, grad_input.get());
  return grad_input.bytes();
}

/// NaN and infinities alike, zeros of any sign; otherwise within `relative`, 0 for equality.
inline ::testing::AssertionResult Near(double want, double got, double relative) {
  const bool exact = std::isnan(want) ? std::isnan(got) : want == got;
  if (exact || (std::isfinite(got) && std::abs(got - want) <= relative * std::abs(want)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "want " << want << ", got " << got;
}

inline void ExpectNear(const std::vector<double>& want, const std::vector<double>& got, double relative) {
  ASSERT_EQ(want.size(), got.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(Near(want[i], got[i], relative)) << "element " << i;
}

}  // namespace portacl::ops::smooth_l1_loss
