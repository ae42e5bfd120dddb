// SPDX-License-Identifier: Apache-2.0
// The promises that every operator keeps, tested from its schema. A room writes one line:
//
//   OP_CONTRACT_TESTS(LogitGrad, portacl::ops::logit::Operators()[0]);
//
// The tests are in operator_contract.cc (phase 1), operator_run_contract.cc (phase 2) and conformance_*.cc (results).
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "calls/call.h"
#include "exec/bind.h"

namespace portacl::testing {

class OperatorContract : public ::testing::TestWithParam<const exec::OperatorEntry*> {
 protected:
  void SetUp() override;
  void TearDown() override;

  const exec::OperatorEntry& entry() const { return *GetParam(); }

  // Plans a call that must succeed.
  aclOpExecutor* Plan(const calls::Call& call, uint64_t* workspace_size = nullptr);
  // Phase 1 gives this status, names the argument in its message, and touches neither result.
  void ExpectRefused(const calls::Call& call, aclnnStatus status, const std::string& name);
};

// What results are (conformance_*.cc): right by the oracle, whatever the dtypes, wherever operands lie, on every
// instruction set.
class OperatorConformance : public OperatorContract {};

}  // namespace portacl::testing

#define OP_CONTRACT_TESTS(name, entry)                                                                       \
  namespace portacl::testing {                                                                               \
  INSTANTIATE_TEST_SUITE_P(name, OperatorContract, ::testing::Values(&(entry)),                              \
                           [](const auto& parameter) { return std::string(parameter.param->schema->api); }); \
  INSTANTIATE_TEST_SUITE_P(name, OperatorConformance, ::testing::Values(&(entry)),                           \
                           [](const auto& parameter) { return std::string(parameter.param->schema->api); }); \
  }                                                                                                          \
  static_assert(true)
