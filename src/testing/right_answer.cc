// SPDX-License-Identifier: Apache-2.0
#include "testing/right_answer.h"

#include <cmath>
#include <cstring>
#include <string>

#include "base/target.h"
#include "calls/element.h"

namespace portacl::testing {

using calls::DescribeElement;
using calls::ElementBytes;
using calls::TensorSpec;

namespace {

bool IsRead(const calls::Call& call, int argument) {
  return call.schema().args[static_cast<size_t>(argument)].role != exec::Role::kOutput;
}

}  // namespace

RightAnswer::RightAnswer(calls::Call& call, const std::map<int, Bytes>& elements)
    : call_(call), elements_(elements), oracle_(call) {
  for (const auto& [argument, bytes] : elements) {
    if (IsRead(call, argument)) oracle_.Values(argument) = calls::Decode(call.tensor(argument).dtype, bytes);
    oracle_.Bytes(argument) = bytes;
  }
  if (!calls::ComputeOracle(oracle_)) ADD_FAILURE() << "no room has an oracle of " << call.schema().api;
  for (const auto& [argument, bytes] : elements) {
    if (!call.schema().args[static_cast<size_t>(argument)].written()) continue;
    const Bytes& exact = oracle_.ExactBytes(argument);
    nearest_[argument] =
        exact.empty() ? calls::Encode(calls::PartDtype(call.tensor(argument).dtype), oracle_.Values(argument)) : exact;
  }
}

::testing::AssertionResult RightAnswer::Judge(int argument, const Bytes& got) {
  const Bytes& nearest = nearest_.at(argument);
  Bytes& judged = judged_[{argument, HasFusedMultiplyAdd(ActiveTarget())}];
  if (got == nearest || got == judged) return ::testing::AssertionSuccess();
  const TensorSpec& tensor = call_.tensor(argument);
  const size_t size = ElementBytes(tensor.dtype);
  const bool is_narrow = tensor.dtype == ACL_FLOAT16 || tensor.dtype == ACL_BF16;
  if (got.size() != nearest.size()) {
    return ::testing::AssertionFailure() << "the oracle has " << nearest.size() / size << " elements";
  }
  for (size_t i = 0; i * size < got.size(); ++i) {
    const std::byte* const element = &got[i * size];
    narrow_ += is_narrow;
    if (std::memcmp(&nearest[i * size], element, size) == 0) continue;
    const calls::Deviation deviation = oracle_.Judge(argument, i, element);
    if (deviation.good()) {
      const long double value = calls::LoadElement(tensor.dtype, element);
      if (is_narrow && value != 0 && !std::isnan(value)) {
        not_nearest_ += 1 / deviation.bound->not_nearest;
        ++misses_;
      }
      continue;
    }
    auto failure = ::testing::AssertionFailure();
    failure << "element " << i << " of '" << call_.schema().args[static_cast<size_t>(argument)].name << "': want "
            << DescribeElement(tensor.dtype, &nearest[i * size]) << ", got " << DescribeElement(tensor.dtype, element);
    failure << ", " << oracle_.DescribeExact(argument, i) << ", error " << deviation.error << ", limit "
            << deviation.limit;
    for (const auto& [other, bytes] : elements_) {
      const TensorSpec& input = call_.tensor(other);
      const size_t at = i * ElementBytes(input.dtype);
      if (!IsRead(call_, other) || at >= bytes.size()) continue;
      failure << "; element " << i << " of '" << call_.schema().args[static_cast<size_t>(other)].name
              << "': " << DescribeElement(input.dtype, &bytes[at]);
    }
    return failure;
  }
  judged = got;
  return ::testing::AssertionSuccess();
}

}  // namespace portacl::testing
