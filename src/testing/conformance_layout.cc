// SPDX-License-Identifier: Apache-2.0
// Views, shared memory, guard pages and threads: no result depends on where elements are in memory or on which thread
// computes them, and no other memory is touched.
#include <algorithm>
#include <limits>
#include <numeric>

#include "calls/element.h"
#include "calls/views.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"

namespace portacl::testing {
namespace {

using calls::Call;
using calls::Dims;
using calls::TensorSpec;

// The memory layout of an operand.
enum class Layout { kContiguous, kTransposed, kPadded, kStepped, kPermuted, kRepeatedRows, kRepeatedElement };
constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kTransposed,   Layout::kPadded,         Layout::kStepped,
                               Layout::kPermuted,   Layout::kRepeatedRows, Layout::kRepeatedElement};

// Strides for axes in this order, the innermost last; `step` between adjacent elements, `gap` elements after each axis.
Dims StridesInOrder(const Dims& shape, const std::vector<size_t>& order, int64_t step, int64_t gap) {
  Dims strides(shape.size());
  for (size_t i = order.size(); i-- > 0;) {
    const size_t axis = order[i];
    // If there is no second element, the stride may be any value, even one that overflows an address.
    strides[axis] = shape[axis] > 1 || gap == 0 ? step : std::numeric_limits<int64_t>::max();
    step = step * std::max<int64_t>(shape[axis], 1) + gap;
  }
  return strides;
}

void SetLayout(const Operand& operand, Layout layout) {
  if (operand.is_data_dependent) layout = Layout::kContiguous;
  TensorSpec& tensor = *operand.tensor;
  const Dims& shape = tensor.shape;
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  tensor.strides.reset();
  tensor.offset = 0;
  switch (layout) {
    case Layout::kContiguous:
      break;
    case Layout::kTransposed:
      std::reverse(order.begin(), order.end());
      tensor.strides = StridesInOrder(shape, order, 1, 0);
      break;
    case Layout::kPadded:
      tensor.strides = StridesInOrder(shape, order, 1, 4);
      tensor.offset = 2;
      break;
    case Layout::kStepped:
      tensor.strides = StridesInOrder(shape, order, 2, 1);
      tensor.offset = 1;
      break;
    case Layout::kPermuted:
      if (order.size() > 1) std::rotate(order.begin(), order.begin() + 1, order.end());
      tensor.strides = StridesInOrder(shape, order, 3, 0);
      break;
    case Layout::kRepeatedRows:
      tensor.strides = StridesInOrder(shape, order, 1, 0);
      if (!shape.empty()) tensor.strides->front() = 0;
      break;
    case Layout::kRepeatedElement:
      tensor.strides = StridesInOrder(shape, order, 1, 0);
      if (!shape.empty()) tensor.strides->back() = 0;
      break;
  }
}

bool Repeats(Layout layout) { return layout == Layout::kRepeatedRows || layout == Layout::kRepeatedElement; }

// A call with the widest dtypes, and enough elements for several threads.
Call DrawCallOfSomeChunks(const exec::OperatorEntry& entry, Random& random) {
  constexpr int64_t kBytes = 512 << 10;
  constexpr int64_t kColumns = 1049;
  const Dtypes* widest = nullptr;
  int64_t most = 0;
  for (const Dtypes& dtypes : PairwiseDtypesOf(entry)) {
    Call call = calls::MakeValidCall(entry);
    SetDtypes(call, dtypes);
    int64_t bytes = 0;
    for (const TensorSpec* tensor : call.Tensors()) bytes += static_cast<int64_t>(calls::ElementBytes(tensor->dtype));
    if (bytes > most) widest = &dtypes, most = bytes;
  }
  return DrawCall(entry, {kBytes / (most * kColumns) + 1, kColumns}, *widest, random);
}

void ExpectConformanceInItsViews(Call& call, Random& random) {
  call.AllocateData();
  calls::DrawContents(call, random, 0);
  ExpectConformance(call);
}

}  // namespace

