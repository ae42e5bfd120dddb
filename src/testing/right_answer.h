// SPDX-License-Identifier: Apache-2.0
// Comparison of a call's results with the operator's oracle: the elements of each output, row-major.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "calls/oracle.h"

namespace portacl::testing {

using Bytes = std::vector<std::byte>;

class RightAnswer {
 public:
  // `elements`: the elements of the tensors before the call, by argument.
  RightAnswer(calls::Call& call, const std::map<int, Bytes>& elements);

  // Checks every element of the output `argument`; on failure describes the first wrong one, with the inputs at its
  // index.
  ::testing::AssertionResult Judge(int argument, const Bytes& got);

  // How many 16-bit results were neither 0 nor the nearest value, relative to how many may be
  // (ErrorBound::not_nearest). Two are allowed in any sample: of a hundred results, a single one would exceed a share
  // of 0.2 %.
  double ShareOfNotNearest() const { return misses_ <= 2 ? 0 : not_nearest_ / static_cast<double>(narrow_); }

 private:
  calls::Call& call_;
  const std::map<int, Bytes>& elements_;
  calls::OracleCall oracle_;
  std::map<int, Bytes> nearest_;                  // content of each output if it is rounded once
  std::map<std::pair<int, bool>, Bytes> judged_;  // results found correct, by limits: targets often give the same bits
  int64_t narrow_ = 0;
  int64_t misses_ = 0;      // results that are not the nearest
  double not_nearest_ = 0;  // each adds the number of results of which one may miss
};

}  // namespace portacl::testing
