// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::convolution {

using calls::Dims;

// An input, and the index of the element that a term uses.
struct Factor {
  Factor(calls::OracleCall& call, std::string_view name)
      : shape(call.Tensor(name).shape), values(call.Values(name)), index(shape.size(), 0) {}
  double Value() const { return values[calls::NumberOf(shape, index)]; }
  const Dims& shape;
  const std::vector<double>& values;
  Dims index;
};

// Sets along one axis the input element that `tap` of the weights multiplies for a result. False if there is none; sets
// `beyond` if it would be outside the input.
inline bool SetElement(calls::OracleCall& call, size_t axis, int64_t result, int64_t tap, int64_t size, bool* beyond,
                       int64_t* element) {
  const Dims& padding = call.Integers("padding");
  const size_t axes = call.Tensor("input").shape.size() - 2;
  const int64_t before = padding[padding.size() == axes ? axis : 2 * axis], stride = call.Integers("stride")[axis],
                step = tap * call.Integers("dilation")[axis];
  *element = result * stride - before + step;
  if (call.Integer("transposed") != 0) {
    const int64_t reach = result + before - step;
    if (reach % stride != 0) return false;
    *element = reach / stride;
  }
  *beyond |= *element < 0 || *element >= size;
  return true;
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnConvolution") return false;
  Factor input(call, "input"), weight(call, "weight");
  const bool transposed = call.Integer("transposed") != 0, has_bias = !call.Argument("bias").null;
  const int64_t groups = call.Integer("groups"), inputs = input.shape[1] / groups;
  const Dims kernel(weight.shape.begin() + 2, weight.shape.end());
  const aclDataType dtype = call.Tensor("output").dtype;
  const long double share = dtype == ACL_FLOAT ? 1 : dtype == ACL_FLOAT16 ? 0x1p-3L : 0x1p-6L;
  const int64_t outputs = call.Tensor("output").shape[1] / groups;
  calls::ForEachIndex(call.Tensor("output").shape, [&](const Dims& index) {
    const int64_t group = index[1] / outputs;
    const double bias = has_bias ? call.Values("bias")[static_cast<size_t>(index[1])] : 0;
    long double sum = bias, magnitudes = std::isfinite(bias) ? std::abs(bias) : 0;
    bool is_open = false;  // padding times an infinite or NaN weight is unspecified
    int64_t terms = 0;
    input.index[0] = index[0];
    calls::ForEachIndex(kernel, [&](const Dims& tap) {
      bool meets = true, beyond = false;
      for (size_t axis = 0; axis < tap.size(); ++axis) {
        meets = meets && SetElement(call, axis, index[axis + 2], tap[axis], input.shape[axis + 2], &beyond,
                                    &input.index[axis + 2]);
        weight.index[axis + 2] = tap[axis];
      }
      for (int64_t channel = 0; meets && channel < inputs; ++channel) {
        input.index[1] = group * inputs + channel;
        weight.index[0] = transposed ? input.index[1] : index[1];
        weight.index[1] = transposed ? index[1] % outputs : channel;
        const long double factor = weight.Value();
        is_open |= beyond && !std::isfinite(factor);
        if (beyond) continue;
        const long double term = factor * input.Value();
        sum += term;
        if (std::isfinite(term)) magnitudes += std::abs(term);
        ++terms;
      }
    });
    // A term below the smallest normal number may lose as much as its size; a partial sum may leave the range of
    // float32.
    is_open |= magnitudes >= 0x1p127L;
    const long double term = share * (magnitudes + static_cast<long double>(terms) * 0x1p-125L);
    call.Values("output").push_back(static_cast<double>(sum));
    call.Terms("output").push_back(is_open ? std::numeric_limits<double>::infinity() : static_cast<double>(term));
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (std::string_view(call.schema().api) != "aclnnConvolution") return;
  const auto drawn = [&](int64_t low, int64_t high, int64_t otherwise) {
    return random == nullptr ? otherwise : random->Between(low, high);
  };
  calls::TensorSpec &input = call.tensor("input"), &weight = call.tensor("weight"), &output = call.tensor("output");
  if (input.dtype != weight.dtype) {
    output.dtype = ACL_FLOAT;
  } else {
    output.dtype = input.dtype;
  }
  const bool is_on_310b = CurrentSoc().family == SocFamily::kAscend310B;
  if (is_on_310b) input.shape.resize(4, 2);
  const size_t axes = input.shape.size() - 2;
  const bool is_small = elements == 0 && drawn(0, 3, 0) == 3;  // small images, some of whose pixels the strides skip
  for (size_t i = 1; i < input.shape.size(); ++i)
    input.shape[i] = is_small && i > 1 ? drawn(1, 3, 1) : std::max<int64_t>(input.shape[i], 1);
  if (elements == 0) input.shape[1] = std::min<int64_t>(input.shape[1], 40);
  const bool transposed = !is_on_310b && drawn(0, 2, 0) == 2;
  call.argument("transposed").integer = transposed;
  if (transposed) call.argument("outputPadding").null = false;
  const int64_t channels = input.shape[1];
  int64_t groups = drawn(0, 2, 0) == 1 ? channels : 1;
  if (drawn(0, 3, 0) == 1 && channels % 2 == 0) groups = 2;
  call.argument("groups").integer = groups;
  // Limits the terms, so that the oracle is fast: inputs times weights of one channel.
  constexpr int64_t kMostTerms = 1 << 19;
  int64_t terms = std::max<int64_t>(1, calls::ElementCount(input.shape));
  const int64_t outputs = std::min(drawn(1, groups > 4 ? 2 : 20, 2), std::max<int64_t>(1, kMostTerms / terms));
  terms *= outputs;
  weight.shape = transposed ? Dims{channels, outputs} : Dims{outputs * groups, channels / groups};
  const bool is_paired = !transposed && axes < 3 && drawn(0, 1, 0) == 1;
  Dims &stride = call.argument("stride").integers, &padding = call.argument("padding").integers,
       &dilation = call.argument("dilation").integers, &more = call.argument("outputPadding").integers;
  stride.clear(), padding.clear(), dilation.clear(), more.clear();
  for (size_t i = 0; i < axes; ++i) {
    const int64_t size = input.shape[i + 2];
    stride.push_back(calls::DrawStride(random));
    // Sometimes more than the stride, so that some windows contain padding only.
    const int64_t most = drawn(0, 3, 0) == 3 ? 9 : 2, before = drawn(0, most, 0);
    padding.push_back(before);
    if (is_paired) padding.push_back(drawn(0, most, 0));
    const int64_t kernel = std::min({drawn(1, 4, 2), size + before, std::max<int64_t>(1, kMostTerms / terms)});
    terms *= kernel;
    dilation.push_back(
        kernel == 1 ? 1 : std::min(drawn(1, 3, 1), std::max<int64_t>(1, (size + before - 1) / (kernel - 1))));
    more.push_back(drawn(0, std::max(stride.back(), dilation.back()) - 1, 0));
    weight.shape.push_back(kernel);
    if (transposed && (size - 1) * stride.back() - 2 * before + dilation.back() * (kernel - 1) + 1 < 1)
      padding.back() = 0;
  }
  call.tensor("bias").shape = {outputs * groups};
  calls::ComputeShapeOf(call, call.schema().Find("output"));
}

}  // namespace portacl::ops::convolution
