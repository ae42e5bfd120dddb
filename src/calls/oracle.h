// SPDX-License-Identifier: Apache-2.0
// The right answer of a call, for tests, the fuzzer and the tool (portacl run --verify). A room's <room>_oracle.h,
// which needs no GoogleTest, defines, in the room's namespace,
//
//   inline bool Oracle(calls::OracleCall& call);         // false: not an operator of this room
//
// which reads float64 inputs and writes float64 outputs in row-major order; or reads and writes the elements' bytes,
// which float64 cannot always hold. How far a result may be from them is the schema's to say (exec/accuracy.h). Where
// the words of a schema do not tell what a valid call is, the header also has
//
//   inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements);
//
//   inline void CompleteContents(calls::Call& call);     // indices that are in range, when memory has been filled
//
// which do nothing to calls of other rooms; for `random` and `elements` see MakeValidCall and MakeLargeCall (0:
// small).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

// How far an element is from the right one, in the unit of the bound that the operator promises for it.
struct Deviation {
  const exec::ErrorBound* bound;
  double limit;      // on the active target
  double error = 0;  // infinite where the bits are defined and others came

  bool good() const { return error <= limit; }
  // Which of two uses more of its limit.
  bool operator<(const Deviation& other) const { return error * other.limit < other.error * limit; }
};

class OracleCall {
 public:
  explicit OracleCall(Call& call)
      : call_(call),
        values_(call.arguments().size()),
        tails_(call.arguments().size()),
        terms_(call.arguments().size()),
        parts_(call.arguments().size()),
        bytes_(call.arguments().size()),
        exact_bytes_(call.arguments().size()),
        bounds_(call.arguments().size()) {}

  const exec::Schema& schema() const { return call_.schema(); }
  std::string_view api() const { return call_.schema().api; }
  const ArgumentSpec& Argument(std::string_view name) { return call_.argument(name); }
  double Real(std::string_view name) { return call_.argument(name).real; }
  int64_t Integer(std::string_view name) { return call_.argument(name).integer; }
  const std::vector<int64_t>& Integers(std::string_view name) { return call_.argument(name).integers; }
  const TensorSpec& Tensor(std::string_view name) { return call_.tensor(name); }
  // Those of a list; their elements are still in the memory of the call (ReadElements).
  const std::vector<TensorSpec>& Tensors(std::string_view name) { return call_.argument(name).tensors; }
  // The elements of a tensor; those of an output are to be assigned, of a list one tensor after the other. Of complex
  // inputs the real parts; of a complex output both parts of each element, one after the other, in Tails() and
  // Terms(), too.
  std::vector<double>& Values(std::string_view name) { return values_[static_cast<size_t>(call_.schema().Find(name))]; }
  std::vector<double>& Values(int argument) { return values_[static_cast<size_t>(argument)]; }

  // The rest of the exact values where a double holds only their first bits: exact = Values() + Tails(). Without it an
  // error of a DOUBLE output is known to half an ULP.
  std::vector<double>& Tails(std::string_view name) { return tails_[static_cast<size_t>(call_.schema().Find(name))]; }

  // For an output whose bound has a term: that term for each element; errors are counted at it where it exceeds the
  // element. Infinite where rounding alone decides what the element is, so that any value is right. Ignored where the
  // bound has no term.
  std::vector<double>& Terms(std::string_view name) { return terms_[static_cast<size_t>(call_.schema().Find(name))]; }
  // For an output whose parts have bounds of their own: which part each element belongs to.
  std::vector<uint8_t>& Parts(std::string_view name) { return parts_[static_cast<size_t>(call_.schema().Find(name))]; }

  // The elements of a tensor before the call as they lie in memory, one after the other in row-major order.
  std::vector<std::byte>& Bytes(std::string_view name) {
    return bytes_[static_cast<size_t>(call_.schema().Find(name))];
  }
  std::vector<std::byte>& Bytes(int argument) { return bytes_[static_cast<size_t>(argument)]; }

  // Takes Values() of what is read, and Bytes() of all tensors, from the memory of the call, before it is run.
  void ReadMemory();

  // Those that an output is to have, but for the bits of a NaN, when Values() is not assigned.
  std::vector<std::byte>& ExactBytes(std::string_view name) {
    return exact_bytes_[static_cast<size_t>(call_.schema().Find(name))];
  }
  const std::vector<std::byte>& ExactBytes(int argument) const { return exact_bytes_[static_cast<size_t>(argument)]; }

  const exec::ErrorBound& BoundOf(int argument, size_t element) const;
  // The error of an output that this oracle computed: `got` is what the operator wrote as this element, row-major.
  Deviation Judge(int argument, size_t element, const void* got) const;
  // "exact 1.0663889612080188", or the bits: for failure messages.
  std::string DescribeExact(int argument, size_t element) const;

 private:
  const exec::ErrorBound& FindBound(int argument, int part) const;
  // The error of a part of an element; `number` is its index in Values().
  double ErrorOfNumber(int argument, const exec::ErrorBound& bound, aclDataType dtype, size_t number,
                       const void* got) const;

  Call& call_;
  std::vector<std::vector<double>> values_;
  std::vector<std::vector<double>> tails_;
  std::vector<std::vector<double>> terms_;
  std::vector<std::vector<uint8_t>> parts_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::vector<std::byte>> exact_bytes_;
  mutable std::vector<const exec::ErrorBound*> bounds_;  // of outputs without parts, once they were looked for
};

// Completes a valid call with what only its room knows.
void CompleteCall(Call& call, Random* random, int64_t elements);

// The same for the contents of its memory.
void CompleteContents(Call& call);

// False when no room knows the operator.
bool ComputeOracle(OracleCall& call);

}  // namespace portacl::calls
