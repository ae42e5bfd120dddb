// SPDX-License-Identifier: Apache-2.0
// The properties that every operator must have, tested from its schema. A room needs one line:
//
//   OP_CONTRACT_TESTS(LogitGrad, logit, 1);    // the second operator of src/ops/loss/logit
//   ROW_CONTRACT_TESTS(Unary, unary);          // all rows of a family
//
// Both declare the Operators() of the room.
// The tests are in operator_contract.cc (phase 1), operator_run_contract.cc (phase 2) and conformance_*.cc (results).
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "calls/call.h"
#include "exec/bind.h"
#include "testing/sample_size.h"

namespace portacl::testing {

struct TestedOperator {
  const exec::OperatorEntry* entry;
  // One row of a family: the rows differ in their formulas only, so that each needs few random calls per property.
  bool is_row = false;
  // Only the first row with a given signature runs the tests that depend on the signature alone.
  bool is_first_of_signature = true;

  friend void PrintTo(const TestedOperator& tested, std::ostream* out) { *out << tested.entry->schema->api; }
};

// The rows to test: all of them, or one of sixteen per signature under an emulator, a sanitizer, or on the fake device,
// where nothing depends on a formula.
std::vector<TestedOperator> RowsToTest(std::span<const exec::OperatorEntry> rows);
std::vector<TestedOperator> AllRows(std::span<const exec::OperatorEntry> rows);
// The row of this name.
const exec::OperatorEntry& FindRow(std::span<const exec::OperatorEntry> rows, std::string_view api);

class OperatorContract : public ::testing::TestWithParam<TestedOperator> {
 protected:
  void SetUp() override;
  void TearDown() override;

  const exec::OperatorEntry& entry() const { return *GetParam().entry; }
  // Whether few random calls are enough: for rows, and if tests are only repeated on another device.
  bool IsBrief() const;
  // The number of random cases of a test.
  int64_t Draws(int64_t full, int64_t brief) const { return IsBrief() ? brief : SampleSize(full); }

  // Plans a call that must succeed.
  aclOpExecutor* Plan(const calls::Call& call, uint64_t* workspace_size = nullptr);
  // Phase 1 gives this status, names the argument in its message, and touches neither result.
  void ExpectRefused(const calls::Call& call, aclnnStatus status, const std::string& name);
};

// Correctness of results (conformance_*.cc): correct by the oracle, for all dtypes and memory layouts, on every
// instruction set.
class OperatorConformance : public OperatorContract {};

// One random call: checks the formula of each row, as the other tests run for some rows only.
class OperatorSample : public OperatorContract {};

inline std::string ApiOf(const ::testing::TestParamInfo<TestedOperator>& info) { return info.param.entry->schema->api; }

}  // namespace portacl::testing

#define PORTACL_DECLARE_ROOM(room)                  \
  namespace portacl::ops::room {                    \
  std::span<const exec::OperatorEntry> Operators(); \
  }

#define OP_CONTRACT_TESTS(name, room, index)                                                                          \
  PORTACL_DECLARE_ROOM(room)                                                                                          \
  namespace portacl::testing {                                                                                        \
  INSTANTIATE_TEST_SUITE_P(name, OperatorContract, ::testing::Values(TestedOperator{&ops::room::Operators()[index]}), \
                           ApiOf);                                                                                    \
  INSTANTIATE_TEST_SUITE_P(name, OperatorConformance,                                                                 \
                           ::testing::Values(TestedOperator{&ops::room::Operators()[index]}), ApiOf);                 \
  }                                                                                                                   \
  static_assert(true)

#define ROW_CONTRACT_TESTS(name, room)                                                                                 \
  PORTACL_DECLARE_ROOM(room)                                                                                           \
  namespace portacl::testing {                                                                                         \
  INSTANTIATE_TEST_SUITE_P(name, OperatorContract, ::testing::ValuesIn(RowsToTest(ops::room::Operators())), ApiOf);    \
  INSTANTIATE_TEST_SUITE_P(name, OperatorConformance, ::testing::ValuesIn(RowsToTest(ops::room::Operators())), ApiOf); \
  INSTANTIATE_TEST_SUITE_P(name, OperatorSample, ::testing::ValuesIn(AllRows(ops::room::Operators())), ApiOf);         \
  }                                                                                                                    \
  static_assert(true)
