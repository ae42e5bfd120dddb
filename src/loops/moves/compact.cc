// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/compact.h"

#include <algorithm>
#include <cstring>

#include "acl/error_codes/rt_error_codes.h"
#include "base/dtype.h"
#include "base/status.h"
#include "base/target.h"
#include "loops/elements/conversion.h"
#include "loops/moves/nonzero_bits.h"
#include "loops/tiles/chunks.h"

namespace portacl::loops::moves {
namespace {

// Time per element on one core: where few elements are found, and for each that is.
constexpr double kTestNs = 0.1;
constexpr double kFoundNs = 1;

int64_t CostOf(const Tested& tested) {
  return CostNs(tested.elements.count(), tested.elements.bytes(), kTestNs + kFoundNs / 2);
}

constexpr int64_t kPositionsBytes = (NonzeroBits::kPiece + kPositionsSlack) * static_cast<int64_t>(sizeof(uint32_t));

uint64_t SignificantBits(aclDataType dtype) {
  const size_t bits = 8 * ElementBytes(dtype);
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  const bool has_sign = FindDtype(dtype)->kind == DtypeKind::kFloating;
  return has_sign ? all >> 1 : all;
}

struct NonzeroPlan {
  Tested self;
  int out;
  int rank;
  bool is_transposed;
  int64_t shape[kMaxRank];
};

// The coordinates of elements whose numbers grow.
class Coordinates {
 public:
  explicit Coordinates(const NonzeroPlan& plan) : plan_(plan), columns_(plan.shape[plan.rank - 1]) {}

  // Stores them `step` apart.
  void Store(int64_t number, int64_t step, int64_t* to) {
    if (number >= end_) StartRow(number);
    for (int axis = 0; axis + 1 < plan_.rank; ++axis) to[axis * step] = row_[axis];
    to[(plan_.rank - 1) * step] = number - (end_ - columns_);
  }

 private:
  void StartRow(int64_t number) {
    if (end_ != 0 && number < end_ + columns_) {  // the next row
      end_ += columns_;
      for (int axis = plan_.rank - 1; axis-- > 0 && ++row_[axis] == plan_.shape[axis];) row_[axis] = 0;
      return;
    }
    int64_t row = number / columns_;
    end_ = (row + 1) * columns_;
    for (int axis = plan_.rank - 1; axis-- > 0; row /= plan_.shape[axis]) row_[axis] = row % plan_.shape[axis];
  }

