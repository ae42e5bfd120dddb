// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and how rows of weights are drawn from. One thread draws from a row.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "base/dtype.h"
#include "base/status.h"
#include "base/target.h"
#include "loops/elements/conversion.h"
#include "loops/reductions/records.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/scratch.h"
#include "ops/generator/sample/permutation.h"
#include "ops/generator/sample/sample_lanes.h"
#include "ops/generator/sample/sample_spec.h"

namespace portacl::ops::sample {
namespace {

using loops::ScratchPart;
using loops::moves::StreamSource;

// A number is found among this many sums by comparing it with one after the other.
constexpr int64_t kFewSums = 8;

// Without replacement, the smallest keys are drawn. A record has the first half of a key, which is positive and so has
// the order of its bits, and the index.
using Record = loops::reductions::ShortRecord;

// All records are sorted unless at most one in 64 is drawn.
constexpr int64_t kMostOfFew = 64;

// The rows of an operand of one or two axes; strides in bytes.
struct RowsOf {
  explicit RowsOf(const exec::PlanBuilder& plan, int number) : operand(number) {
    const View& view = plan.OperandView(number);
    const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
    columns = view.shape[view.rank - 1];
    stride = view.step(view.rank - 1) * bytes;
    row_stride = view.rank == 1 ? 0 : view.step(0) * bytes;
  }
  int operand;
  int64_t columns;
  int64_t stride;
  int64_t row_stride;
};

struct SamplePlan {
  const char* api;
  StreamSource source;
  SampleFunctions functions;
  const loops::Conversion* conversion;
  RowsOf self;
  RowsOf out;
  int64_t rows;
  int64_t bytes;  // of a weight
  bool replaces;
  int64_t slices;  // a power of two; 0: sums are searched as a whole
  bool serial;
  ScratchPart<std::byte> elements;
  ScratchPart<double> weights;
  ScratchPart<int32_t> places;
  ScratchPart<Record> records;
  int64_t scratch_bytes;
};

struct SampleTask {
  const SamplePlan& plan;
  const Stream stream;
  const std::byte* const self;
  std::byte* const out;

  // Calls f(number, i) for `count` random numbers of the stream, from the one numbered `first` on.
  template <class F>
  void ForNumbers(decltype(SampleFunctions::uniform) draw, int64_t first, int64_t count, const F& f) const {
    double numbers[kBlock];
    const int64_t skipped = first % 2;
    for (int64_t at = -skipped; at < count; at += kBlock) {
      draw(stream, first + at, numbers);
      for (int64_t i = std::max<int64_t>(at, 0); i < std::min(at + kBlock, count); ++i) f(numbers[i - at], i);
    }
  }

  void Store(int64_t row, int64_t sample, int64_t index) const {
    std::memcpy(out + row * plan.out.row_stride + sample * plan.out.stride, &index, sizeof(index));
  }

  // The weights of a row in float64.
  double* Load(int64_t row, std::byte* scratch) const {
    const int64_t n = plan.self.columns;
    const std::byte* from = self + row * plan.self.row_stride;
    double* const weights = plan.weights.In(scratch);
    if (plan.self.stride != plan.bytes) {
      std::byte* const elements = plan.elements.In(scratch);
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(elements + i * plan.bytes, from + i * plan.self.stride, static_cast<size_t>(plan.bytes));
      from = elements;
    }
    if (plan.conversion->steps == 0) {
      std::memcpy(weights, from, static_cast<size_t>(n) * sizeof(double));
    } else {
      loops::Convert(*plan.conversion, from, reinterpret_cast<std::byte*>(weights), n);
    }
    return weights;
  }

  // Where the sums exceed each multiple of sum / slices: a number between two of them is found between their places.
  void FindSlices(const double* sums, int32_t* places) const {
    const int64_t n = plan.self.columns;
    const double sum = sums[n - 1], share = 1 / static_cast<double>(plan.slices);
    int64_t at = 0;
    for (int64_t slice = 0; slice <= plan.slices; ++slice) {
      const double least = static_cast<double>(slice) * share * sum;
      while (at < n && sums[at] <= least) ++at;
      places[slice] = static_cast<int32_t>(at);
    }
  }

  void DrawWithReplacement(int64_t row, const double* sums, int32_t* places) const {
    const double* const end = sums + plan.self.columns;
    const double sum = end[-1];
    const int64_t samples = plan.out.columns, slices = plan.slices;
    if (slices > 0) FindSlices(sums, places);
    ForNumbers(plan.functions.uniform, row * samples, samples, [&](double u, int64_t sample) {
      const double drawn = u * sum;
      const double *found = sums, *last = end;
      if (slices > 0) {
        const auto slice = static_cast<int64_t>(u * static_cast<double>(slices));
        found = sums + places[slice];
        last = sums + places[slice + 1];
      }
      if (last - found > kFewSums || drawn >= sum) [[unlikely]] {
        found = std::upper_bound(found, last, drawn);
        // The product may be rounded to the sum.
        if (found == end) found = std::lower_bound(sums, end, sum);
      } else {
        found += *found <= drawn ? 1 : 0;
        while (*found <= drawn) ++found;
      }
      Store(row, sample, found - sums);
    });
  }

