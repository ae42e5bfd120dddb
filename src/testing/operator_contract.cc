// SPDX-License-Identifier: Apache-2.0
// Phase 1 of every operator, see operator_contract.h.
#include "testing/operator_contract.h"

#include <algorithm>
#include <stdexcept>

#include "acl/acl.h"
#include "base/dtype.h"
#include "base/soc.h"
#include "calls/oracle.h"
#include "calls/signature.h"
#include "calls/violation.h"
#include "testing/test_device.h"

namespace portacl::testing {

using calls::Call;
using calls::CompleteCall;
using calls::DescribeCall;
using calls::MakeLargeCall;
using calls::MakeValidCall;
using calls::TensorSpec;
using calls::Violation;
using calls::ViolationsOf;

namespace {

// Sets the dtype of the operands of that step, and of those that must have the same dtype.
void SetDtype(Call& call, const exec::Step& step, aclDataType dtype) {
  const auto names = [](const exec::Step& other, int index) {
    return std::any_of(other.refs.begin(), other.refs.end(), [&](const exec::Ref& ref) { return ref.index == index; });
  };
  for (const int index : call.schema().tensors) {
    bool follows = names(step, index);
    for (const exec::Step& other : call.schema().steps) {
      follows |= other.word == exec::Word::kSameDtype && names(other, index) && names(step, other.refs[0].index);
    }
    if (!follows) continue;
    for (TensorSpec& tensor : call.argument(index).tensors) tensor.dtype = dtype;
  }
  // In-place operands hold the results, whose dtype is the common type of the operands; some dtypes have a common type
  // only with themselves.
  for (const exec::Step& other : call.schema().steps) {
    const bool is_stored = other.word == exec::Word::kStoresTo && names(step, other.target.index);
    const bool is_common = other.word == exec::Word::kPromotesOneOf && names(step, other.refs[0].index) &&
                           other.LimitsOn(CurrentSoc().family).dtypes.Holds(dtype);
    if (!is_stored && !is_common) continue;
    for (const exec::Ref& ref : other.refs) {
      calls::ArgumentSpec& spec = call.argument(ref.index);
      for (TensorSpec& tensor : spec.tensors) tensor.dtype = dtype;
      spec.number = dtype == ACL_BOOL                               ? ACL_BOOL
                    : FindDtype(dtype)->kind < DtypeKind::kFloating ? ACL_INT64
                                                                    : ACL_FLOAT;
    }
    for (calls::ArgumentSpec& spec : call.arguments()) {
      if (FindDtype(dtype)->kind < DtypeKind::kFloating && spec.number == ACL_FLOAT) spec.number = ACL_INT64;
    }
  }
}

std::string Message() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

}  // namespace

std::vector<TestedOperator> AllRows(std::span<const exec::OperatorEntry> rows) {
  std::vector<TestedOperator> all;
  for (const exec::OperatorEntry& row : rows) {
    const auto is_like = [&](const TestedOperator& other) {
      return calls::HaveSameSignature(*row.schema, *other.entry->schema);
    };
    all.push_back({.entry = &row, .is_row = true, .is_first_of_signature = std::ranges::none_of(all, is_like)});
  }
  return all;
}

std::vector<TestedOperator> RowsToTest(std::span<const exec::OperatorEntry> rows) {
  std::vector<TestedOperator> all = AllRows(rows);
  if (!kTestsAreSlow && !DeviceMemoryIsForbidden()) return all;
  std::vector<TestedOperator> chosen;
  for (auto row = all.begin(); row != all.end(); ++row) {
    const auto before = std::count_if(all.begin(), row, [&](const TestedOperator& other) {
      return calls::HaveSameSignature(*row->entry->schema, *other.entry->schema);
    });
    if (before % 16 == 0) chosen.push_back(*row);
  }
  return chosen;
}

const exec::OperatorEntry& FindRow(std::span<const exec::OperatorEntry> rows, std::string_view api) {
  const auto row =
      std::ranges::find_if(rows, [&](const exec::OperatorEntry& entry) { return api == entry.schema->api; });
  if (row == rows.end()) throw std::invalid_argument("no row " + std::string(api));
  return *row;
}

void OperatorContract::SetUp() {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclGetRecentErrMsg();
}

void OperatorContract::TearDown() { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }

bool OperatorContract::IsBrief() const { return GetParam().is_row || DeviceMemoryIsForbidden(); }

aclOpExecutor* OperatorContract::Plan(const Call& call, uint64_t* workspace_size) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(call.Plan(&bytes, &executor), exec::kSuccess) << DescribeCall(call) << "\n" << Message();
  EXPECT_NE(executor, nullptr);
  if (workspace_size != nullptr) *workspace_size = bytes;
  return executor;
}

