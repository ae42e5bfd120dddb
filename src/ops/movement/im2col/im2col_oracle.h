// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::im2col {

using calls::Dims;

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnIm2col") return false;
  const Dims& shape = call.Tensor("self").shape;
  const Dims kernel = call.Integers("kernelSize"), dilation = call.Integers("dilation");
  const Dims padding = call.Integers("padding"), stride = call.Integers("stride");
  const size_t image = shape.size() - 2;
  const int64_t places = (shape.back() + 2 * padding[1] - dilation[1] * (kernel[1] - 1) - 1) / stride[1] + 1;
  calls::ForEachIndex(call.Tensor("out").shape, [&](const Dims& index) {
    const int64_t row = index[image - 1], column = index[image];
    Dims source(index.begin(), index.end() - 2);
    source.push_back(row / (kernel[0] * kernel[1]));
    source.push_back(column / places * stride[0] - padding[0] + row / kernel[1] % kernel[0] * dilation[0]);
    source.push_back(column % places * stride[1] - padding[1] + row % kernel[1] * dilation[1]);
    const bool inside =
        source[image] >= 0 && source[image] < shape[image] && source.back() >= 0 && source.back() < shape.back();
    if (inside) return calls::Append(call, "self", source);
    call.ExactBytes("out").resize(call.ExactBytes("out").size() + calls::ElementBytes(call.Tensor("out").dtype));
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnIm2col") return;
  const auto drawn = [&](int64_t low, int64_t high) { return random == nullptr ? 1 : random->Between(low, high); };
  Dims& shape = call.tensor("self").shape;
  if (shape.size() < 3) shape.insert(shape.begin(), 3 - shape.size(), 2);
  for (size_t i = shape.size() - 3; i < shape.size(); ++i) shape[i] = std::max<int64_t>(shape[i], 1);
  for (const char* const name : {"kernelSize", "dilation", "padding", "stride"}) call.argument(name).integers.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = shape[shape.size() - 2 + i];
    const int64_t padding = call.argument("padding").integers[i] = drawn(0, drawn(1, 4) == 4 ? 7 : 2);
    const int64_t kernel = call.argument("kernelSize").integers[i] = std::min(drawn(1, 3), size + 2 * padding);
    const int64_t room = size + 2 * padding - 1;
    call.argument("dilation").integers[i] = kernel == 1 ? drawn(1, 4) : std::min(drawn(1, 3), room / (kernel - 1));
    call.argument("stride").integers[i] = calls::DrawStride(random);
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::im2col
