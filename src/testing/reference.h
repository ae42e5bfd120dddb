// SPDX-License-Identifier: Apache-2.0
// How a room tells the fuzzer and the tool (portacl run --verify) the right answer. Its <room>_fuzz.h, which needs no
// GoogleTest, defines, in the room's namespace,
//
//   inline bool FuzzReference(testing::ReferenceCall& call);         // false: not an operator of this room
//
// which reads float64 inputs, writes float64 outputs in row-major order, and sets the largest error allowed.
#pragma once

#include <string_view>
#include <vector>

#include "testing/call.h"

namespace portacl::testing {

class ReferenceCall {
 public:
  explicit ReferenceCall(Call& call) : call_(call), values_(call.arguments().size()) {}

  std::string_view api() const { return call_.schema().api; }
  double Real(std::string_view name) { return call_.argument(name).real; }
  int64_t Integer(std::string_view name) { return call_.argument(name).integer; }
  const TensorSpec& Tensor(std::string_view name) { return call_.tensor(name); }
  // The elements of a tensor; those of an output are to be assigned.
  std::vector<double>& Values(std::string_view name) { return values_[static_cast<size_t>(call_.schema().Find(name))]; }
  std::vector<double>& Values(int argument) { return values_[static_cast<size_t>(argument)]; }

  double ulp_limit = 1;

 private:
  Call& call_;
  std::vector<std::vector<double>> values_;
};

}  // namespace portacl::testing
