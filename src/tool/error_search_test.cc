// SPDX-License-Identifier: Apache-2.0
#include "tool/error_search.h"

#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include "base/target.h"
#include "tool/schema_text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

std::vector<LargestError> Search(const exec::OperatorEntry& entry, std::span<const int64_t> targets) {
  UseDevice();
  ErrorSearch search(entry, targets);
  search.Run(1e-3, [](double) {});
  return search.rows();
}

std::vector<LargestError> Search(const exec::OperatorEntry& entry) { return Search(entry, UsableTargets().first(1)); }

const LargestError* RowOf(const std::vector<LargestError>& rows, aclDataType dtype) {
  for (const LargestError& row : rows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

TEST(ErrorSearch, HasARowForEachDtypeWithinItsLimit) {
  const std::vector<LargestError> rows = Search(FindOperator("aclnnLogitGrad"));
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const LargestError* row = RowOf(rows, dtype);
    ASSERT_NE(row, nullptr);
    EXPECT_TRUE(row->deviation.good()) << row->deviation.error << " for " << row->inputs;
    EXPECT_GT(row->deviation.error, 0.4);
    EXPECT_EQ(row->inputs.substr(0, 4), "x=0x");
  }
  EXPECT_EQ(RowOf(rows, ACL_FLOAT)->deviation.limit, HasFusedMultiplyAdd(ActiveTarget()) ? 2.0 : 3.0);
}

TEST(ErrorSearch, TriesEveryPatternOfAnOperandOf16Bits) {
  const LargestError* row = nullptr;
  const std::vector<LargestError> rows = Search(FindOperator("aclnnLogit"));
  ASSERT_NE(row = RowOf(rows, ACL_FLOAT16), nullptr);
  EXPECT_GE(row->elements, 65536u);
}

// The reference is computed once, and the operands are restored for each instruction set.
TEST(ErrorSearch, RunsWhatWritesOverItsOperandOnEveryInstructionSet) {
  const std::vector<LargestError> rows = Search(FindOperator("aclnnInplaceExp"), UsableTargets());
  for (const int64_t target : UsableTargets()) {
    const auto is_of_target = [&](const LargestError& row) { return row.target == target && row.dtype == ACL_FLOAT; };
    const auto row = std::find_if(rows.begin(), rows.end(), is_of_target);
    ASSERT_NE(row, rows.end()) << TargetName(target);
    EXPECT_TRUE(row->deviation.good()) << row->result << " for " << row->inputs << " on " << TargetName(target);
    EXPECT_GT(row->deviation.error, 0.4);
  }
}

TEST(ErrorSearch, ComparesTheTensorsOfLists) {
  const std::vector<LargestError> rows = Search(FindOperator("aclnnForeachMulList"));
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32}) {
    const LargestError* row = RowOf(rows, dtype);
    ASSERT_NE(row, nullptr);
    EXPECT_TRUE(row->deviation.good()) << row->result << " for " << row->inputs;
    EXPECT_GE(row->elements, 65536U);
  }
  EXPECT_EQ(RowOf(rows, ACL_FLOAT)->inputs.substr(0, 5), "x1=0x");
}

// The search detects an operator that does not keep its promised accuracy.
TEST(ErrorSearch, FindsErrorsBeyondTheLimit) {
  const exec::OperatorEntry& logit = FindOperator("aclnnLogit");
  exec::Schema strict = *logit.schema;
  for (exec::ErrorBound& bound : strict.accuracy.items) bound.fused = bound.unfused = 0.25;
  const exec::OperatorEntry entry = {&strict, logit.plan, logit.run};
  for (const LargestError& row : Search(entry)) EXPECT_FALSE(row.deviation.good()) << row.deviation.error;
}

}  // namespace
}  // namespace portacl::tool
