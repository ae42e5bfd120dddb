// SPDX-License-Identifier: Apache-2.0
// The arguments of one call, read once: every tensor becomes a view, numbered as the run will number it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "aclnn/acl_meta.h"
#include "base/soc.h"
#include "base/visibility.h"
#include "exec/schema.h"
#include "exec/value.h"
#include "tensor/view.h"

namespace portacl::exec {

// One tensor of the call.
struct Operand {
  const aclTensor* tensor = nullptr;  // null: an optional tensor that is absent
  int32_t rank = 0;                   // rank as described; above kMaxRank the view holds no dims
  ByteRange bytes;                    // bytes that the view touches; empty until the Rank step has accepted the tensor
  View view;
};

inline namespace v1 {

class Arguments {
 public:
  Arguments(const Schema& schema, std::span<const Value> values, uint64_t* workspace_size, aclOpExecutor** executor,
            const Soc& soc = CurrentSoc());
  Arguments(const Arguments&) = delete;
  ~Arguments();

  const Schema& schema() const { return schema_; }
  const Soc& soc() const { return soc_; }
  const Value& value(int arg) const { return values_[static_cast<size_t>(arg)]; }
  PORTACL_EXPORT bool IsNull(int arg) const;  // also accepts the numbers of the result pointers

  // Operands are numbered inputs first, then outputs, each in signature order; the tensors of a list follow each other.
  int operand_count() const { return operand_count_; }
  int First(int arg) const { return first_[arg]; }
  int Count(int arg) const { return count_[arg]; }
  Operand& operand(int number) { return operands_[number]; }
  const Operand& operand(int number) const { return operands_[number]; }
  std::span<Operand> Operands(int arg) { return {operands_ + first_[arg], static_cast<size_t>(count_[arg])}; }
  std::span<const Operand> Operands(int arg) const {
    return {operands_ + first_[arg], static_cast<size_t>(count_[arg])};
  }

  // The view of a tensor, for the rules of rooms.
  PORTACL_EXPORT const View& Tensor(int arg, int element = 0) const;
  PORTACL_EXPORT std::span<const int64_t> Ints(int arg) const;

  // Writes every message of a check: "aclnnGelu: argument 'out': expected FLOAT16 (dtype of 'self'), got FLOAT".
  // Returns the status of the step. `element` numbers a tensor of a list.
  PORTACL_EXPORT aclnnStatus Refuse(const Step& step, int arg, std::string_view expected, std::string_view got,
                                    int element = -1) const noexcept;
  // The same for a refused dtype, which callers can tell from other refusals (refusal.h).
  PORTACL_EXPORT aclnnStatus Refuse(const Step& step, int arg, std::string_view expected, aclDataType got,
                                    int element = -1) const noexcept;

 private:
  static constexpr int kInlineOperands = 6;

  void Read(int arg);

  const Schema& schema_;
  const Soc& soc_;
  std::span<const Value> values_;
  uint64_t* workspace_size_;
  aclOpExecutor** executor_;
  int operand_count_ = 0;
  Operand* operands_;
  int first_[kMaxArgs];  // used only for tensors and lists
  int count_[kMaxArgs];
  alignas(Operand) std::byte inline_operands_[kInlineOperands * sizeof(Operand)];
  std::unique_ptr<std::byte[]> more_operands_;
};

}  // namespace v1

// Runs the steps of the schema in order. Returns the status of the first step that refuses; `empty` tells whether
// EmptySucceeds ended the check.
aclnnStatus CheckSteps(Arguments& arguments, bool* empty);

}  // namespace portacl::exec