  // Keys replace the weights. False when fewer weights are positive.
  bool DrawWithoutReplacement(int64_t row, double* weights, Record* records) const {
    const int64_t n = plan.self.columns, samples = plan.out.columns;
    int64_t count = 0;
    ForNumbers(plan.functions.exponential, row * n, n, [&](double number, int64_t i) {
      if (!(weights[i] > 0)) return;
      weights[i] = number / weights[i];
      records[count++] = Record(std::bit_cast<uint64_t>(weights[i]) >> 32, static_cast<uint64_t>(i));
    });
    if (count < samples) return false;
    const auto is_less = [weights](const Record& one, const Record& other) {
      if (one.rank() != other.rank()) return one.rank() < other.rank();
      return std::pair(weights[one.place()], one.place()) < std::pair(weights[other.place()], other.place());
    };
    const Record* sorted = records;
    if (samples <= count / kMostOfFew) {
      std::partial_sort(records, records + samples, records + count, is_less);
    } else {
      sorted = Sort(records, records + n, count, is_less);
    }
    for (int64_t sample = 0; sample < samples; ++sample) Store(row, sample, sorted[sample].place());
    return true;
  }

  // Sorts records by their ranks, and those of one rank as a whole.
  template <class Less>
  static Record* Sort(Record* records, Record* others, int64_t n, const Less& is_less) {
    Record* const sorted = loops::reductions::SortRecords<sizeof(uint32_t)>(records, others, n);
    for (int64_t begin = 0, end; begin < n; begin = end) {
      for (end = begin + 1; end < n && sorted[end].rank() == sorted[begin].rank();) ++end;
      if (end - begin > 1) std::sort(sorted + begin, sorted + end, is_less);
    }
    return sorted;
  }

  // False when the weights do not allow it; the row is then 0.
  bool Draw(int64_t row, std::byte* scratch) const {
    double* const weights = Load(row, scratch);
    double sum = 0;
    bool good = true;
    // With replacement, running sums replace the weights.
    for (int64_t i = 0; i < plan.self.columns; ++i) {
      const double weight = weights[i];
      good &= weight >= 0;
      sum += weight;
      weights[i] = plan.replaces ? sum : weight;
    }
    good = good && sum > 0 && std::isfinite(sum);
    if (good && plan.replaces) DrawWithReplacement(row, weights, plan.places.In(scratch));
    if (good && !plan.replaces) good = DrawWithoutReplacement(row, weights, plan.records.In(scratch));
    for (int64_t sample = 0; !good && sample < plan.out.columns; ++sample) Store(row, sample, 0);
    return good;
  }
};

int32_t RunSamples(const exec::RunContext& context) {
  const auto& plan = context.Parameters<SamplePlan>();
  const SampleTask task{plan, plan.source.In(context), context.Address(plan.self.operand),
                        context.Address(plan.out.operand)};
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> refused{kNone};  // the first row
  loops::ForEachChunk({.count = plan.rows, .is_serial = plan.serial, .scratch_bytes = plan.scratch_bytes},
                      [&](int64_t row, std::byte* scratch) {
                        if (task.Draw(row, scratch)) return;
                        int64_t before = refused.load(std::memory_order_relaxed);
                        while (row < before && !refused.compare_exchange_weak(before, row)) {
                        }
                      });
  if (refused == kNone) return 0;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION,
               "{}: argument 'self': expected weights that are finite and not negative, {}, got others in row {}",
               plan.api, plan.replaces ? "one of them positive" : fmt::format("{} of them positive", plan.out.columns),
               refused.load());
}

void PlanMultinomial(exec::PlanBuilder& plan) {
  const int self = plan.Input("self"), out = plan.Output("out");
  const View& view = plan.OperandView(self);
  SamplePlan samples{.api = plan.schema().api,
                     .source = StreamSource(plan),
                     .functions = FunctionsFor(ActiveTarget()),
                     .conversion = &loops::ConversionOf(view.dtype, ACL_DOUBLE),
                     .self = RowsOf(plan, self),
                     .out = RowsOf(plan, out),
                     .rows = view.rank == 1 ? 1 : view.shape[0],
                     .bytes = static_cast<int64_t>(ElementBytes(view.dtype)),
                     .replaces = plan.Attribute<bool>("replacement"),
                     .slices = 0,
                     .serial = loops::MustBeSerial(plan, out),
                     .elements = {},
                     .weights = {},
                     .places = {},
                     .records = {},
                     .scratch_bytes = 0};
  // To find slices costs about as much as to search for an eighth as many numbers.
  if (samples.replaces && 8 * samples.out.columns >= samples.self.columns)
    samples.slices = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(samples.self.columns)));
  loops::ScratchLayout layout;
  samples.elements =
      layout.Add<std::byte>(samples.self.stride == samples.bytes ? 0 : samples.self.columns * samples.bytes);
  samples.weights = layout.Add<double>(samples.self.columns);
  samples.places = layout.Add<int32_t>(samples.slices == 0 ? 0 : samples.slices + 1);
  samples.records = layout.Add<Record>(samples.replaces ? 0 : 2 * samples.self.columns);
  samples.scratch_bytes = layout.bytes();
  plan.ForbidInPlace(self);
  constexpr double kNsPerWeight = 3, kNsPerSample = 20, kMostNs = 1e18;
  const double ns = static_cast<double>(samples.rows) * (static_cast<double>(samples.self.columns) * kNsPerWeight +
                                                         static_cast<double>(samples.out.columns) * kNsPerSample);
  plan.Run(RunSamples, samples, static_cast<int64_t>(std::min(ns, kMostNs)));
}

constexpr exec::PlanFunction PlanMultinomialTensor = PlanMultinomial;
constexpr exec::PlanFunction PlanRandperm = PlanPermutation;
constexpr exec::PlanFunction PlanRandpermTensor = PlanPermutation;

}  // namespace

}  // namespace portacl::ops::sample

#include "ops/generator/sample/sample_functions.inc"
