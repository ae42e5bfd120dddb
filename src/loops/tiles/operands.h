// SPDX-License-Identifier: Apache-2.0
//
// What an engine is given in addition to the kernel: operands, and parameters of the lane code.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>

#include "tensor/view.h"

namespace portacl::loops {

/// In place of an operand's number: the operand is absent.
inline constexpr int kNoOperand = -1;

/// An operand, as a number of PlanBuilder::Operand, or some of its elements as a tensor of their own. The view of a
/// part is derived from PlanBuilder::OperandView, so its offset counts from the same base.
struct OperandPart {
  OperandPart() = default;
  OperandPart(int number) : operand(number) {}  // NOLINT(google-explicit-constructor): a call lists operands
  OperandPart(int number, const View& part) : operand(number), view(part) {}

  int operand = 0;
  std::optional<View> view;
};

inline constexpr size_t kMaxParameterBytes = 64;

/// Any struct of numbers, or none. Engines copy it and pass it to each tile.
class Parameters {
 public:
  Parameters() = default;
  template <class P>
  Parameters(const P& parameters)  // NOLINT(google-explicit-constructor): a call ends with its parameters
      : from_(&parameters), bytes_(sizeof(P)) {
    static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kMaxParameterBytes && alignof(P) <= 16);
  }

  void CopyTo(std::byte* to) const {
    if (bytes_ != 0) std::memcpy(to, from_, bytes_);
  }

 private:
  const void* from_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace portacl::loops
