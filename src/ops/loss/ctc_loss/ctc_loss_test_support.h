// SPDX-License-Identifier: Apache-2.0
//
// Helpers that the tests of this room share: batches as plain data, and calls of both operators on contiguous values.
// Device memory is accessed only through the C API.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "ops/loss/ctc_loss/ctc_loss_oracle.h"
#include "testing/device_array.h"
#include "testing/random.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

namespace portacl::ops::ctc_loss {

inline constexpr aclDataType kAllDtypes[] = {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16, ACL_BF16};
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceTest;
using testing::ForEachTarget;
using testing::RunPhasesInWorkspace;
using Bytes = std::vector<std::byte>;
using Values = std::vector<double>;

class IntArray {
 public:
  explicit IntArray(const std::vector<int64_t>& values) : array_(aclCreateIntArray(values.data(), values.size())) {}
  ~IntArray() { aclDestroyIntArray(array_); }
  IntArray(const IntArray&) = delete;
  const aclIntArray* get() const { return array_; }

 private:
  aclIntArray* array_;
};

struct Batch {
  int64_t steps = 0;  // T
  int64_t classes = 0;
  std::vector<int64_t> input_lengths;
  std::vector<std::vector<int64_t>> labels;
  Values log_probs;  // [T, N, C]
  int64_t blank = 0;
  bool zero_infinity = false;
  aclDataType dtype = ACL_FLOAT;
  aclDataType targets_dtype = ACL_INT64;
  bool is_joined = false;  // 1-D targets
  bool is_padded = true;   // logAlpha

