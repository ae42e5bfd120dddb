// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned: how rows and keys are divided into pieces, and what each piece computes.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/tiling.h"
#include "ops/attention/fused_infer_attention_score/fused_infer_attention_score_lanes.h"
#include "ops/attention/fused_infer_attention_score/fused_infer_attention_score_spec.h"

namespace portacl::ops::fused_infer_attention_score {
namespace {

// Rows of a piece of a prompt: smaller pieces where some threads would otherwise have no work.
constexpr int64_t kPromptRows[] = {192, 96, 48};
constexpr int64_t kEnoughPieces = 16;
// A call with at most this many queries counts as decoding.
constexpr int64_t kDecodingQueries = 4;
constexpr int64_t kDecodingRows = 8;
// The smallest number of keys of a piece of decoding.
constexpr int64_t kLeastKeys = 512;
constexpr int64_t kUnlimited = int64_t{1} << 60;

// Strides in bytes along batch, head, query or key, and element.
struct PlannedOperand {
  int32_t operand = -1;  // -1: absent
  int64_t batch = 0;
  int64_t head = 0;
  int64_t row = 0;
  int64_t column = 0;
};

struct AttentionPlan {
  AttentionLanes lanes = {};
  PlannedOperand query, key, value, pse, mask, out, lse;
  int64_t batches = 0;
  int64_t heads = 0;  // heads of key and value
  int64_t group = 1;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t depth = 0;
  int64_t value_depth = 0;
  float scale = 1;
  int64_t low = -kUnlimited;  // query i takes keys i + low to i + high
  int64_t high = kUnlimited;
  bool is_from_end = false;  // low and high are relative to the last query and the last key of each batch
  bool is_decoding = false;
  bool is_serial = false;  // elements of an output share bytes
  int64_t rows_per_piece = 0;
  int64_t row_pieces = 1;
  int64_t keys_per_piece = 0;
  int64_t key_pieces = 1;
  int64_t scratch_bytes = 0;
  bool has_lengths[2] = {};  // whether queries and keys have a length for each batch, in the operand after this one

  int64_t Rows() const { return queries * group; }
  int64_t Pieces() const { return batches * heads * row_pieces * key_pieces; }
  int64_t Length(bool is_key, int64_t batch) const {
    if (!has_lengths[is_key]) return is_key ? keys : queries;
    const auto* const lengths = reinterpret_cast<const int64_t*>(this + 1);
    return lengths[(is_key && has_lengths[0] ? batches : 0) + batch];
  }
};
static_assert(alignof(AttentionPlan) == alignof(int64_t) && std::is_trivially_copyable_v<AttentionPlan>);

struct AttentionTask {
  AttentionTask(const AttentionPlan& of, const exec::RunContext& run) : plan(of), context(run) {}

  RowOperand RowsOf(const PlannedOperand& planned, int64_t batch, int64_t head) const {
    if (planned.operand < 0) return {};
    std::byte* const base = context.Address(planned.operand);
    return {base + batch * planned.batch + head * plan.group * planned.head, planned.row, planned.head, planned.column};
  }
  KeyOperand KeysOf(const PlannedOperand& planned, int64_t batch, int64_t head) const {
    return {context.Address(planned.operand) + batch * planned.batch + head * planned.head, planned.row,
            planned.column};
  }
  // The work on all rows and keys of one head of key and value.
  Work WorkOf(int64_t number, void* scratch) const {
    const int64_t batch = number / plan.heads, head = number % plan.heads;
    const int64_t keys = plan.Length(true, batch), queries = plan.Length(false, batch);
    const int64_t shift = plan.is_from_end ? keys - queries : 0;
    return {.rows = plan.Rows(),
            .group = plan.group,
            .end_key = keys,
            .queries = queries,
            .depth = plan.depth,
            .value_depth = plan.value_depth,
            .scale = plan.scale,
            .low = plan.low + shift,
            .high = plan.high + shift,
            .query = RowsOf(plan.query, batch, head),
            .pse = RowsOf(plan.pse, batch, head),
            .mask = RowsOf(plan.mask, batch, head),
            .out = RowsOf(plan.out, batch, head),
            .lse = RowsOf(plan.lse, batch, head),
            .key = KeysOf(plan.key, batch, head),
            .value = KeysOf(plan.value, batch, head),
            .scratch = static_cast<std::byte*>(scratch)};
  }
  int64_t PartialsOfHead() const { return plan.key_pieces * plan.Rows() * PartialFloats(plan.value_depth); }

