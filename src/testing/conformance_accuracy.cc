// SPDX-License-Identifier: Apache-2.0
// Every operator against its room's oracle: each combination of dtypes, each bit pattern of narrow inputs, each
// exponent of wide ones, adjacent special values, attributes at their limits, empty tensors.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/views.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"

namespace portacl::testing {
namespace {

using calls::Call;
using calls::Dims;
using calls::ElementBytes;
using calls::PartDtype;
using calls::TensorSpec;

// Bit patterns of a real number: all if there are few (slow builds take a sample); otherwise each sign and exponent,
// with extreme and with random significands. Takes one of `every`, at least one, from a random start.
std::vector<uint64_t> PatternsOf(aclDataType dtype, uint64_t every, Random& random) {
  const size_t bits = 8 * ElementBytes(dtype);
  every = std::min(every, uint64_t{1} << std::min<size_t>(bits, 16));
  const uint64_t first = random.Bits() % every;
  std::vector<uint64_t> patterns;
  if (bits <= 16) {
    for (uint64_t pattern = first; pattern < uint64_t{1} << bits; pattern += every) patterns.push_back(pattern);
    return patterns;
  }
  const calls::FloatFormat* const format = calls::FindFloatFormat(dtype);
  const size_t fraction = format == nullptr ? bits - 8 : static_cast<size_t>(format->significand_bits) - 1;
  const uint64_t ones = (uint64_t{1} << fraction) - 1;
  for (uint64_t high = 0; high < uint64_t{1} << (bits - fraction); ++high) {
    for (const uint64_t low :
         {uint64_t{0}, uint64_t{1}, ones, ones / 2 + 1, random.Bits(), random.Bits(), random.Bits()})
      patterns.push_back(high << fraction | (low & ones));
  }
  for (size_t i = first; i < patterns.size(); i += every) patterns[i / every] = patterns[i];
  patterns.resize((patterns.size() - first + every - 1) / every);
  return patterns;
}

// Whether the operator uses two halves of a tensor as its operands.
bool SplitsOperands(const exec::Schema& schema) {
  return std::any_of(schema.steps.begin(), schema.steps.end(), [](const exec::Step& step) {
    return step.word == exec::Word::kShapeIs &&
           (step.shape == exec::ShapeWord::kHalfAlong || step.shape == exec::ShapeWord::kConcatOf);
  });
}

// Fills with the patterns in order, the second time shifted by some elements: so that each half of a tensor has each
// pattern.
void FillWithPatterns(const TensorSpec& tensor, const std::vector<uint64_t>& patterns) {
  const size_t size = ElementBytes(PartDtype(tensor.dtype));
  std::vector<std::byte> block = calls::ReadBlock(tensor);
  for (size_t i = 0; i * size < block.size(); ++i) {
    const size_t at = i < patterns.size() ? i : i + 512;
    std::memcpy(&block[i * size], &patterns[at % patterns.size()], size);
  }
  EXPECT_EQ(aclrtMemcpy(tensor.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

// With more combinations of dtypes than this, a brief test tries each with fewer cases, or only some of them.
constexpr size_t kFewMixes = 16;
constexpr size_t kManyMixes = 64;

// A call whose operand number `index` has as many elements as the shape, that is, is not broadcast.
Call DrawFullCall(const exec::OperatorEntry& entry, const Dims& shape, const Dtypes& dtypes, size_t index,
                  Random& random) {
  Call call = DrawCall(entry, shape, dtypes, random);
  for (int tries = 0; tries < 20; ++tries) {
    if (calls::ElementCount(OperandsOf(call)[index].tensor->shape) >= calls::ElementCount(shape)) break;
    call = DrawCall(entry, shape, dtypes, random);
  }
  return call;
}

}  // namespace

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OperatorConformance);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OperatorSample);

TEST_P(OperatorConformance, IsRightForEveryMixOfDtypes) {
  Random random;
  const bool takes_turns = IsBrief() && DtypesOf(entry()).size() > kFewMixes;
  size_t turn = 0;
  for (const Dtypes& dtypes : DtypesOf(entry())) {
    ++turn;
    for (const Dims& shape : {Dims{}, {3, 40}, {700}}) {
      if (takes_turns && turn++ % 4 != 0) continue;
      Call call = DrawCall(entry(), shape, dtypes, random);
      call.AllocateData();
      calls::DrawContents(call, random, shape.size() == 1 ? 0.1 : 0);
      ExpectConformance(call);
      if (HasFailure()) return;
    }
  }
}

TEST_P(OperatorConformance, IsRightWithoutElements) {
  if (!MayBeEmpty(entry())) GTEST_SKIP() << "the schema asks for elements";
  Random random;
  const bool takes_turns = IsBrief() && PairwiseDtypesOf(entry()).size() > kFewMixes;
  size_t turn = 0;
  for (const Dtypes& dtypes : PairwiseDtypesOf(entry())) {
    for (const Dims& shape : {Dims{0}, {3, 0}, {0, 4}, {2, 0, 3}}) {
      if (takes_turns && turn++ % 5 != 0) continue;
      Call call = DrawCall(entry(), shape, dtypes, random);
      uint64_t bytes = 0;
      aclOpExecutor* executor = nullptr;
      if (call.Plan(&bytes, &executor) == exec::kSuccess) {
        aclDestroyAclOpExecutor(executor);
      } else {
        calls::CompleteCall(call, &random, 0);  // with shapes that these dtypes allow
      }
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      ExpectConformance(call);
      if (HasFailure()) return;
    }
  }
}

bool HasNarrowResult(const exec::OperatorEntry& entry, const Dtypes& dtypes) {
  Call call = calls::MakeValidCall(entry);
  SetDtypes(call, dtypes);
  const std::vector<Operand> operands = OperandsOf(call);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    const aclDataType dtype = operand.tensor->dtype;
    return operand.is_written && (dtype == ACL_FLOAT16 || dtype == ACL_BF16);
  });
}

