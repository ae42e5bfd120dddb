// SPDX-License-Identifier: Apache-2.0
//
// Calls of the tests of this room.
#pragma once

#include <cstdint>
#include <span>

#include "calls/word_calls.h"
#include "exec/bind.h"

namespace portacl::ops::convolution {

std::span<const exec::OperatorEntry> Operators();

using calls::Dims;

struct Given {
  Dims input;
  Dims weight;
  Dims stride = {};
  Dims padding = {};
  Dims dilation = {};
  int64_t groups = 1;
  bool transposed = false;
  Dims output_padding = {};
  bool has_bias = false;
};

inline calls::Call CallOf(const Given& given, aclDataType dtype = ACL_FLOAT) {
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  for (const char* const name : {"input", "weight", "bias", "output"}) call.tensor(name).dtype = dtype;
  call.tensor("input").shape = given.input;
  call.tensor("weight").shape = given.weight;
  call.tensor("bias").shape = {given.transposed ? given.weight[1] * given.groups : given.weight[0]};
  call.argument("bias").null = !given.has_bias;
  call.argument("stride").integers = given.stride;
  call.argument("padding").integers = given.padding;
  call.argument("dilation").integers = given.dilation;
  call.argument("outputPadding").integers =
      given.output_padding.empty() ? Dims(given.stride.size(), 0) : given.output_padding;
  call.argument("outputPadding").null = !given.transposed;
  call.argument("transposed").integer = given.transposed;
  call.argument("groups").integer = given.groups;
  calls::ComputeShapeOf(call, call.schema().Find("output"));
  return call;
}

}  // namespace portacl::ops::convolution
