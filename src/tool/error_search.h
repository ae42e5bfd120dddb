// SPDX-License-Identifier: Apache-2.0
// Makes random calls of an operator on several instruction sets and records the largest error for each promised bound.
// The reference is computed once for all instruction sets.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calls/oracle.h"
#include "calls/random.h"

namespace portacl::tool {

// One row: a bound, a dtype of its output, and an instruction set.
struct LargestError {
  int64_t target;
  aclDataType dtype;
  calls::Deviation deviation;
  uint64_t elements = 0;  // compared elements
  std::string inputs;     // operands of the element with the largest error: "x=0x3f800000 (1), eps=-1"
  std::string result;     // "got 0x40000000 (2), exact 2.0000001"
};

class ErrorSearch {
 public:
  ErrorSearch(const exec::OperatorEntry& entry, std::span<const int64_t> targets);

  // Runs about `seconds` per dtype. Covers, at least once each: every bit pattern of 16-bit operands, all magnitudes,
  // special values, small calls of any shape, and values near the worst operands so far. `progress` receives the
  // completed fraction. Throws Failure if the library refuses every call.
  void Run(double seconds, const std::function<void(double)>& progress);

  const std::vector<LargestError>& rows() const { return rows_; }

 private:
  // The distribution of the elements of a tensor.
  enum class Kind { kPatterns, kUnit, kOrdinary, kNegative, kAnySize, kAnyBits, kNearWorst, kSpecial };
  // An operand of the element with the largest error so far.
  struct Seed {
    int argument;
    aclDataType dtype;
    std::vector<std::byte> element;
  };

  bool Try(calls::Call& call);
  void Compare(calls::Call& call, calls::OracleCall& reference);
  void SampleAttributes(calls::Call& call);
  void Fill(calls::Call& call, bool patterns);
  void FillTensor(const calls::TensorSpec& tensor, int argument, Kind kind);
  void Keep(calls::Call& call, calls::OracleCall& reference, int argument, size_t element, const std::byte* got);

  const exec::OperatorEntry& entry_;
  const std::span<const int64_t> targets_;
  calls::Random random_{20240229};
  std::vector<LargestError> rows_;
  std::vector<Seed> seeds_;
  calls::Deviation worst_{};
  std::string refusal_;
};

}  // namespace portacl::tool
