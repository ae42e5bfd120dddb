// SPDX-License-Identifier: Apache-2.0
//
// A row of results takes two vectorised steps. First the rows of the image that its windows cover are joined into one
// row, then neighbours within that row are joined. So a window of k by k costs 2 k joins, not k * k. Rows of other
// dtypes or strides are copied once, into a ring of as many rows as a window covers.
#include "loops/windows/windows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/elements/conversion.h"
#include "loops/moves/copy.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::windows {
namespace {

// The smallest amount of work that is worth another thread.
constexpr double kChunkNs = 50'000;

// Time on one core per element of a row, per result, and per row in addition.
constexpr double kJoinNs = 0.2;
constexpr double kSlideNs = 0.5;
constexpr double kRowNs = 60;

// A row has at most this many elements, of neighbouring channels, but at least this many channels.
constexpr int64_t kRowElements = 8192;
constexpr int64_t kFewestChannels = 16;

// The layout of images; strides are in bytes.
struct Images {
  Images() = default;
  Images(const exec::PlanBuilder& builder, int number) : operand(number) {
    const View view = moves::PlainView(builder, number);
    bytes = static_cast<int64_t>(ElementBytes(view.dtype));
    offset = (view.offset - builder.OperandView(number).offset) * bytes;
    if (view.rank == 4) batch_stride = view.strides[0] * bytes;
    channel_stride = view.strides[view.rank - 3] * bytes;
    row_stride = view.strides[view.rank - 2] * bytes;
    pixel_stride = view.strides[view.rank - 1] * bytes;
  }
  bool IsDense(int64_t pixels, int64_t lanes) const {
    const bool are_pixels_dense = pixels == 1 || pixel_stride == lanes * bytes;
    return are_pixels_dense && (lanes == 1 || channel_stride == bytes);
  }
  // A row, as a block of pixels and lanes.
  TileOperand RowAt(std::byte* base) const { return {base, pixel_stride, channel_stride}; }

  int operand = 0;
  int64_t offset = 0;
  int64_t bytes = 0;  // per element
  int64_t batch_stride = 0;
  int64_t channel_stride = 0;
  int64_t row_stride = 0;
  int64_t pixel_stride = 0;
};

struct PoolPlan {
  Pooling pooling;
  const WindowLanes* code = nullptr;
  const Conversion* load = nullptr;
  const Conversion* store = nullptr;
  int64_t element_bytes = 0;  // of the elements that are joined
  int64_t state_bytes = 0;    // of the joined states
  alignas(8) std::byte empty[8] = {};
  Images self;
  Images out;
  int64_t channels = 0;
  int64_t lanes = 1;
  int64_t blocks = 1;  // blocks of `lanes` channels
  int64_t rows_per_chunk = 1;
  int64_t chunks_per_image = 1;
  int64_t chunks = 1;
  bool is_serial = false;  // elements of the output share bytes
  int64_t ring_rows = 0;
  ScratchLayout layout = {};
  ScratchPart<std::byte> ring = {}, states = {}, results = {}, dense = {};
  ScratchPart<double> counts = {};
};

struct PoolTask {
  const PoolPlan& plan;
  std::byte* self;
  std::byte* out;
};

// The factor along one axis by which a mean is divided.
double CountOf(const Pooling& pooling, const WindowAxis& axis, int64_t after, int64_t place) {
  if (!pooling.counts_padding) return static_cast<double>(axis.Inside(place).size());
  const int64_t begin = place * axis.stride - axis.before;
  return static_cast<double>(std::min(begin + axis.kernel, axis.size + after) - begin);
}

// Computes neighbouring rows of results.
class PooledRows {
 public:
  PooledRows(const PoolTask& task, std::byte* scratch) : task_(task), plan_(task.plan), scratch_(scratch) {
    const WindowAxis& wide = plan_.pooling.wide;
    double* const counts = plan_.counts.In(scratch);
    for (int64_t x = 0; plan_.pooling.is_mean && x < wide.places; ++x)
      counts[x] = plan_.pooling.divisor != 0 ? 1 : CountOf(plan_.pooling, wide, plan_.pooling.after_wide, x);
  }

  void Run(int64_t chunk) {
    const int64_t image = chunk / plan_.chunks_per_image;
    const int64_t block = image % plan_.blocks, batch = image / plan_.blocks;
    const int64_t channel = block * plan_.lanes;
    lanes_ = std::min(plan_.lanes, plan_.channels - channel);
    self_ = task_.self + batch * plan_.self.batch_stride + channel * plan_.self.channel_stride;
    out_ = task_.out + batch * plan_.out.batch_stride + channel * plan_.out.channel_stride;
    loaded_ = 0;
    const int64_t first = chunk % plan_.chunks_per_image * plan_.rows_per_chunk;
    const int64_t end = std::min(first + plan_.rows_per_chunk, plan_.pooling.high.places);
    for (int64_t row = first; row < end; ++row) PoolRow(row);
  }