void OperatorContract::ExpectRefused(const Call& call, aclnnStatus status, const std::string& name) {
  constexpr uint64_t kUntouched = 0x5555;
  uint64_t bytes = kUntouched;
  auto* const sentinel = reinterpret_cast<aclOpExecutor*>(&bytes);
  aclOpExecutor* executor = sentinel;
  aclGetRecentErrMsg();
  EXPECT_EQ(call.Plan(&bytes, &executor), status) << DescribeCall(call);
  const std::string message = Message();
  EXPECT_NE(message.find(call.schema().api), std::string::npos) << DescribeCall(call) << "\n" << message;
  const bool names_it = message.find("'" + name + "'") != std::string::npos ||
                        message.find("'" + name + "[") != std::string::npos;  // for a list, one of its tensors
  EXPECT_TRUE(names_it) << DescribeCall(call) << "\n" << message;
  EXPECT_EQ(bytes, kUntouched) << "a failed phase 1 leaves workspaceSize alone";
  EXPECT_EQ(executor, sentinel) << "a failed phase 1 leaves executor alone";
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OperatorContract);

TEST_P(OperatorContract, AcceptsAValidCallWithoutData) {
  EXPECT_EQ(aclDestroyAclOpExecutor(Plan(MakeValidCall(entry()))), exec::kSuccess);
}

TEST_P(OperatorContract, RefusesEachMistakeWithItsStatusAndName) {
  const std::vector<Violation> violations = ViolationsOf(entry());
  const Call valid = MakeValidCall(entry());
  ASSERT_FALSE(violations.empty());
  for (const Violation& violation : violations) {
    SCOPED_TRACE(violation.what + " for '" + violation.name + "'");
    Call call = valid;
    violation.apply(call);
    ExpectRefused(call, violation.status, violation.name);
  }
}

TEST_P(OperatorContract, AnswersForTheFirstOfTwoMistakes) {
  const std::vector<Violation> violations = ViolationsOf(entry());
  const Call valid = MakeValidCall(entry());
  for (size_t i = 0; i < violations.size(); ++i) {
    // Steps are checked one after the other: testing each step with its successor covers their whole order.
    size_t pairs = IsBrief() ? 2 : violations.size();
    for (size_t j = i + 1; j < violations.size() && pairs > 0; ++j) {
      const Violation &first = violations[i], &second = violations[j];
      if (first.argument == second.argument || first.changes_others || second.changes_others)
        continue;  // one change could undo the other
      --pairs;
      SCOPED_TRACE(first.what + " for '" + first.name + "' and " + second.what + " for '" + second.name + "'");
      Call call = valid;
      second.apply(call);
      first.apply(call);
      ExpectRefused(call, first.status, first.name);
      if (HasFailure()) return;
    }
  }
}

// Whether all steps accept the dtype for the first argument that `step` names.
bool IsTaken(const exec::Schema& schema, const exec::Step& step, aclDataType dtype) {
  for (const exec::Step& other : schema.steps) {
    if (other.word != exec::Word::kDtypeOneOf || other.refs[0].index != step.refs[0].index) continue;
    if (!other.LimitsOn(CurrentSoc().family).dtypes.Holds(dtype)) return false;
  }
  return true;
}