// Over the rounds each operand has each layout, combined with changing layouts of the others.
TEST_P(OperatorConformance, TakesEveryLayoutOfEveryOperand) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  const Dims shapes[] = {{},
                         {5},
                         {3, 5},
                         {40, 33},
                         {100, 7},
                         {2, 300},
                         {150, 71},
                         {4, 5, 6, 7},
                         {3, 1, 4},
                         {2, 3, 2, 1, 3},
                         {2, 3, 1, 2, 3, 2},
                         {2, 1, 3, 2, 1, 2, 2},
                         {2, 3, 2, 1, 2, 3, 1, 2}};
  size_t turn = 0;
  do {
    // A brief test skips four of five, a slow one two of three, but no layout and no shape.
    for (size_t at = 0; at < std::size(kLayouts) * std::size(shapes); at += IsBrief() ? 5 : testing::OneOf(3)) {
      const Dims& shape = shapes[at / std::size(kLayouts)];
      const size_t round = at % std::size(kLayouts);
      Call call = DrawCall(entry(), shape, Spread(dtypes, turn++), random);
      for (size_t i = 0; const Operand& operand : OperandsOf(call)) {
        const Layout layout = kLayouts[(round + i++ * turn) % std::size(kLayouts)];
        SetLayout(operand, operand.is_written && Repeats(layout) ? Layout::kStepped : layout);
      }
      ExpectConformanceInItsViews(call, random);
      if (HasFailure()) return;
    }
  } while (turn < dtypes.size() && !IsBrief());
}

TEST_P(OperatorConformance, TakesDrawnViews) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  const size_t draws = IsBrief() ? 16 : std::max<size_t>(kTestsAreSlow ? 20 : 60, dtypes.size());
  for (size_t i = 0; i < draws && !HasFailure(); ++i) {
    Call call = calls::MakeValidCall(entry(), &random);
    SetDtypes(call, Spread(dtypes, i));
    calls::DrawAttributes(call, random, 0);
    calls::DrawViews(call, random);
    ExpectConformanceInItsViews(call, random);
  }
}

// Every other call has a large shape, for complete tiles and long rows.
TEST_P(OperatorConformance, TakesOperandsAtAnyAddress) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  const Dims large[] = {{333}, {40, 33}, {3, 200}};
  const size_t draws = IsBrief() ? 12 : std::max<size_t>(kTestsAreSlow ? 20 : 40, dtypes.size());
  for (size_t i = 0; i < draws && !HasFailure(); ++i) {
    Call call = i % 2 == 0 ? DrawCall(entry(), large[i / 2 % std::size(large)], Spread(dtypes, i), random)
                           : calls::MakeValidCall(entry(), &random);
    SetDtypes(call, Spread(dtypes, i));
    if (i % 4 != 0) calls::DrawViews(call, random);
    call.AllocateData();
    calls::DrawAddresses(call, random);
    calls::DrawContents(call, random, 0);
    ExpectConformance(call);
  }
}

TEST_P(OperatorConformance, LeavesOneOfTheRightValuesWhereElementsOfAnOutputShareAnAddress) {
  for (const exec::Arg& arg : entry().schema->args) {
    if (GetParam().is_row && arg.role == exec::Role::kInOut)
      GTEST_SKIP() << "an element would be read after it was written";
  }
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  for (size_t turn = 0; turn < (IsBrief() ? std::min<size_t>(3, dtypes.size()) : dtypes.size()); ++turn) {
    for (const Layout layout : {Layout::kRepeatedRows, Layout::kRepeatedElement}) {
      Call call = DrawCall(entry(), {50, 6}, Spread(dtypes, turn), random);
      for (const Operand& operand : OperandsOf(call)) {
        if (operand.is_written) SetLayout(operand, layout);
      }
      ExpectConformanceInItsViews(call, random);
      if (HasFailure()) return;
    }
  }
}

// Exactly the same view, where shapes and dtypes allow it, and views that start some elements before or after it; every
// other time at odd addresses.
TEST_P(OperatorConformance, ReadsEachInputBeforeAnOutputOverwritesIt) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  constexpr int64_t kShifts[] = {0, 1, 5, 64, -1, -5, -64};  // shift of the output
  constexpr Layout kOfBoth[] = {Layout::kContiguous, Layout::kStepped, Layout::kTransposed};
  size_t turn = 0;
  Call any = calls::MakeValidCall(entry());
  const size_t operands = OperandsOf(any).size();
  const size_t rounds = IsBrief() ? 1 : dtypes.size() / (3 * std::size(kShifts)) + 1;
  const Dims shapes[] = {{1}, {333}, {20, 34}};
  for (size_t at = 0; at < operands * operands * rounds; ++at) {
    const size_t pair = at % (operands * operands);
    for (size_t i = 0; i < std::size(shapes); ++i) {
      for (size_t j = 0; j < std::size(kShifts); ++j) {
        const int64_t shift = kShifts[j];
        if (IsBrief() && shift != 0 && j % std::size(shapes) != i) continue;
        Call call = DrawCall(entry(), shapes[i], Spread(dtypes, turn), random);
        const std::vector<Operand> all = OperandsOf(call);
        if (all.size() <= std::max(pair / operands, pair % operands)) continue;
        const Operand &in = all[pair / operands], &out = all[pair % operands];
        if (in.is_written || !out.is_written) continue;
        SetLayout(in, kOfBoth[turn % 3]);
        SetLayout(out, kOfBoth[shift == 0 ? turn % 3 : turn / 3 % 3]);
        ++turn;
        (shift > 0 ? out : in).tensor->offset += std::abs(shift);
        call.AllocateData();
        const auto bytes = [](const TensorSpec& tensor) {
          return static_cast<size_t>(calls::ViewExtent(tensor.shape, tensor.Strides(), tensor.offset)) *
                 calls::ElementBytes(tensor.dtype);
        };
        if (bytes(*in.tensor) == 0 || bytes(*out.tensor) == 0) continue;
        const size_t skipped = turn % 2;
        void* const block = call.AllocateBlock(std::max(bytes(*in.tensor), bytes(*out.tensor)) + skipped);
        in.tensor->data = out.tensor->data = static_cast<std::byte*>(block) + skipped;
        calls::DrawContents(call, random, 0);
        ExpectConformance(call);
        if (HasFailure()) return;
      }
    }
  }
}