// Whether elements of an input are read for several results.
bool Broadcasts(Call& call) {
  const std::vector<Operand> operands = OperandsOf(call);
  const auto is_shorter = [](const Operand& in, const Operand& out) {
    const Dims &from = in.tensor->shape, &to = out.tensor->shape;
    if (in.is_written || !out.is_written || from.size() != to.size()) return false;
    for (size_t axis = 0; axis < to.size(); ++axis) {
      if (from[axis] == 1 && to[axis] > 1) return true;
    }
    return false;
  };
  return std::ranges::any_of(operands, [&](const Operand& in) {
    return std::ranges::any_of(operands, [&](const Operand& out) { return is_shorter(in, out); });
  });
}

// Ordinary values; 16-bit results are rounded once, so that nearly all are the nearest. The statistics need many
// independent values, so that a call whose inputs repeat a few values is generated again if possible.
TEST_P(OperatorConformance, RoundsNarrowResultsOnce) {
  Random random;
  const std::vector<Dtypes>& all = PairwiseDtypesOf(entry());
  const size_t mixes = IsBrief() ? std::min(kFewMixes, all.size()) : all.size();
  const auto all_share = static_cast<int64_t>(std::max<size_t>(1, mixes / 8));  // if there are many combinations
  for (size_t turn = 0; turn < mixes; ++turn) {
    // Brief tests count 16-bit results that are not the nearest; other tests check enough wide results.
    const bool is_short = IsBrief() && (kTestsAreSlow || !HasNarrowResult(entry(), Spread(all, turn)));
    const int64_t share = all_share * (is_short ? 4 : 1);
    for (const int64_t columns : {997, 7}) {
      if (kTestsAreSlow && mixes > 1 && (columns == 7) == (turn % 2 == 0))
        continue;  // long rows and short ones alternate
      const Dims shape = columns == 997 ? Dims{std::max<int64_t>(4, Draws(60, 16) / share), columns}
                                        : Dims{std::max<int64_t>(600, Draws(9000, 2300) / share), columns};
      Call call = DrawCall(entry(), shape, Spread(all, turn), random);
      for (int again = 0; again < 10 && Broadcasts(call); ++again)
        call = DrawCall(entry(), shape, Spread(all, turn), random);
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      EXPECT_LE(ExpectConformance(call), 1) << DescribeCall(call);
      if (HasFailure()) return;
    }
  }
}