  const AttentionPlan& plan;
  const exec::RunContext& context;
  float* partials = nullptr;
};

void RunPiece(const AttentionTask& task, int64_t number, void* scratch) {
  const AttentionPlan& plan = task.plan;
  const int64_t piece = number % (plan.row_pieces * plan.key_pieces);
  const int64_t head = number / (plan.row_pieces * plan.key_pieces);
  Work work = task.WorkOf(head, scratch);
  if (!plan.is_decoding) {
    work.first_row = piece * plan.rows_per_piece;
    work.rows = std::min(plan.rows_per_piece, plan.Rows() - work.first_row);
    return plan.lanes.prompt(work);
  }
  work.first_key = std::min(piece * plan.keys_per_piece, work.end_key);
  work.end_key = std::min(work.first_key + plan.keys_per_piece, work.end_key);
  if (plan.key_pieces > 1)
    work.partial = task.partials + head * task.PartialsOfHead() + piece * plan.Rows() * PartialFloats(plan.value_depth);
  plan.lanes.decode(work);
}

void MergePieces(const AttentionTask& task, int64_t head, void* scratch) {
  Work work = task.WorkOf(head, scratch);
  work.partial = task.partials + head * task.PartialsOfHead();
  task.plan.lanes.merge(work, task.plan.key_pieces);
}

void RunPieces(const AttentionTask& task) {
  const AttentionPlan& plan = task.plan;
  const loops::Chunks pieces{
      .count = plan.Pieces(), .is_serial = plan.is_serial, .scratch_bytes = plan.scratch_bytes, .differ = true};
  loops::ForEachChunk(pieces, [&](int64_t piece, std::byte* scratch) { RunPiece(task, piece, scratch); });
}

int32_t RunAttention(const exec::RunContext& context) {
  AttentionTask task(context.Parameters<AttentionPlan>(), context);
  const AttentionPlan& plan = task.plan;
  if (plan.key_pieces == 1) return RunPieces(task), 0;
  const int64_t heads = plan.batches * plan.heads;
  const loops::PoolMemory partials(heads * task.PartialsOfHead() * int64_t{sizeof(float)});
  task.partials = partials.As<float>();
  RunPieces(task);
  const loops::Chunks merged{
      .count = heads, .is_serial = plan.is_serial, .scratch_bytes = plan.scratch_bytes, .differ = true};
  loops::ForEachChunk(merged, [&](int64_t head, std::byte* scratch) { MergePieces(task, head, scratch); });
  return 0;
}

PlannedOperand Planned(int operand, const HeadsView& view, aclDataType dtype) {
  const auto bytes = static_cast<int64_t>(ElementBytes(dtype));
  return {operand, view.batch.stride * bytes, view.head.stride * bytes, view.row.stride * bytes,
          view.column.stride * bytes};
}

// A tensor [.., S_q, S_kv], whose axes of heads and batches may be missing or 1.
PlannedOperand PlannedScores(const exec::PlanBuilder& builder, int arg) {
  if (!builder.Has(arg)) return {};
  const View& view = builder.Tensor(arg);
  const int axes = view.rank;
  const auto step = [&](int axis) {
    return axis < 0 ? 0 : view.step(axis) * static_cast<int64_t>(ElementBytes(view.dtype));
  };
  return {.operand = builder.Operand(arg),
          .batch = axes > 2 ? step(0) : 0,
          .head = axes > 3 ? step(1) : 0,
          .row = step(axes - 2),
          .column = step(axes - 1)};
}

int64_t Limited(int64_t tokens) { return std::clamp(tokens, -kUnlimited / 4, kUnlimited / 4); }

// Sets which keys a query uses, and whether the mask is read.
void PlanSparsity(const exec::PlanBuilder& builder, int mask, AttentionPlan* plan) {
  const auto mode = builder.Attribute<int64_t>(kFusedInferAttentionScoreV2.Index("sparseMode"));
  const int64_t before = Limited(builder.Attribute<int64_t>(kFusedInferAttentionScoreV2.Index("preTokens")));
  const int64_t after = Limited(builder.Attribute<int64_t>(kFusedInferAttentionScoreV2.Index("nextTokens")));
  if (!builder.Has(mask)) return;
  if (mode < 2) plan->mask = PlannedScores(builder, mask);
  if (plan->queries == 1) return;
  if (mode == 0 || mode == 4) plan->low = -before, plan->high = after;
  if (mode == 2 || mode == 3) plan->high = 0;
  plan->is_from_end = mode > 2;
}

// Divides the work, depending on the shape only.
void CutWork(AttentionPlan* plan) {
  const int64_t heads = plan->batches * plan->heads;
  plan->is_decoding = plan->queries <= kDecodingQueries || plan->Rows() <= kDecodingRows;
  if (plan->is_decoding) {
    const int64_t wanted = loops::CeilDivide(kEnoughPieces, std::max<int64_t>(heads, 1));
    plan->keys_per_piece = std::max(kLeastKeys, Padded(loops::CeilDivide(plan->keys, wanted), kKeyBlock));
    plan->key_pieces = std::max<int64_t>(1, loops::CeilDivide(plan->keys, plan->keys_per_piece));
    plan->scratch_bytes = DecodingBytes(plan->Rows(), plan->depth, plan->value_depth);
  } else {
    for (const int64_t rows : kPromptRows) {
      plan->rows_per_piece = rows;
      plan->row_pieces = loops::CeilDivide(plan->Rows(), rows);
      if (heads * plan->row_pieces >= kEnoughPieces) break;
    }
    plan->scratch_bytes = PromptBytes(std::min(plan->rows_per_piece, plan->Rows()), plan->depth, plan->value_depth);
  }
}

double CostNs(const AttentionPlan& plan) {
  const double pairs = static_cast<double>(plan.batches * plan.heads * plan.Rows()) * static_cast<double>(plan.keys);
  const double of_products = pairs * static_cast<double>(plan.depth + plan.value_depth) / 50;
  return std::min(1e17, of_products + pairs * 0.3 + 1000);
}

void PlanFusedInferAttentionScoreV2(exec::PlanBuilder& builder) {
  constexpr int kMask = kFusedInferAttentionScoreV2.Index("attenMaskOptional");
  constexpr int kLse = kFusedInferAttentionScoreV2.Index("softmaxLse");
  const int query = builder.Operand(kFusedInferAttentionScoreV2.Index("query")),
            key = builder.Operand(kFusedInferAttentionScoreV2.Index("key")),
            value = builder.Operand(kFusedInferAttentionScoreV2.Index("value"));
  const int out = builder.Operand(kFusedInferAttentionScoreV2.Index("attentionOut"));
  const aclDataType dtype = builder.OperandView(query).dtype;
  const Layout layout = LayoutOf(builder.Attribute<const char*>(kFusedInferAttentionScoreV2.Index("inputLayout")));
  const auto heads = builder.Attribute<int64_t>(kFusedInferAttentionScoreV2.Index("numHeads"));
  const auto key_heads = builder.Attribute<int64_t>(kFusedInferAttentionScoreV2.Index("numKeyValueHeads"));

  AttentionPlan plan;
  plan.lanes = LanesOf(dtype, ActiveTarget());
  HeadsView of_query, of_key, of_value, of_out;
  plan.heads = key_heads == 0 ? heads : key_heads;
  HeadsOf(builder.OperandView(query), layout, false, heads, &of_query);
  HeadsOf(builder.OperandView(key), layout, false, plan.heads, &of_key);
  HeadsOf(builder.OperandView(value), layout, false, plan.heads, &of_value);
  HeadsOf(builder.OperandView(out), layout, true, heads, &of_out);
  plan.query = Planned(query, of_query, dtype);
  plan.key = Planned(key, of_key, dtype);
  plan.value = Planned(value, of_value, dtype);
  plan.out = Planned(out, of_out, dtype);
  plan.pse = PlannedScores(builder, kFusedInferAttentionScoreV2.Index("pseShiftOptional"));
  plan.batches = of_query.batch.size;
  plan.group = heads / plan.heads;
  plan.queries = of_query.row.size;
  plan.keys = of_key.row.size;
  plan.depth = of_query.column.size;
  plan.value_depth = of_value.column.size;
  plan.scale = static_cast<float>(builder.Attribute<double>(kFusedInferAttentionScoreV2.Index("scaleValue")));
  if (builder.Attribute<bool>(kFusedInferAttentionScoreV2.Index("softmaxLseFlag"))) {
    const View& lse = builder.Tensor(kLse);
    const auto step = [&](int axis) { return lse.step(axis) * static_cast<int64_t>(sizeof(float)); };
    plan.lse = {builder.Operand(kLse), step(0), step(1), step(2), 0};
  }
  PlanSparsity(builder, kMask, &plan);
  CutWork(&plan);

  // A piece writes results while others still read. Only the query may alias the output, as both have the same rows.
  plan.is_serial =
      loops::MustBeSerial(builder, out) || (plan.lse.operand >= 0 && loops::MustBeSerial(builder, plan.lse.operand));
  for (const int operand : {plan.key.operand, plan.value.operand, plan.pse.operand, plan.mask.operand}) {
    if (operand >= 0) builder.ForbidInPlace(operand);
  }
  if (plan.is_serial || layout == Layout::kBnsdToBsnd) builder.ForbidInPlace(query);

  std::vector<std::byte> bytes(sizeof(plan));
  for (const bool is_key : {false, true}) {
    constexpr int kLengths[] = {kFusedInferAttentionScoreV2.Index("actualSeqLengthsOptional"),
                                kFusedInferAttentionScoreV2.Index("actualSeqLengthsKvOptional")};
    if (!(plan.has_lengths[is_key] = builder.Has(kLengths[is_key]))) continue;
    const std::span<const int64_t> given = builder.Ints(kLengths[is_key]);
    std::vector<int64_t> lengths(static_cast<size_t>(plan.batches), given.empty() ? 0 : given[0]);
    if (given.size() >= lengths.size()) std::copy_n(given.begin(), lengths.size(), lengths.begin());
    const auto* const from = reinterpret_cast<const std::byte*>(lengths.data());
    bytes.insert(bytes.end(), from, from + lengths.size() * sizeof(int64_t));
  }
  std::memcpy(bytes.data(), &plan, sizeof(plan));
  builder.RunBytes(RunAttention, bytes.data(), bytes.size(), static_cast<int64_t>(CostNs(plan)));
}

}  // namespace

}  // namespace portacl::ops::fused_infer_attention_score

#include "ops/attention/fused_infer_attention_score/fused_infer_attention_score_functions.inc"
