// SPDX-License-Identifier: Apache-2.0
// The right answer of a call, for tests, the fuzzer and the tool (portacl run --verify). A room's <room>_oracle.h,
// which needs no GoogleTest, defines, in the room's namespace,
//
//   inline bool Oracle(calls::OracleCall& call);         // false: not an operator of this room
//
// which reads float64 inputs, writes float64 outputs in row-major order, and sets the largest error allowed; or reads
// and writes the elements' bytes, which float64 cannot always hold. Where the words of a schema do not tell what a
// valid call is, the header also has
//
//   inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements);
//
// which does nothing to calls of other rooms; for `random` and `elements` see MakeValidCall and MakeLargeCall (0:
// small).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

class OracleCall {
 public:
  explicit OracleCall(Call& call)
      : call_(call),
        values_(call.arguments().size()),
        terms_(call.arguments().size()),
        bytes_(call.arguments().size()),
        exact_bytes_(call.arguments().size()) {}

  std::string_view api() const { return call_.schema().api; }
  double Real(std::string_view name) { return call_.argument(name).real; }
  int64_t Integer(std::string_view name) { return call_.argument(name).integer; }
  const std::vector<int64_t>& Integers(std::string_view name) { return call_.argument(name).integers; }
  const TensorSpec& Tensor(std::string_view name) { return call_.tensor(name); }
  // The elements of a tensor; those of an output are to be assigned.
  std::vector<double>& Values(std::string_view name) { return values_[static_cast<size_t>(call_.schema().Find(name))]; }
  std::vector<double>& Values(int argument) { return values_[static_cast<size_t>(argument)]; }

  // Of an output whose values are sums that cancel: the largest term of each element, at which ULP are counted when it
  // exceeds the element (UlpError). Empty otherwise. Infinite where rounding alone decides what the element is, so that
  // any value will do.
  std::vector<double>& Terms(std::string_view name) { return terms_[static_cast<size_t>(call_.schema().Find(name))]; }
  double TermOf(int argument, size_t element) const {
    const std::vector<double>& terms = terms_[static_cast<size_t>(argument)];
    return terms.empty() ? 0 : terms[element];
  }

  // The elements of a tensor before the call as they lie in memory, one after the other in row-major order.
  std::vector<std::byte>& Bytes(std::string_view name) {
    return bytes_[static_cast<size_t>(call_.schema().Find(name))];
  }
  std::vector<std::byte>& Bytes(int argument) { return bytes_[static_cast<size_t>(argument)]; }

  // Those that an output is to have, but for the bits of a NaN, when Values() is not assigned.
  std::vector<std::byte>& ExactBytes(std::string_view name) {
    return exact_bytes_[static_cast<size_t>(call_.schema().Find(name))];
  }
  const std::vector<std::byte>& ExactBytes(int argument) const { return exact_bytes_[static_cast<size_t>(argument)]; }

  double ulp_limit = 1;
  // Whether 0 may stand for a result below the smallest normal number of its dtype (IsZeroForSubnormal).
  bool zero_for_subnormals = false;

 private:
  Call& call_;
  std::vector<std::vector<double>> values_;
  std::vector<std::vector<double>> terms_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::vector<std::byte>> exact_bytes_;
};

// What only its room knows of a valid call.
void CompleteCall(Call& call, Random* random, int64_t elements);

// False when no room knows the operator.
bool ComputeOracle(OracleCall& call);

}  // namespace portacl::calls