  const NonzeroPlan& plan_;
  const int64_t columns_;
  int64_t end_ = 0;  // the number of the element after the row
  int64_t row_[kMaxRank] = {};
};

int32_t RunNonzero(const exec::RunContext& context) {
  const auto& plan = context.Parameters<NonzeroPlan>();
  const NonzeroBits found(plan.self, context);
  const int64_t dims[] = {plan.is_transposed ? plan.rank : found.count(),
                          plan.is_transposed ? found.count() : plan.rank};
  if (const int32_t status = context.SetShape(plan.out, dims)) return status;
  if (plan.rank == 0 || found.count() == 0) return 0;
  auto* const out = reinterpret_cast<int64_t*>(context.Address(plan.out));
  const CompactLanes lanes = CompactLanesOf(1, ActiveTarget());
  found.ForEachPiece(false, kPositionsBytes, [&](const NonzeroBits::Piece& piece, std::byte* scratch) {
    auto* const positions = reinterpret_cast<uint32_t*>(scratch);
    found.Positions(piece, positions);
    if (plan.rank == 1) return lanes.widen(positions, piece.count, piece.begin, out + piece.before);
    const int64_t step = plan.is_transposed ? found.count() : 1;
    int64_t* to = out + piece.before * (plan.is_transposed ? 1 : plan.rank);
    Coordinates coordinates(plan);
    for (int64_t i = 0; i < piece.count; ++i) {
      coordinates.Store(piece.begin + positions[i], step, to);
      to += plan.is_transposed ? 1 : plan.rank;
    }
  });
  return 0;
}

struct SelectPlan {
  Tested mask;
  Sequence self;
  int self_operand;
  int out;
  const Conversion* conversion;
};

int32_t RunSelect(const exec::RunContext& context) {
  const auto& plan = context.Parameters<SelectPlan>();
  const NonzeroBits found(plan.mask, context);
  const int64_t dims[] = {found.count()};
  if (const int32_t status = context.SetShape(plan.out, dims)) return status;
  if (found.count() == 0) return 0;
  const std::byte* const self = context.Address(plan.self_operand);
  std::byte* const out = context.Address(plan.out);
  const Conversion& conversion = *plan.conversion;
  const int64_t out_bytes = conversion.bytes[conversion.steps];
  const CompactLanes lanes = CompactLanesOf(plan.self.bytes(), ActiveTarget());
  ScratchLayout layout;
  const auto copied = layout.Add<std::byte>(plan.self.IsContiguous() ? 0 : NonzeroBits::kPiece * plan.self.bytes());
  const auto selected = layout.Add<std::byte>(conversion.steps == 0 ? 0 : NonzeroBits::kPiece * plan.self.bytes());
  found.ForEachPiece(false, layout.bytes(), [&](const NonzeroBits::Piece& piece, std::byte* scratch) {
    const std::byte* const elements = plan.self.Read(self, piece.begin, piece.size, copied.In(scratch));
    std::byte* const to = out + piece.before * out_bytes;
    if (conversion.steps == 0) return lanes.compress(elements, piece.bits, piece.size, piece.count, to);
    lanes.compress(elements, piece.bits, piece.size, piece.count, selected.In(scratch));
    Convert(conversion, selected.In(scratch), to, piece.count);
  });
  return 0;
}

struct MaskedScatterPlan {
  Tested mask;
  Sequence self;
  Sequence source;
  int self_operand;
  int source_operand;
  bool is_serial;
  const char* api;
};

template <class T>
void ScatterPiece(const uint32_t* positions, int64_t n, int64_t begin, const std::byte* source, const Sequence& self,
                  std::byte* to) {
  if (self.IsContiguous()) {
    auto* const out = reinterpret_cast<T*>(to) + begin;
    for (int64_t i = 0; i < n; ++i) out[positions[i]] = reinterpret_cast<const T*>(source)[i];
    return;
  }
  Sequence::Walk walk(self);
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(to + walk.PlaceOf(begin + positions[i]), source + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
}

int32_t RunMaskedScatter(const exec::RunContext& context) {
  const auto& plan = context.Parameters<MaskedScatterPlan>();
  const NonzeroBits found(plan.mask, context);
  const std::byte* const source = context.Address(plan.source_operand);
  std::byte* const self = context.Address(plan.self_operand);
  const auto scatter = plan.self.bytes() == 1   ? ScatterPiece<uint8_t>
                       : plan.self.bytes() == 2 ? ScatterPiece<uint16_t>
                       : plan.self.bytes() == 4 ? ScatterPiece<uint32_t>
                                                : ScatterPiece<uint64_t>;
  ScratchLayout layout;
  const auto positions = layout.Add<uint32_t>(NonzeroBits::kPiece + kPositionsSlack);
  const auto copied = layout.Add<std::byte>(plan.source.IsContiguous() ? 0 : NonzeroBits::kPiece * plan.self.bytes());
  found.ForEachPiece(plan.is_serial, layout.bytes(), [&](const NonzeroBits::Piece& piece, std::byte* scratch) {
    const int64_t n = std::min(piece.count, plan.source.count() - piece.before);
    if (n <= 0) return;
    found.Positions(piece, positions.In(scratch));
    scatter(positions.In(scratch), n, piece.begin, plan.source.Read(source, piece.before, n, copied.In(scratch)),
            plan.self, self);
  });
  if (found.count() <= plan.source.count()) return 0;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'source': expected at least {} elements, got {}", plan.api,
               found.count(), plan.source.count());
}

}  // namespace

Tested::Tested(const exec::PlanBuilder& plan, int number, std::span<const int64_t> shape)
    : operand(number),
      elements(plan.OperandView(number), shape),
      significant(SignificantBits(plan.OperandView(number).dtype)) {}

NonzeroBits::NonzeroBits(const Tested& tested, const exec::RunContext& context)
    : lanes_(CompactLanesOf(tested.elements.bytes(), ActiveTarget())),
      elements_(tested.elements.count()),
      blocks_(CeilDivide(elements_, kBlock)),
      bits_(blocks_ * kBlock / 8 + kBitsSlackBytes),
      before_(blocks_ * static_cast<int64_t>(sizeof(int64_t))) {
  const std::byte* const from = context.Address(tested.operand);
  const int64_t copied = tested.elements.IsContiguous() ? 0 : kPiece * tested.elements.bytes();
  ForEachChunk({.count = blocks_, .scratch_bytes = copied}, [&](int64_t block, std::byte* scratch) {
    const int64_t end = std::min(elements_, (block + 1) * kBlock);
    int64_t found = 0;
    for (int64_t begin = block * kBlock; begin < end; begin += kPiece) {
      const int64_t n = std::min(kPiece, end - begin);
      uint8_t* const bits = bits_.As<uint8_t>() + begin / 8;
      if (n < kPiece) std::memset(bits, 0, kPiece / 8);
      lanes_.test(tested.elements.Read(from, begin, n, scratch), n, tested.significant, bits);
      found += lanes_.count(bits, kPiece);
    }
    before_.As<int64_t>()[block] = found;
  });
  for (int64_t block = 0; block < blocks_; ++block) {
    const int64_t found = before_.As<int64_t>()[block];
    before_.As<int64_t>()[block] = count_;
    count_ += found;
  }
}

inline namespace v1 {

void Nonzero(exec::PlanBuilder& plan, int self, int out, bool is_transposed) {
  const View& view = plan.OperandView(self);
  NonzeroPlan parameters{.self = Tested(plan, self, view.dims()),
                         .out = out,
                         .rank = view.rank,
                         .is_transposed = is_transposed,
                         .shape = {}};
  std::ranges::copy(view.dims(), parameters.shape);
  plan.ForbidInPlace(self);
  plan.Run(RunNonzero, parameters, CostOf(parameters.self));
}

void SelectMasked(exec::PlanBuilder& plan, int self, int mask, int out) {
  const View& view = plan.OperandView(self);
  Shape shape{view.rank, {}};
  std::ranges::copy(view.dims(), shape.dims);
  BroadcastWith(&shape, plan.OperandView(mask).dims());
  const SelectPlan parameters{.mask = Tested(plan, mask, shape.span()),
                              .self = Sequence(view, shape.span()),
                              .self_operand = self,
                              .out = out,
                              .conversion = &ConversionOf(view.dtype, plan.OperandView(out).dtype)};
  plan.ForbidInPlace(self);
  plan.ForbidInPlace(mask);
  plan.Run(RunSelect, parameters, CostOf(parameters.mask));
}

void ScatterMasked(exec::PlanBuilder& plan, int self, int mask, int source) {
  const View& to = plan.OperandView(self);
  const View& from = plan.OperandView(source);
  const MaskedScatterPlan parameters{.mask = Tested(plan, mask, to.dims()),
                                     .self = Sequence(to, to.dims()),
                                     .source = Sequence(from, from.dims()),
                                     .self_operand = self,
                                     .source_operand = source,
                                     .is_serial = MayOverlapItself(to),
                                     .api = plan.schema().api};
  plan.ForbidInPlace(mask);
  plan.ForbidInPlace(source);
  plan.Run(RunMaskedScatter, parameters, CostOf(parameters.mask));
}

}  // namespace v1
}  // namespace portacl::loops::moves
