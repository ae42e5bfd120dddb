// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: a stable sort of the elements of each row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/indices.h"
#include "calls/reduction_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::sort {

inline bool IsOfRoom(std::string_view api) {
  return api == "aclnnSort" || api == "aclnnArgsort" || api == "aclnnTopk" || api == "aclnnKthvalue" ||
         api == "aclnnMedian" || api == "aclnnMedianDim" || api == "aclnnNanMedian" || api == "aclnnNanMedianDim";
}

/// The place of the result in a sorted row, of which `numbers` elements are no NaN.
inline size_t PlaceOf(calls::OracleCall& call, size_t n, size_t numbers) {
  if (call.api() == "aclnnKthvalue") return static_cast<size_t>(call.Integer("k")) - 1;
  if (call.api() == "aclnnMedian" || call.api() == "aclnnMedianDim") return numbers < n ? numbers : (n - 1) / 2;
  return numbers == 0 ? 0 : (numbers - 1) / 2;
}

inline bool IsTop(std::string_view api) { return api == "aclnnApplyTopKTopP"; }

/// One row of aclnnApplyTopKTopP.
class TopRow {
 public:
  explicit TopRow(std::vector<long double> elements) : elements_(std::move(elements)) { Sort(); }

  void KeepLargest(int64_t k) {
    if (k <= 0 || k >= std::ssize(elements_)) return;
    const long double least = elements_[places_[elements_.size() - static_cast<size_t>(k)]];
    for (long double& x : elements_) {
      if (IsLess(x, least)) x = -kInfinity;
    }
    Sort();
  }

  void LeaveOutTail(long double p) {
    if (elements_.empty()) return;
    const size_t last = elements_.size() - 1;
    const long double most = elements_[places_[last]];
    if (p > 0 && !std::isfinite(most)) return;
    std::vector<long double> sums(elements_.size());
    long double sum = 0;
    for (size_t i = 0; i < elements_.size(); ++i) {
      const long double e = p <= 0 ? 0 : std::exp(elements_[places_[i]] - most);
      sums[i] = sum += e < 0x1p-150L ? 0 : e;  // 0 in FLOAT
    }
    const long double limit = p <= 0 ? 1 : std::max(0.0L, 1 - p) * sum;
    for (size_t i = 0; i < last; ++i) {
      const size_t place = places_[i];
      const long double unsure = p <= 0 ? 0 : 0x1p-18L * (sums[i] + limit) + 0x1p-118L * sum;
      if (std::isnan(p) || elements_[place] == -kInfinity || sums[i] > limit + unsure) continue;
      if (sums[i] > limit - unsure) terms_[place] = kInfinity;
      if (sums[i] <= limit) elements_[place] = -kInfinity;
    }
  }

  void AppendTo(calls::OracleCall& call) {
    for (const long double x : elements_) call.Values("out").push_back(static_cast<double>(x));
    for (const long double term : terms_) call.Terms("out").push_back(static_cast<double>(term));
  }

 private:
  static constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

  static bool IsLess(long double x, long double y) { return std::isnan(y) ? !std::isnan(x) : x < y; }
  void Sort() {
    for (size_t i = 0; i < places_.size(); ++i) places_[i] = i;
    std::ranges::stable_sort(places_, [&](size_t a, size_t b) { return IsLess(elements_[a], elements_[b]); });
  }

  std::vector<long double> elements_;
  std::vector<size_t> places_ = std::vector<size_t>(elements_.size());
  std::vector<long double> terms_ = std::vector<long double>(elements_.size());  // infinite: either is right
};