// All patterns with ordinary attributes, and some of them with each attribute at its limits.
TEST_P(OperatorConformance, IsRightForEveryPatternOfEachInput) {
  Random random;
  Call any = calls::MakeValidCall(entry());
  const size_t operands = OperandsOf(any).size();
  const size_t copies = SplitsOperands(*entry().schema) ? 2 : 1;
  const uint64_t every = kTestsAreSlow ? 16 : 1;
  const uint64_t every_at_edges = every * (IsBrief() ? 61 : 4);
  for (size_t index = 0; index < operands; ++index) {
    if (OperandsOf(any)[index].is_written) continue;
    std::map<aclDataType, std::vector<Dtypes>> mixes_of;  // by dtype of the operand
    for (const Dtypes& dtypes : PairwiseDtypesOf(entry()))
      SetDtypes(any, dtypes), mixes_of[OperandsOf(any)[index].tensor->dtype].push_back(dtypes);
    for (const auto& [dtype, mixes] : mixes_of) {
      const size_t turns = std::min(mixes.size(), static_cast<size_t>(std::max<int64_t>(1, Draws(4, 1))));
      for (size_t turn = 0;; ++turn) {
        const bool is_edge = turn >= turns;
        if (is_edge && !calls::SetSpecialAttributes(any, turn - turns)) break;
        const std::vector<uint64_t> patterns = PatternsOf(PartDtype(dtype), is_edge ? every_at_edges : every, random);
        const auto rows = static_cast<int64_t>((copies * patterns.size() + 1023) / 1024);
        const Dtypes& mix = mixes[(turn * mixes.size() / turns + static_cast<size_t>(dtype)) % mixes.size()];
        Call call = DrawFullCall(entry(), {rows, 1024}, mix, index, random);
        if (is_edge) calls::SetSpecialAttributes(call, turn - turns);
        call.AllocateData();
        calls::DrawContents(call, random, turn % 2 == 0 ? 0 : 0.3);
        FillWithPatterns(*OperandsOf(call)[index].tensor, patterns);
        ExpectConformance(call);
        if (HasFailure()) return;
      }
    }
  }
}

// Short rows, so that special values do not determine all of them.
TEST_P(OperatorConformance, IsRightForSpecialValuesSideBySide) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  const Dims shapes[] = {
      {Draws(8192, 256), 2}, {Draws(4001, 171), 3}, {Draws(16001, 512)}, {Draws(4000, 128), 4}, {Draws(16000, 500), 1}};
  const size_t draws = std::max(std::size(shapes), IsBrief() ? std::min(kManyMixes, dtypes.size()) : dtypes.size());
  bool has_attributes = true;
  for (size_t turn = 0; turn < draws || has_attributes; ++turn) {
    Call call = DrawCall(entry(), shapes[turn % std::size(shapes)], Spread(dtypes, turn), random);
    has_attributes = calls::SetSpecialAttributes(call, turn);
    call.AllocateData();
    calls::DrawContents(call, random, turn % 3 == 0 ? 0.2 : 1);
    ExpectConformance(call);
    if (HasFailure()) return;
  }
  for (int64_t n = 1; n <= 67; n += IsBrief() ? 3 : 1) {  // including the tails of registers
    Call call = DrawCall(entry(), {n}, Spread(dtypes, static_cast<size_t>(n)), random);
    call.AllocateData();
    calls::DrawContents(call, random, 0.7);
    ExpectConformance(call);
    if (HasFailure()) return;
  }
}

// Random values round up and down, and so stay within bounds that these may exceed.
TEST_P(OperatorConformance, IsRightForNumbersThatRoundAlike) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  const Dims shapes[] = {{3, 2100}, {2100, 3}, {2, 5, 130}};
  const size_t mixes = IsBrief() ? 3 : std::max<size_t>(4, std::min(kFewMixes, dtypes.size()));
  size_t turn = 0;
  for (size_t mix = 0; mix < mixes; ++mix) {
    for (const calls::Series series : calls::kAllSeries) {
      Call call = DrawCall(entry(), shapes[turn % std::size(shapes)], Spread(dtypes, turn), random);
      ++turn;
      call.AllocateData();
      calls::DrawSeries(call, random, series);
      ExpectConformance(call);
      if (HasFailure()) return;
    }
  }
}

TEST_P(OperatorSample, IsRight) {
  Random random;
  Call call = DrawCall(entry(), {20, 33}, random.Pick(PairwiseDtypesOf(entry())), random);
  call.AllocateData();
  calls::DrawContents(call, random, 0.1);
  ExpectConformance(call);
}

}  // namespace portacl::testing
