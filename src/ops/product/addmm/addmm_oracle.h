// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/product_oracle.h"

namespace portacl::ops::addmm {

using calls::Dims;

inline bool IsSum(std::string_view api) {
  return api == "aclnnAddmm" || api == "aclnnInplaceAddmm" || api == "aclnnAddmv" || api == "aclnnBaddbmm" ||
         api == "aclnnInplaceBaddbmm" || api == "aclnnAddbmm";
}

inline bool Oracle(calls::OracleCall& call) {
  if (!IsSum(call.api())) return false;
  const std::string first = call.schema().args[1].name, second = call.schema().args[2].name;
  const std::string self = call.schema().args[0].name;
  const std::string out = call.schema().Find("out") < 0 ? self : "out";
  std::vector<calls::ProductSum> sums;
  calls::ForEachProduct(call, first, second, [&](const calls::ProductSum& sum) { sums.push_back(sum); });
  const Dims shape = call.Tensor(out).shape;
  const auto results = static_cast<size_t>(calls::ElementCount(shape));
  if (call.api() == "aclnnAddbmm") {
    std::vector<calls::ProductSum> totals(results);
    for (size_t i = 0; i < sums.size(); ++i) {
      calls::ProductSum& total = totals[i % results];
      total.value += sums[i].value;
      total.magnitudes += sums[i].magnitudes;
      total.terms += sums[i].terms;
    }
    sums = totals;
  }
  const auto number = [&](const char* name) {
    const calls::ArgumentSpec& spec = call.Argument(name);
    const double value = spec.number == ACL_FLOAT ? spec.real : static_cast<double>(calls::WholeNumber(spec.real));
    return static_cast<long double>(spec.number == ACL_BOOL ? static_cast<float>(value != 0)
                                                            : static_cast<float>(value));
  };
  const long double alpha = number("alpha"), beta = number("beta");
  const std::vector<double> added = call.Values(self);
  const Dims& of_self = call.Tensor(self).shape;
  if (out == self) call.Values(self).clear();
  for (size_t i = 0; i < results; ++i) {
    // The index of an element in self, which is broadcast.
    size_t at = 0, step = 1, rest = i;
    for (size_t axis = shape.size(); axis-- > 0; rest /= static_cast<size_t>(shape[axis])) {
      const size_t back = shape.size() - axis;
      if (back > of_self.size()) continue;
      const auto size = static_cast<size_t>(of_self[of_self.size() - back]);
      if (size != 1) at += rest % static_cast<size_t>(shape[axis]) * step;
      step *= size;
    }
    calls::ProductSum sum = sums[i];
    const long double magnitudes = sum.magnitudes;  // sums may overflow before they are scaled
    sum.value *= alpha;
    sum.magnitudes *= std::abs(alpha);
    if (beta != 0) sum.Add(beta, static_cast<long double>(added[at]));
    if (magnitudes >= 0x1p127L) sum.magnitudes = magnitudes;
    calls::AppendProduct(call, out, sum, alpha);
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (!IsSum(call.schema().api)) return;
  const std::string_view api = call.schema().api;
  const std::string first = call.schema().args[1].name, second = call.schema().args[2].name;
  Dims &a = call.tensor(first).shape, &b = call.tensor(second).shape;
  const size_t rank = api.ends_with("bmm") ? 3 : 2;
  a.resize(rank, 1);
  b.resize(api == "aclnnAddmv" ? 1 : rank, 1);
  calls::FitFactors(call, first, second, random, elements);
  if (rank == 3 && a[0] != b[0]) {
    a[0] = b[0] = std::max(a[0], b[0]);
    calls::FitResults(call);
  }
  if (call.schema().Find("out") < 0) return;
  Dims& self = call.tensor("self").shape;
  self = call.tensor("out").shape;
  if (random == nullptr) return;
  for (int64_t& size : self) {
    if (random->Chance(0.2)) size = 1;
  }
  if (random->Chance(0.2)) self.erase(self.begin());
}

}  // namespace portacl::ops::addmm