inline void KeepTop(calls::OracleCall& call) {
  const calls::Dims& shape = call.Tensor("logits").shape;
  for (int64_t row = 0; row < shape[0]; ++row) {
    std::vector<long double> elements;
    for (int64_t i = 0; i < shape[1]; ++i)
      elements.push_back(calls::ElementOf(call, "logits", static_cast<size_t>(row * shape[1] + i)));
    TopRow top(elements);
    if (!call.Argument("k").null) top.KeepLargest(static_cast<int64_t>(call.Values("k")[static_cast<size_t>(row)]));
    if (!call.Argument("p").null) top.LeaveOutTail(calls::ElementOf(call, "p", static_cast<size_t>(row)));
    top.AppendTo(call);
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (IsTop(call.api())) return KeepTop(call), true;
  const bool has_values = call.api() != "aclnnArgsort";
  const bool is_top = call.api() == "aclnnTopk";
  if (!IsOfRoom(call.api())) return false;
  const bool is_one = !is_top && call.schema().Find("descending") < 0;
  const bool has_indices = call.schema().Find("dim") >= 0;
  const calls::TensorSpec& self = call.Tensor("self");
  const bool is_falling = !is_one && call.Integer(is_top ? "largest" : "descending") != 0;
  std::vector<long double> elements(static_cast<size_t>(calls::ElementCount(self.shape)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = calls::ElementOf(call, "self", i);
  const auto is_before = [&](long double x, long double y) {
    if (is_falling) std::swap(x, y);
    return std::isnan(y) ? !std::isnan(x) : x < y;
  };
  const auto store = [&](const char* name, size_t at, long double value) {
    const aclDataType dtype = call.Tensor(name).dtype;
    std::vector<std::byte>& bytes = call.ExactBytes(name);
    bytes.resize(static_cast<size_t>(calls::ElementCount(call.Tensor(name).shape)) * calls::ElementBytes(dtype));
    calls::StoreElement(dtype, value, &bytes[at * calls::ElementBytes(dtype)]);
  };
  const std::vector<bool> axes = calls::ReducedAxes(call, call.schema());
  const auto groups = calls::Groups(self.shape, axes);
  const char* const indices = has_values ? "indicesOut" : "out";
  // As many along the axis as are wanted.
  const auto results = is_one ? std::vector<std::vector<size_t>>() : calls::Groups(call.Tensor(indices).shape, axes);
  for (size_t row = 0; row < groups.size(); ++row) {
    const std::vector<size_t>& group = groups[row];
    std::vector<size_t> places(group.size());
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::ranges::stable_sort(places,
                             [&](size_t a, size_t b) { return is_before(elements[group[a]], elements[group[b]]); });
    if (is_one) {
      const auto is_nan = [&](size_t i) { return std::isnan(elements[i]); };
      const auto numbers = group.size() - static_cast<size_t>(std::ranges::count_if(group, is_nan));
      const size_t place = group.empty() ? 0 : places[PlaceOf(call, group.size(), numbers)];
      if (has_indices) store("indicesOut", row, static_cast<long double>(place));
      store("valuesOut", row, group.empty() ? std::numeric_limits<long double>::quiet_NaN() : elements[group[place]]);
      continue;
    }
    for (size_t i = 0; i < results[row].size(); ++i) {
      store(indices, results[row][i], static_cast<long double>(places[i]));
      if (!has_values) continue;
      const long double value = elements[group[places[i]]];
      store("valuesOut", results[row][i], calls::Converted(value, self.dtype, call.Tensor("valuesOut").dtype));
    }
  }
  return true;
}

/// No step of the schema mentions the flags, and k is at most the length of the axis.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const std::string_view api = call.schema().api;
  if (IsTop(api)) {
    calls::Dims& logits = call.tensor("logits").shape;
    if (logits.size() == 1) logits.insert(logits.begin(), random == nullptr ? 1 : random->Between(1, 3));
    call.tensor("out").shape = logits;
    for (const char* const each : {"p", "k"}) {
      if (!call.argument(each).null) call.tensor(each).shape = {call.tensor("logits").shape[0]};
    }
  }
  if (!IsOfRoom(api)) return;
  for (const char* const flag : {"stable", "descending", "largest", "sorted"}) {
    if (random != nullptr && call.schema().Find(flag) >= 0) call.argument(flag).integer = random->Chance(0.5) ? 1 : 0;
  }
  if (call.schema().Find("dim") < 0 && !calls::IsFloat(call.tensor("self").dtype))
    std::ranges::replace(call.tensor("self").shape, 0, 1);  // no integers have no median
  if (call.schema().Find("k") < 0) return;
  const calls::Dims& shape = call.tensor("self").shape;
  const int64_t length = shape.empty() ? 1 : shape[calls::AxisOf(call.argument("dim").integer, shape.size())];
  int64_t& k = call.argument("k").integer;
  k = random == nullptr || elements > 0 ? (length + 1) / 2 : random->Between(std::min<int64_t>(1, length), length);
  calls::ComputeShapeOf(call, call.schema().Find("valuesOut"));
  calls::ComputeShapeOf(call, call.schema().Find("indicesOut"));
}

/// Numbers of elements, some of which are more or less than there are, and probabilities, or numbers above and below.
inline void CompleteContents(calls::Call& call) {
  if (!IsTop(call.schema().api)) return;
  const int64_t length = call.tensor("logits").shape[1];
  if (!call.argument("k").null) {
    calls::ChangeIndices(call, "k", [=](int64_t, uint64_t bits) {
      return static_cast<int64_t>(bits % static_cast<uint64_t>(length + 4)) - 1;
    });
  }
  if (call.argument("p").null) return;
  calls::ChangeElements(
      call, "p", [](long double value) { return std::abs(value) < 2 ? std::abs(value - std::trunc(value)) : value; });
}

}  // namespace portacl::ops::sort
