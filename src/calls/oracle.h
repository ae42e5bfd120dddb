// SPDX-License-Identifier: Apache-2.0
// The exact result of a call, for tests, the fuzzer and the tool (portacl run --verify). A room's <room>_oracle.h,
// which needs no GoogleTest, defines, in the room's namespace,
//
//   inline bool Oracle(calls::OracleCall& call);         // false: not an operator of this room
//
// which reads float64 inputs and writes float64 outputs in row-major order; or reads and writes the elements' bytes,
// which float64 cannot always represent. The schema specifies how far a result may deviate (exec/accuracy.h). If the
// words of a schema do not fully describe valid calls, the header also has
//
//   inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements);
//
//   inline void CompleteContents(calls::Call& call);     // indices that are in range, when memory has been filled
//
// which do not change calls of other rooms; for `random` and `elements` see MakeValidCall and MakeLargeCall (0: small).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

// The distance of an element from the exact result, in the unit of the bound that the operator promises.
struct Deviation {
  const exec::ErrorBound* bound;
  double limit;      // limit on the active target
  double error = 0;  // infinite if the bits are defined and others were found

  bool good() const { return error <= limit; }
  // Compares which of two uses more of its limit. Where bits are defined, limits are 0 and errors may be infinite: the
  // products of those compare as neither.
  bool operator<(const Deviation& other) const {
    return good() == other.good() ? error * other.limit < other.error * limit : good();
  }
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
  // The shape that phase 2 sets for a data-dependent output, which the oracle assigns.
  Dims& ResultShape(int argument) { return result_shapes_[argument]; }
  Dims& ResultShape(std::string_view name) { return ResultShape(call_.schema().Find(name)); }
  const ArgumentSpec& Argument(std::string_view name) { return call_.argument(name); }
  double Real(std::string_view name) { return call_.argument(name).real; }
  int64_t Integer(std::string_view name) { return call_.argument(name).integer; }
  const std::vector<int64_t>& Integers(std::string_view name) { return call_.argument(name).integers; }
  const TensorSpec& Tensor(std::string_view name) { return call_.tensor(name); }
  // The tensors of a list; their elements are still in the memory of the call (ReadElements).
  const std::vector<TensorSpec>& Tensors(std::string_view name) { return call_.argument(name).tensors; }
  // The elements of a tensor; the oracle assigns those of an output; tensors of a list are concatenated. For complex
  // inputs, the real parts; for a complex output, both parts of each element, one after the other, also in Tails() and
  // Terms().
  std::vector<double>& Values(std::string_view name) { return values_[static_cast<size_t>(call_.schema().Find(name))]; }
  std::vector<double>& Values(int argument) { return values_[static_cast<size_t>(argument)]; }

  // The part of each exact value that a double cannot represent: exact = Values() + Tails(). Without it, the error of a
  // DOUBLE output is known only to half an ULP.
  std::vector<double>& Tails(std::string_view name) { return tails_[static_cast<size_t>(call_.schema().Find(name))]; }

  // For an output whose bound has a term: that term for each element; errors are measured by it if it exceeds the
  // element. Infinite if rounding alone decides the element, so that any value is valid. Ignored if the bound has no
  // term.
  std::vector<double>& Terms(std::string_view name) { return terms_[static_cast<size_t>(call_.schema().Find(name))]; }
  // For an output whose parts have separate bounds: the part of each element.
  std::vector<uint8_t>& Parts(std::string_view name) { return parts_[static_cast<size_t>(call_.schema().Find(name))]; }

  // The bytes of a tensor's elements before the call, in row-major order; tensors of a list are concatenated.
  std::vector<std::byte>& Bytes(std::string_view name) {
    return bytes_[static_cast<size_t>(call_.schema().Find(name))];
  }
  std::vector<std::byte>& Bytes(int argument) { return bytes_[static_cast<size_t>(argument)]; }

  // Reads Values() of all inputs and Bytes() of all tensors from the memory of the call, before it runs.
  void ReadMemory();

  // The expected bytes of an output, for which Values() is not assigned; the bits of a NaN may differ.
  std::vector<std::byte>& ExactBytes(std::string_view name) {
    return exact_bytes_[static_cast<size_t>(call_.schema().Find(name))];
  }
  const std::vector<std::byte>& ExactBytes(int argument) const { return exact_bytes_[static_cast<size_t>(argument)]; }

  const exec::ErrorBound& BoundOf(int argument, size_t element) const;
  // The error of an output that this oracle computed: `got` is what the operator wrote as this element, row-major.
  Deviation Judge(int argument, size_t element, const void* got) const;
  // "exact 1.0663889612080188", or the bits; for failure messages.
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
  std::map<int, Dims> result_shapes_;
  mutable std::vector<const exec::ErrorBound*> bounds_;  // for outputs without parts, filled at the first lookup
};

// Completes a valid call with the properties that only its room knows.
void CompleteCall(Call& call, Random* random, int64_t elements);

// The same for the contents of its memory.
void CompleteContents(Call& call);

// False when no room knows the operator.
bool ComputeOracle(OracleCall& call);

}  // namespace portacl::calls