TEST_P(OperatorContract, TakesExactlyTheDtypesOfItsSchema) {
  // Complements the refusals above: every accepted dtype of the first restricted argument leads to a plan.
  for (const exec::Step& step : entry().schema->steps) {
    if (step.word != exec::Word::kDtypeOneOf) continue;
    for (const DtypeInfo& info : kDtypes) {
      if (!IsTaken(*entry().schema, step, info.dtype)) continue;
      SCOPED_TRACE(info.name);
      Call call = MakeValidCall(entry());
      SetDtype(call, step, info.dtype);
      CompleteCall(call, nullptr, 0);
      aclDestroyAclOpExecutor(Plan(call));
    }
    return;
  }
}

TEST_P(OperatorContract, AcceptsEveryRankOfItsSchema) {
  int64_t low = 0, high = kMaxRank;
  for (const exec::Step& step : entry().schema->steps) {
    if (step.word == exec::Word::kRank)
      low = std::max(low, step.limits[0].low), high = std::min(high, step.limits[0].high);
    if (step.TiesSizes()) GTEST_SKIP() << "shapes of this operator depend on each other";
  }
  for (int64_t rank = low; rank <= high; ++rank) {
    Call call = MakeValidCall(entry());
    for (TensorSpec* tensor : call.Tensors()) tensor->shape.assign(static_cast<size_t>(rank), 2);
    aclDestroyAclOpExecutor(Plan(call));
  }
}

TEST_P(OperatorContract, AcceptsEveryLabelledFormat) {
  const auto speaks_of_formats = [](const exec::Step& step) { return step.word == exec::Word::kPlainFormat; };
  if (std::ranges::none_of(entry().schema->steps, speaks_of_formats)) GTEST_SKIP() << "formats are a rule of the room";
  for (aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NDHWC,
                           ACL_FORMAT_NCDHW, ACL_FORMAT_NCL, ACL_FORMAT_NC}) {
    Call call = MakeValidCall(entry());
    for (TensorSpec* tensor : call.Tensors()) tensor->format = format;
    aclDestroyAclOpExecutor(Plan(call));
  }
}

TEST_P(OperatorContract, EmptyOperandsEndInAPlanThatDoesNothing) {
  const auto& steps = entry().schema->steps;
  const auto rule = std::find_if(steps.begin(), steps.end(),
                                 [](const exec::Step& step) { return step.word == exec::Word::kEmptySucceeds; });
  if (rule == steps.end()) GTEST_SKIP() << "the schema has no rule for empty operands";
  Call call = MakeValidCall(entry());
  for (TensorSpec* tensor : call.Tensors()) {
    if (!tensor->shape.empty()) tensor->shape.front() = 0;
  }
  uint64_t bytes = 99;
  aclOpExecutor* executor = nullptr;
  if (call.Plan(&bytes, &executor) == exec::kSuccess) {
    aclDestroyAclOpExecutor(executor);
  } else {
    calls::CompleteCall(call, nullptr, 0);  // with shapes that are compatible
  }
  call.AllocateData();  // for operands that cannot be empty
  executor = Plan(call, &bytes);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(entry().run(nullptr, 0, executor, nullptr), exec::kSuccess) << "without data";
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(entry().run(nullptr, 0, executor, nullptr), exec::kInternal) << "it was consumed all the same";
}

TEST_P(OperatorContract, ExistsOnlyOnItsSocs) {
  for (const Soc& soc : kSocs) {
    SCOPED_TRACE(soc.full_name);
    SetCurrentSocForTest(&soc);
    // Large, with round sizes: an SoC may have alignment rules that only the room knows.
    const Call call = MakeLargeCall(entry(), 1 << 12, ACL_FLOAT);
    if (entry().schema->socs.Holds(soc.family)) {
      aclDestroyAclOpExecutor(Plan(call));
      continue;
    }
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(call.Plan(&bytes, &executor), exec::kNoKernel);
    EXPECT_NE(Message(), "");
    Call without_argument = call;
    without_argument.null_executor = true;
    ExpectRefused(without_argument, exec::kNullPointer, "executor");  // null pointers are checked first on every SoC
  }
  SetCurrentSocForTest(nullptr);
}

}  // namespace portacl::testing
