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

#include "calls/element.h"
#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::pool2d {

using calls::Dims;

// A window along one axis, in elements of the image; it may extend beyond the image on both sides.
struct Extent {
  int64_t begin;
  int64_t end;
};

inline int64_t At(const Dims& numbers, size_t axis, int64_t otherwise) {
  return numbers.empty() ? otherwise : numbers[numbers.size() == 1 ? 0 : axis];
}

inline Extent ExtentOf(calls::OracleCall& call, size_t axis, int64_t place) {
  const bool is_mean = call.api() == "aclnnAvgPool2d";
  const Dims &kernel = call.Integers(is_mean ? "kernelSize" : "kernelShape"), &strides = call.Integers("strides"),
             &pads = call.Integers(is_mean ? "paddings" : "pads");
  const int64_t size = At(kernel, axis, 1);
  const int64_t begin = place * At(strides, axis, is_mean ? size : 1) - At(pads, axis, 0);
  return {begin, begin + size};
}

inline long double LowestOf(aclDataType dtype) {
  if (calls::FindFloatFormat(dtype) != nullptr) return -std::numeric_limits<long double>::infinity();
  if (dtype == ACL_UINT8) return 0;
  return -std::ldexp(1.0L, 8 * static_cast<int>(calls::ElementBytes(dtype)) - 1);
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_mean = call.api() == "aclnnAvgPool2d";
  if (!is_mean && call.api() != "aclnnMaxPool") return false;
  const Dims& shape = call.Tensor("self").shape;
  const aclDataType dtype = call.Tensor("self").dtype;
  const size_t image = shape.size() - 2, bytes = calls::ElementBytes(dtype);
  calls::ForEachIndex(call.Tensor("out").shape, [&](Dims index) {
    const Extent high = ExtentOf(call, 0, index[image]), wide = ExtentOf(call, 1, index[image + 1]);
    long double largest = LowestOf(dtype), sum = 0, magnitudes = 0;
    int64_t inside = 0, padded = 0;
    for (int64_t y = high.begin; y < high.end; ++y) {
      for (int64_t x = wide.begin; x < wide.end; ++x) {
        if (is_mean) {
          padded += y < shape[image] + At(call.Integers("paddings"), 0, 0) &&
                    x < shape[image + 1] + At(call.Integers("paddings"), 1, 0);
        }
        if (y < 0 || y >= shape[image] || x < 0 || x >= shape[image + 1]) continue;
        index[image] = y, index[image + 1] = x;
        const long double element =
            calls::LoadElement(dtype, &call.Bytes("self")[calls::NumberOf(shape, index) * bytes]);
        sum += element;
        magnitudes += std::abs(element);
        ++inside;
        if (!std::isnan(largest) && (std::isnan(element) || element > largest)) largest = element;
      }
    }
    if (!is_mean) {
      std::vector<std::byte>& exact = call.ExactBytes("out");
      exact.resize(exact.size() + bytes);
      calls::StoreElement(dtype, largest == 0 ? 0 : largest, &exact[exact.size() - bytes]);
      return;
    }
    const int64_t divisor = call.Integer("divisorOverride") != 0   ? call.Integer("divisorOverride")
                            : call.Integer("countIncludePad") != 0 ? padded
                                                                   : inside;
    const long double mean = sum / static_cast<long double>(divisor);
    const long double term = magnitudes / std::abs(static_cast<long double>(divisor)) * 0x1p-16L;
    call.Values("out").push_back(static_cast<double>(mean));
    call.Tails("out").push_back(std::isfinite(mean) ? static_cast<double>(mean - call.Values("out").back()) : 0);
    call.Terms("out").push_back(std::isfinite(term) ? static_cast<double>(term) : 0);
  });
  return true;
}

// Windows that fit, of up to five elements along each axis.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  const bool is_mean = api == "aclnnAvgPool2d";
  if (!is_mean && api != "aclnnMaxPool") return;
  const auto drawn = [&](int64_t low, int64_t high) { return random == nullptr ? low : random->Between(low, high); };
  calls::TensorSpec& self = call.tensor("self");
  Dims& shape = self.shape;
  for (size_t i = shape.size() - 2; i < shape.size(); ++i) shape[i] = std::max<int64_t>(shape[i], 1);
  if (is_mean) self.format = call.tensor("out").format = shape.size() == 3 ? ACL_FORMAT_NCL : ACL_FORMAT_NCHW;
  Dims &kernel = call.argument(is_mean ? "kernelSize" : "kernelShape").integers,
       &strides = call.argument("strides").integers, &pads = call.argument(is_mean ? "paddings" : "pads").integers;
  const int64_t smaller = std::min(shape.back(), shape[shape.size() - 2]);
  kernel.assign(static_cast<size_t>(drawn(1, 2)), 0);
  for (int64_t& size : kernel) size = std::min(smaller, random == nullptr ? 2 : drawn(1, 5));
  strides.assign(static_cast<size_t>(drawn(0, 2)), 0);
  for (int64_t& stride : strides) stride = calls::DrawStride(random);
  const int64_t smallest = std::min(kernel.front(), kernel.back());
  pads.assign(static_cast<size_t>(drawn(1, 2)), 0);
  for (int64_t& pad : pads) pad = drawn(0, smallest / 2);
  if (is_mean) {
    int64_t& divisor = call.argument("divisorOverride").integer;
    divisor = drawn(0, 1) == 0 ? 0 : drawn(-2, 9);
  } else {
    if (drawn(0, 2) == 1) pads.clear();
    if (drawn(0, 2) == 1) pads = {drawn(0, smallest), 0, 0, drawn(0, smallest)};
    call.argument("dilations").integers.assign(random == nullptr ? 0 : random->Pick(Dims{0, 1, 2, 4}), 1);
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::pool2d