// Memory that was not allocated by aclrtMalloc is used as it is.
TEST_P(OperatorConformance, TouchesNothingBesideItsOperands) {
  Random random;
  const std::vector<Dtypes>& dtypes = PairwiseDtypesOf(entry());
  constexpr int64_t kLarger[] = {127, 128, 129, 255, 257, 515, 1000};
  size_t turn = 0;
  for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
    const auto check = [&](const Dims& shape, Layout layout) {
      if (HasFailure()) return;
      Call call = DrawCall(entry(), shape, Spread(dtypes, turn++), random);
      for (const Operand& operand : OperandsOf(call)) {
        SetLayout(operand, layout);
        operand.tensor->offset = 0;
      }
      ExpectConformanceAtGuard(call, side, random);
    };
    // A brief test distributes the sizes over the dtypes, and uses few sizes at the front, where fewer errors are
    // possible.
    for (int64_t n = 1; n <= 67; n += IsBrief() && side == GuardSide::kBegin ? 5 : 1) {
      for (int repeat = 0; repeat < (IsBrief() || kTestsAreSlow ? 1 : 3); ++repeat) check({n}, Layout::kContiguous);
      if (!IsBrief() || n % 4 == 0) check({n % 5 + 1, n}, Layout::kContiguous);
    }
    for (const int64_t n : kLarger) check({n}, Layout::kContiguous);
    const size_t mixes = IsBrief() ? std::min<size_t>(3, dtypes.size()) : dtypes.size();
    for (size_t i = 0; i < mixes; ++i) {
      for (const Layout layout : {Layout::kStepped, Layout::kTransposed, Layout::kPermuted}) check({3, 17}, layout);
      check({i % 2 == 0 ? 16 : 15}, Layout::kStepped);
    }
    for (const int64_t n : {1, 2, 16, 17, 1000}) check({n}, Layout::kStepped);
    // Random shapes and attributes, such as windows that skip parts of an image.
    for (int64_t i = Draws(40, 4); i > 0 && !HasFailure(); --i) {
      Call call = calls::MakeValidCall(entry(), &random);
      SetDtypes(call, Spread(dtypes, turn++));
      // If an input is empty, some operators leave other results unchanged (IsRightWithoutElements).
      const auto is_empty = [](const Operand& operand) { return calls::ElementCount(operand.tensor->shape) == 0; };
      if (std::ranges::any_of(OperandsOf(call), is_empty)) continue;
      ExpectConformanceAtGuard(call, side, random);
    }
  }
}

// Several chunks and a ragged end; larger than the size above which main() makes stores non-temporal.
TEST_P(OperatorConformance, AnyNumberOfThreadsGivesTheSameBits) {
  Random random;
  const std::vector<Dtypes>& all = PairwiseDtypesOf(entry());
  if (!GetParam().is_first_of_signature) {
    Call call = DrawCallOfSomeChunks(entry(), random);
    call.AllocateData();
    calls::DrawContents(call, random, 0);
    return ExpectConformanceOfThreads(call, {1, 3});
  }
  for (const Layout layout : {Layout::kContiguous, Layout::kTransposed}) {
    const auto mixes = static_cast<size_t>(std::max<int64_t>(1, SampleSize(IsBrief() ? 1 : 3)));
    for (size_t i = 0; i < mixes && i < all.size() && !HasFailure(); ++i) {
      Call call = DrawCall(entry(), {SampleSize(263), 1049}, all[i * all.size() / mixes], random);
      for (const Operand& operand : OperandsOf(call)) {
        if (!operand.is_written) SetLayout(operand, layout);
      }
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      ExpectConformanceOfThreads(call, {1, 2, 3, 8});
    }
  }
}

}  // namespace portacl::testing