 private:
  const void* RowOfImage(int64_t row) {
    const WindowAxis& wide = plan_.pooling.wide;
    std::byte* const from = self_ + row * plan_.self.row_stride;
    const bool is_dense = plan_.self.IsDense(wide.size, lanes_);
    if (is_dense && plan_.load->steps == 0) return from;
    const int64_t elements = wide.size * lanes_;
    std::byte* const to =
        plan_.ring.In(scratch_) + row % plan_.ring_rows * wide.size * plan_.lanes * plan_.element_bytes;
    if (row < loaded_) return to;
    loaded_ = row + 1;
    std::byte* dense = plan_.load->steps == 0 ? to : plan_.dense.In(scratch_);
    if (is_dense)
      dense = from;
    else
      CopyRow(wide.size, plan_.self.RowAt(from), {dense, lanes_ * plan_.self.bytes, plan_.self.bytes});
    if (plan_.load->steps != 0) Convert(*plan_.load, dense, to, elements);
    return to;
  }

  void CopyRow(int64_t pixels, const TileOperand& from, const TileOperand& to) const {
    if (lanes_ > 1) return CopyBlock(plan_.self.bytes, pixels, lanes_, from, to);
    CopyBlock(plan_.self.bytes, 1, pixels, {from.base, 0, from.row_stride}, {to.base, 0, to.row_stride});
  }

  void PoolRow(int64_t row) {
    const Pooling& pooling = plan_.pooling;
    const WindowAxis& wide = pooling.wide;
    const WindowAxis::Range range = pooling.high.Inside(row);
    const int64_t elements = wide.places * lanes_;
    std::byte* const to = out_ + row * plan_.out.row_stride;
    const bool is_dense = plan_.out.IsDense(wide.places, lanes_);
    const bool is_direct = is_dense && plan_.store->steps == 0;
    std::byte* const results = is_direct ? to : plan_.results.In(scratch_);
    if (range.size() == 0) {
      for (int64_t i = 0; i < elements; ++i)
        std::memcpy(results + i * plan_.state_bytes, plan_.empty, static_cast<size_t>(plan_.state_bytes));
    } else {
      std::byte* const states = plan_.states.In(scratch_);
      JoinRows(range, states);
      plan_.code->slide(wide, lanes_, states, plan_.empty, results);
      const double rows = pooling.divisor != 0 ? static_cast<double>(pooling.divisor)
                                               : CountOf(pooling, pooling.high, pooling.after_high, row);
      plan_.code->finish(wide.places, lanes_, rows, plan_.counts.In(scratch_), results);
    }
    if (is_direct) return;
    std::byte* const dense = is_dense ? to : plan_.store->steps == 0 ? results : plan_.dense.In(scratch_);
    if (plan_.store->steps != 0) Convert(*plan_.store, results, dense, elements);
    if (!is_dense) CopyRow(wide.places, {dense, lanes_ * plan_.out.bytes, plan_.out.bytes}, plan_.out.RowAt(to));
  }

  // Joins some rows at a time, each time with the states of the rows before.
  void JoinRows(const WindowAxis::Range& range, std::byte* states) {
    constexpr int64_t kLot = 16;
    const int64_t elements = plan_.pooling.wide.size * lanes_;
    const void* rows[kLot];
    for (int64_t row = range.begin; row < range.end; row += kLot) {
      const int64_t count = std::min(kLot, range.end - row);
      for (int64_t i = 0; i < count; ++i) rows[i] = RowOfImage(row + i);
      plan_.code->join(rows, count, row != range.begin, states, elements);
    }
  }

