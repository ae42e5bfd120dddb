// SPDX-License-Identifier: Apache-2.0
// Every operator against its room's oracle: each mix of dtypes, each bit pattern of narrow inputs, each exponent of
// wide ones, special values side by side, attributes at their edges, no elements.
#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

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

// Bit patterns of a real number: all where they are few (of which slow builds take a sample); otherwise each sign and
// exponent, with significands at their ends and drawn ones.
std::vector<uint64_t> PatternsOf(aclDataType dtype, Random& random) {
  const size_t bits = 8 * ElementBytes(dtype);
  std::vector<uint64_t> patterns;
  if (bits <= 16) {
    const int64_t all = int64_t{1} << bits;
    const int64_t step = all / std::min(all, std::max<int64_t>(256, SampleSize(all)));
    for (int64_t pattern = random.Below(step); pattern < all; pattern += step)
      patterns.push_back(static_cast<uint64_t>(pattern));
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
  return patterns;
}

// Twice one after the other, the second time some elements further on: so that an operator that takes its operands from
// two halves of a tensor finds each pattern in each half.
void FillWithPatterns(const TensorSpec& tensor, const std::vector<uint64_t>& patterns) {
  const size_t size = ElementBytes(PartDtype(tensor.dtype));
  std::vector<std::byte> block = calls::ReadBlock(tensor);
  for (size_t i = 0; i * size < block.size(); ++i) {
    const size_t at = i < patterns.size() ? i : i + 512;
    std::memcpy(&block[i * size], &patterns[at % patterns.size()], size);
  }
  EXPECT_EQ(aclrtMemcpy(tensor.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

// A call whose operand number `index` is not broadcast from fewer elements than the shape has.
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

TEST_P(OperatorConformance, IsRightForEveryMixOfDtypes) {
  Random random;
  for (const Dtypes& dtypes : DtypesOf(entry())) {
    for (const Dims& shape : {Dims{}, {3, 40}, {700}}) {
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
  for (const Dtypes& dtypes : PairwiseDtypesOf(entry())) {
    for (const Dims& shape : {Dims{0}, {3, 0}, {0, 4}, {2, 0, 3}}) {
      Call call = DrawCall(entry(), shape, dtypes, random);
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      ExpectConformance(call);
      if (HasFailure()) return;
    }
  }
}

// Ordinary values; the narrow formats are rounded once, so that nearly all results are the nearest.
TEST_P(OperatorConformance, RoundsNarrowResultsOnce) {
  Random random;
  const std::vector<Dtypes>& all = PairwiseDtypesOf(entry());
  const auto share = static_cast<int64_t>(std::max<size_t>(1, all.size() / 8));  // where there are many mixes
  for (const Dtypes& dtypes : all) {
    for (const Dims& shape : {Dims{std::max<int64_t>(4, SampleSize(60) / share), 997},
                              {std::max<int64_t>(600, SampleSize(9000) / share), 7}}) {
      Call call = DrawCall(entry(), shape, dtypes, random);
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      EXPECT_LE(ExpectConformance(call), 1) << DescribeCall(call);
      if (HasFailure()) return;
    }
  }
}

TEST_P(OperatorConformance, IsRightForEveryPatternOfEachInput) {
  Random random;
  const std::vector<Dtypes>& all = PairwiseDtypesOf(entry());
  Call any = calls::MakeValidCall(entry());
  const size_t operands = OperandsOf(any).size();
  constexpr int64_t kTurns = 64;  // no fewer than attributes have edges; slow builds share these out among inputs
  const auto most_turns = static_cast<size_t>(SampleSize(kTurns));
  size_t first = 0;
  for (size_t index = 0; index < operands; ++index) {
    if (OperandsOf(any)[index].is_written) continue;
    std::set<aclDataType> dtypes_of_operand;
    for (const Dtypes& dtypes : all)
      SetDtypes(any, dtypes), dtypes_of_operand.insert(OperandsOf(any)[index].tensor->dtype);
    for (const aclDataType dtype : dtypes_of_operand) {
      std::vector<Dtypes> mixes;
      for (const Dtypes& dtypes : all) {
        SetDtypes(any, dtypes);
        if (OperandsOf(any)[index].tensor->dtype == dtype) mixes.push_back(dtypes);
      }
      const std::vector<uint64_t> patterns = PatternsOf(PartDtype(dtype), random);
      const auto rows = static_cast<int64_t>(2 * patterns.size() / 1024 + 1);
      bool has_attributes = calls::SetSpecialAttributes(any, first);
      const size_t turns = std::min(mixes.size(), static_cast<size_t>(std::max<int64_t>(1, SampleSize(4))));
      for (size_t turn = 0; turn < most_turns && (turn < turns || has_attributes); ++turn) {
        const Dtypes& mix = mixes[(turn * mixes.size() / turns + static_cast<size_t>(dtype)) % mixes.size()];
        Call call = DrawFullCall(entry(), {rows, 1024}, mix, index, random);
        has_attributes = has_attributes && calls::SetSpecialAttributes(call, first + turn);
        call.AllocateData();
        calls::DrawContents(call, random, turn % 2 == 0 ? 0 : 0.3);
        FillWithPatterns(*OperandsOf(call)[index].tensor, patterns);
        ExpectConformance(call);
        if (HasFailure()) return;
      }
      if (SampleSize(kTurns) < kTurns) first += most_turns;
    }
  }
}

// Rows that are short, so that special values do not decide all of them.
TEST_P(OperatorConformance, IsRightForSpecialValuesSideBySide) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  const Dims shapes[] = {
      {SampleSize(8192), 2}, {SampleSize(4001), 3}, {SampleSize(16001)}, {SampleSize(4000), 4}, {SampleSize(16000), 1}};
  bool has_attributes = true;
  for (size_t turn = 0; turn < std::max(std::size(shapes), dtypes.size()) || has_attributes; ++turn) {
    Call call = DrawCall(entry(), shapes[turn % std::size(shapes)], dtypes[turn % dtypes.size()], random);
    has_attributes = calls::SetSpecialAttributes(call, turn);
    call.AllocateData();
    calls::DrawContents(call, random, turn % 3 == 0 ? 0.2 : 1);
    ExpectConformance(call);
    if (HasFailure()) return;
  }
  for (int64_t n = 1; n <= 67; ++n) {  // in the tails of registers, too
    Call call = DrawCall(entry(), {n}, dtypes[static_cast<size_t>(n) % dtypes.size()], random);
    call.AllocateData();
    calls::DrawContents(call, random, 0.7);
    ExpectConformance(call);
    if (HasFailure()) return;
  }
}

}  // namespace portacl::testing
