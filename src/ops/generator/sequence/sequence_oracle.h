// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the definitions in long double; and scalars that fit the output.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/fill.h"
#include "calls/reduction_oracle.h"

namespace portacl::ops::sequence {

/// A scalar as a value of that dtype.
inline long double ScalarIn(calls::OracleCall& call, const char* name, aclDataType dtype) {
  std::byte element[16] = {};
  if (call.Argument(name).number == ACL_INT64 && !calls::IsFloat(dtype)) {
    const int64_t whole = calls::WholeNumber(call.Real(name));
    std::memcpy(element, &whole, calls::ElementBytes(dtype));
  } else {
    calls::StoreScalarElement(dtype, call.Real(name), element);
  }
  return calls::LoadElement(dtype, element);
}

/// start + i * step. A product in long double would be rounded, which matters when the sum cancels. For an infinite
/// product, fma for the rounding error would return NaN.
inline long double Progressed(long double start, int64_t i, long double step) {
  const auto number = static_cast<double>(i), by = static_cast<double>(step), product = number * by;
  if (!std::isfinite(product)) return start + static_cast<long double>(product);
  return (start + static_cast<long double>(product)) + static_cast<long double>(std::fma(number, by, -product));
}

inline long double LinspaceReference(calls::OracleCall& call, aclDataType read_as, int64_t i) {
  const long double start = ScalarIn(call, "start", read_as), end = ScalarIn(call, "end", read_as);
  const int64_t steps = call.Integer("steps");
  if (steps == 1) return start;
  const auto gaps = static_cast<double>(steps - 1);
  long double step = 0;
  if (read_as == ACL_FLOAT) {
    const float range = static_cast<float>(end) - static_cast<float>(start);
    step = static_cast<long double>(range / static_cast<float>(gaps));
  } else {
    step = static_cast<long double>((static_cast<double>(end) - static_cast<double>(start)) / gaps);
  }
  return i < steps / 2 ? Progressed(start, i, step) : Progressed(end, i + 1 - steps, step);
}

inline void SetNumber(calls::OracleCall& call, long double value) {
  const auto first = static_cast<double>(value);
  call.Values("out").push_back(first);
  call.Tails("out").push_back(std::isfinite(first) ? static_cast<double>(value - static_cast<long double>(first)) : 0);
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  const bool is_progression = api == "aclnnArange" || api == "aclnnRange";
  const bool is_eye = api == "aclnnEye";
  if (!is_progression && !is_eye && api != "aclnnLinspace") return false;
  const calls::TensorSpec& out = call.Tensor("out");
  const bool is_whole = !calls::IsFloat(out.dtype);
  const aclDataType read_as = is_whole || out.dtype == ACL_DOUBLE ? out.dtype : ACL_FLOAT;
  for (int64_t i = 0; i < calls::ElementCount(out.shape); ++i) {
    if (api == "aclnnLinspace") {
      SetNumber(call, LinspaceReference(call, read_as, i));
    } else if (is_progression && !is_whole) {
      SetNumber(call, Progressed(ScalarIn(call, "start", read_as), i, ScalarIn(call, "step", read_as)));
    } else {
      int64_t value = is_eye && i / call.Integer("m") == i % call.Integer("m") ? 1 : 0;
      if (is_progression) {
        value = static_cast<int64_t>(ScalarIn(call, "start", ACL_INT64)) +
                i * static_cast<int64_t>(ScalarIn(call, "step", ACL_INT64));
      }
      std::byte element[8] = {};
      if (calls::IsFloat(out.dtype)) {
        calls::StoreElement(out.dtype, static_cast<long double>(value), element);
      } else {
        std::memcpy(element, &value, calls::ElementBytes(out.dtype));
      }
      std::vector<std::byte>& bytes = call.ExactBytes("out");
      bytes.insert(bytes.end(), element, element + calls::ElementBytes(out.dtype));
    }
  }
  return true;
}

/// Multiples of 1/8, for which FLOAT can represent all elements; `end` is on a step or between two.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (api == "aclnnEye") {
    call.argument("n").integer = call.tensor("out").shape[0];
    call.argument("m").integer = call.tensor("out").shape[1];
  } else if (api == "aclnnLinspace") {
    call.argument("steps").integer = calls::ElementCount(call.tensor("out").shape);
  } else if (api == "aclnnArange" || api == "aclnnRange") {
    const auto count = static_cast<double>(calls::ElementCount(call.tensor("out").shape));
    double start = 0, step = 1, part = 0;
    if (random != nullptr) {
      start = static_cast<double>(random->Between(-40, 40)) / 8;
      step = static_cast<double>(random->Between(1, 20)) / (random->Chance(0.5) ? 8 : -8);
      part = random->Chance(0.5) && count > 0 ? 0.5 : 0;
    }
    call.argument("start").real = start;
    call.argument("step").real = step;
    call.argument("end").real = start + step * (api == "aclnnArange" ? count - part : count - 1 + part);
  }
}

}  // namespace portacl::ops::sequence