  int64_t samples() const { return static_cast<int64_t>(labels.size()); }
  std::vector<int64_t> target_lengths() const {
    std::vector<int64_t> lengths;
    for (const auto& target : labels) lengths.push_back(static_cast<int64_t>(target.size()));
    return lengths;
  }
  int64_t longest() const {
    int64_t longest = 0;
    for (const auto& target : labels) longest = std::max(longest, static_cast<int64_t>(target.size()));
    return longest;
  }
  int64_t columns() const { return is_padded ? (2 * longest() + 8) / 8 * 8 : 2 * longest() + 1; }
  /// After the labels of 2-D targets, in elements that no operator may read, stands the next class.
  Dims TargetShape() const {
    const auto lengths = target_lengths();
    return is_joined ? Dims{std::accumulate(lengths.begin(), lengths.end(), int64_t{0})}
                     : Dims{samples(), longest() + 1};
  }
  Values TargetValues() const {
    Values values;
    for (const auto& target : labels) {
      values.insert(values.end(), target.begin(), target.end());
      if (!is_joined) values.resize(values.size() + static_cast<size_t>(longest() + 1) - target.size(), 1);
    }
    return values;
  }
  ReferenceSample Sample(int64_t number) const {
    ReferenceSample sample{steps, input_lengths[static_cast<size_t>(number)], classes, blank, zero_infinity, {}, {}};
    for (const int64_t label : labels[static_cast<size_t>(number)])
      sample.labels.push_back(label >= 0 && label < classes ? label : -1);
    for (int64_t t = 0; t < steps; ++t) {
      const auto row = log_probs.begin() + (t * samples() + number) * classes;
      sample.log_probs.insert(sample.log_probs.end(), row, row + classes);
    }
    return sample;
  }
  /// Rounds log_probs to the dtype.
  void RoundToDtype() { log_probs = calls::Decode(dtype, calls::Encode(dtype, log_probs)); }
};

struct Forward {
  Values loss;   // [N]
  Values alpha;  // [N, T, X]
  Bytes bytes;   // bytes of both tensors
};

inline Forward RunForward(const Batch& batch) {
  const testing::DeviceArray<std::byte> log_probs(calls::Encode(batch.dtype, batch.log_probs));
  const testing::DeviceArray<std::byte> targets(calls::Encode(batch.targets_dtype, batch.TargetValues()));
  const auto samples = static_cast<size_t>(batch.samples());
  const size_t element = calls::ElementBytes(batch.dtype);
  const testing::DeviceArray<std::byte> loss(samples * element);
  const testing::DeviceArray<std::byte> alpha(samples * static_cast<size_t>(batch.steps * batch.columns()) * element);
  const auto lp_tensor =
      TensorBuilder(batch.dtype, {batch.steps, batch.samples(), batch.classes}).Data(log_probs.data()).Build();
  const auto targets_tensor = TensorBuilder(batch.targets_dtype, batch.TargetShape()).Data(targets.data()).Build();
  const auto loss_tensor = TensorBuilder(batch.dtype, {batch.samples()}).Data(loss.data()).Build();
  const auto alpha_tensor =
      TensorBuilder(batch.dtype, {batch.samples(), batch.steps, batch.columns()}).Data(alpha.data()).Build();
  RunPhasesInWorkspace(aclnnCtcLossGetWorkspaceSize, aclnnCtcLoss, lp_tensor.get(), targets_tensor.get(),
                       IntArray(batch.input_lengths).get(), IntArray(batch.target_lengths()).get(), batch.blank,
                       batch.zero_infinity, loss_tensor.get(), alpha_tensor.get());
  Forward result{calls::Decode(batch.dtype, loss.ToHost()), calls::Decode(batch.dtype, alpha.ToHost()), loss.ToHost()};
  const Bytes alpha_bytes = alpha.ToHost();
  result.bytes.insert(result.bytes.end(), alpha_bytes.begin(), alpha_bytes.end());
  return result;
}

inline Bytes RunBackwardBytes(const Batch& batch, const Values& grad, const Values& nll, const Values& alpha) {
  const aclDataType dtype = batch.dtype;
  const testing::DeviceArray<std::byte> grad_data(calls::Encode(dtype, grad));
  const testing::DeviceArray<std::byte> log_probs(calls::Encode(dtype, batch.log_probs));
  const testing::DeviceArray<std::byte> targets(calls::Encode(batch.targets_dtype, batch.TargetValues()));
  const testing::DeviceArray<std::byte> loss(calls::Encode(dtype, nll));
  const testing::DeviceArray<std::byte> alpha_data(calls::Encode(dtype, alpha));
  const testing::DeviceArray<std::byte> out(log_probs.size());
  const Dims shape = {batch.steps, batch.samples(), batch.classes};
  const int64_t columns = static_cast<int64_t>(alpha.size()) / batch.samples() / batch.steps;
  const auto grad_tensor = TensorBuilder(dtype, {batch.samples()}).Data(grad_data.data()).Build();
  const auto lp_tensor = TensorBuilder(dtype, shape).Data(log_probs.data()).Build();
  const auto targets_tensor = TensorBuilder(batch.targets_dtype, batch.TargetShape()).Data(targets.data()).Build();
  const auto loss_tensor = TensorBuilder(dtype, {batch.samples()}).Data(loss.data()).Build();
  const auto alpha_tensor =
      TensorBuilder(dtype, {batch.samples(), batch.steps, columns}).Data(alpha_data.data()).Build();
  const auto out_tensor = TensorBuilder(dtype, shape).Data(out.data()).Build();
  RunPhasesInWorkspace(aclnnCtcLossBackwardGetWorkspaceSize, aclnnCtcLossBackward, grad_tensor.get(), lp_tensor.get(),
                       targets_tensor.get(), IntArray(batch.input_lengths).get(),
                       IntArray(batch.target_lengths()).get(), loss_tensor.get(), alpha_tensor.get(), batch.blank,
                       batch.zero_infinity, out_tensor.get());
  return out.ToHost();
}

/// [T, N, C]
inline Values RunBackward(const Batch& batch, const Values& grad, const Values& nll, const Values& alpha) {
  return calls::Decode(batch.dtype, RunBackwardBytes(batch, grad, nll, alpha));
}

/// The gradient for the outputs of the batch's own forward call.
inline Values Gradient(const Batch& batch, const Values& grad) {
  const Forward forward = RunForward(batch);
  return RunBackward(batch, grad, forward.loss, forward.alpha);
}

/// Probabilities as log-probabilities.
inline Values Logarithms(Values probabilities) {
  for (double& p : probabilities) p = std::log(p);
  return probabilities;
}

/// A batch of softmaxes of normally distributed numbers times `sharpness`, with labels other than the blank.
inline Batch RandomBatch(testing::Random& random, int64_t steps, int64_t samples, int64_t classes, int64_t labels,
                         double sharpness) {
  Batch batch;
  batch.steps = steps;
  batch.classes = classes;
  for (int64_t t = 0; t < steps * samples; ++t) {
    Values row;
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c) {
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += random.Real(0, 1);
      row.push_back(normal * sharpness);
    }
    const double most = *std::max_element(row.begin(), row.end());
    for (const double x : row) sum += std::exp(x - most);
    for (const double x : row) batch.log_probs.push_back(x - most - std::log(sum));
  }
  for (int64_t b = 0; b < samples; ++b) {
    batch.input_lengths.push_back(steps);
    batch.labels.emplace_back();
    for (int64_t i = 0; i < labels; ++i) batch.labels.back().push_back(random.Between(1, classes - 1));
  }
  return batch;
}

/// NaN and infinities are equal; other values are within absolute + relative * |want|.
inline ::testing::AssertionResult Near(double want, double got, double absolute, double relative) {
  if (std::isnan(want) ? std::isnan(got) : want == got) return ::testing::AssertionSuccess();
  if (std::isfinite(want) && std::isfinite(got) && std::abs(got - want) <= absolute + relative * std::abs(want))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "want " << want << ", got " << got;
}

}  // namespace portacl::ops::ctc_loss
