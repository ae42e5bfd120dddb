// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/loss_oracle.h"

namespace portacl::ops::regression {

/// |self - target| of INT64 modulo 2^64; without reduction the elements, else their sum.
inline void DistancesOfIntegers(calls::OracleCall& call) {
  const auto elements = [&](std::string_view name, const std::vector<int64_t>& shape) {
    std::vector<int64_t> values;
    const std::vector<std::byte>& bytes = call.Bytes(name);
    for (size_t i = 0; i < bytes.size(); i += sizeof(int64_t))
      values.push_back(static_cast<int64_t>(calls::LoadElement(ACL_INT64, bytes.data() + i)));
    return calls::BroadcastElements(values, call.Tensor(name).shape, shape);
  };
  const std::vector<int64_t> shape = calls::BroadcastShape(call.Tensor("self").shape, call.Tensor("target").shape);
  const std::vector<int64_t> self = elements("self", shape), target = elements("target", shape);
  std::vector<uint64_t> results;
  for (size_t i = 0; i < self.size(); ++i) {
    const uint64_t difference = static_cast<uint64_t>(self[i]) - static_cast<uint64_t>(target[i]);
    results.push_back(difference >> 63 != 0 ? -difference : difference);
  }
  if (call.Integer("reduction") != 0) {
    uint64_t sum = 0;
    for (const uint64_t distance : results) sum += distance;
    results = {sum};
  }
  const aclDataType to = call.Tensor("out").dtype;
  const size_t bytes = calls::ElementBytes(to);
  std::vector<std::byte>& out = call.ExactBytes("out");
  out.resize(results.size() * bytes);
  for (size_t i = 0; i < results.size(); ++i)
    calls::StoreElement(to, static_cast<long double>(static_cast<int64_t>(results[i])), &out[i * bytes]);
}

inline bool AreIntegers(const calls::TensorSpec& self, const calls::TensorSpec& target) {
  return self.dtype == ACL_INT64 && target.dtype == ACL_INT64;
}

inline double Square(double self, double target) {
  const double d = calls::FloatDifference(self, target);
  return d * d;
}
inline double Distance(double self, double target) { return std::abs(calls::FloatDifference(self, target)); }
inline double SignOfDifference(double self, double target) { return self > target ? 1 : self < target ? -1 : 0; }

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (api == "aclnnMseLoss" || api == "aclnnMseLossOut") return calls::ReduceLoss(call, Square), true;
  if (api == "aclnnMseLossBackward") {
    calls::ScaleLossGradient(
        call, "out", [](double self, double target) { return 2 * calls::FloatDifference(self, target); },
        call.Values("self").size());
    return true;
  }
  if (api == "aclnnL1LossBackward") {
    calls::ScaleLossGradient(call, "gradInput", SignOfDifference,
                             static_cast<size_t>(calls::ElementCount(call.Tensor("gradInput").shape)));
    return true;
  }
  if (api != "aclnnL1Loss") return false;
  AreIntegers(call.Tensor("self"), call.Tensor("target")) ? DistancesOfIntegers(call)
                                                          : calls::ReduceLoss(call, Distance);
  return true;
}

/// A mean of integers is refused: it becomes a sum.
inline void AvoidMeanOfIntegers(calls::Call& call) {
  if (call.schema().api != std::string_view("aclnnL1Loss")) return;
  if (AreIntegers(call.tensor("self"), call.tensor("target")) && call.argument("reduction").integer == 1)
    call.argument("reduction").integer = 2;
}
inline void CompleteCall(calls::Call& call, calls::Random*, int64_t) { AvoidMeanOfIntegers(call); }
inline void CompleteContents(calls::Call& call) { AvoidMeanOfIntegers(call); }  // dtypes may have been set since

}  // namespace portacl::ops::regression