  const PoolTask& task_;
  const PoolPlan& plan_;
  std::byte* scratch_;
  std::byte* self_ = nullptr;
  std::byte* out_ = nullptr;
  int64_t lanes_ = 1;
  int64_t loaded_ = 0;  // rows before this one are in the ring
};

int32_t RunPool(const exec::RunContext& context) {
  const PoolPlan& plan = context.Parameters<PoolPlan>();
  const PoolTask task{.plan = plan,
                      .self = context.Address(plan.self.operand) + plan.self.offset,
                      .out = context.Address(plan.out.operand) + plan.out.offset};
  RunChunks({.count = plan.chunks, .is_serial = plan.is_serial, .scratch_bytes = plan.layout.bytes()},
            [&](int64_t first, int64_t end, std::byte* scratch) {
              PooledRows rows(task, scratch);
              for (int64_t chunk = first; chunk < end; ++chunk) rows.Run(chunk);
            });
  return 0;
}

template <class T>
void SetEmpty(T value, PoolPlan* plan) {
  std::memcpy(plan->empty, &value, sizeof(value));
}

void SetKind(aclDataType dtype, PoolPlan* plan) {
  const bool is_long = dtype == ACL_INT32 || dtype == ACL_INT64;
  const bool is_mean = plan->pooling.is_mean;
  const WindowKind kind = is_mean ? WindowKind::kMean : is_long ? WindowKind::kLargestWhole : WindowKind::kLargest;
  const aclDataType element = is_long ? ACL_INT64 : ACL_FLOAT, state = is_mean ? ACL_DOUBLE : element;
  plan->code = &WindowLanesOf(kind, ActiveTarget());
  plan->load = &ConversionOf(dtype, element);
  plan->store = &ConversionOf(state, dtype);
  plan->element_bytes = static_cast<int64_t>(ElementBytes(element));
  plan->state_bytes = static_cast<int64_t>(ElementBytes(state));
  if (is_mean) return SetEmpty(0.0, plan);
  switch (dtype) {
    case ACL_INT8:
      return SetEmpty<float>(std::numeric_limits<int8_t>::min(), plan);
    case ACL_UINT8:
      return SetEmpty<float>(0, plan);
    case ACL_INT16:
      return SetEmpty<float>(std::numeric_limits<int16_t>::min(), plan);
    case ACL_INT32:
      return SetEmpty<int64_t>(std::numeric_limits<int32_t>::min(), plan);
    case ACL_INT64:
      return SetEmpty(std::numeric_limits<int64_t>::min(), plan);
    default:
      return SetEmpty(-std::numeric_limits<float>::infinity(), plan);
  }
}

void PlanScratch(PoolPlan* plan) {
  const WindowAxis &high = plan->pooling.high, &wide = plan->pooling.wide;
  const int64_t from = wide.size * plan->lanes, to = wide.places * plan->lanes;
  const bool is_direct = plan->load->steps == 0 && plan->self.IsDense(wide.size, plan->lanes);
  plan->ring_rows = std::min(high.kernel, high.size);
  plan->ring = plan->layout.Add<std::byte>(is_direct ? 0 : plan->ring_rows * from * plan->element_bytes);
  plan->states = plan->layout.Add<std::byte>(from * plan->state_bytes);
  plan->results = plan->layout.Add<std::byte>(to * plan->state_bytes);
  plan->dense = plan->layout.Add<std::byte>(std::max(from, to) * plan->self.bytes);
  plan->counts = plan->layout.Add<double>(plan->pooling.is_mean ? wide.places : 0);
}

}  // namespace

inline namespace v1 {

void PoolWindows(exec::PlanBuilder& builder, int self, int out, const Pooling& pooling) {
  const View& view = builder.OperandView(self);
  PoolPlan plan{.pooling = pooling, .self = Images(builder, self), .out = Images(builder, out)};
  SetKind(view.dtype, &plan);
  plan.channels = view.shape[view.rank - 3];
  if (plan.channels > 1 && plan.self.channel_stride < plan.self.pixel_stride)
    plan.lanes = std::min(plan.channels, std::max(kFewestChannels, kRowElements / pooling.wide.size));
  plan.blocks = CeilDivide(plan.channels, plan.lanes);
  PlanScratch(&plan);
  const auto joined = static_cast<double>(std::min(pooling.high.kernel, pooling.high.size) * pooling.wide.size);
  const auto slid = static_cast<double>(std::min(pooling.wide.kernel, pooling.wide.size) * pooling.wide.places);
  const double row_ns = kRowNs + static_cast<double>(plan.lanes) * (joined * kJoinNs + slid * kSlideNs);
  const auto rows = static_cast<int64_t>(kChunkNs / row_ns);
  plan.rows_per_chunk = std::clamp<int64_t>(rows, 1, pooling.high.places);
  plan.chunks_per_image = CeilDivide(pooling.high.places, plan.rows_per_chunk);
  const int64_t images = (view.rank == 4 ? view.shape[0] : 1) * plan.blocks;
  plan.chunks = images * plan.chunks_per_image;
  plan.is_serial = MayOverlapItself(builder.OperandView(out));
  builder.ForbidInPlace(self);
  const double ns = row_ns * static_cast<double>(images) * static_cast<double>(pooling.high.places);
  builder.Run(RunPool, plan, static_cast<int64_t>(std::min(1e18, ns)));
}

}  // namespace v1
}  // namespace portacl::loops::windows
