// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate the arguments of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/dtype.h"
#include "loops/quantized/quantized_product.h"
#include "ops/product/weight_quant_batch_matmul/weight_quant_batch_matmul_spec.h"

namespace portacl::ops::weight_quant_batch_matmul {
namespace {

constexpr int kX = kWeightQuantBatchMatmulV2.Index("x");
constexpr int kWeight = kWeightQuantBatchMatmulV2.Index("weight");
constexpr int kScale = kWeightQuantBatchMatmulV2.Index("antiquantScale");
constexpr int kQuantScale = kWeightQuantBatchMatmulV2.Index("quantScaleOptional");
constexpr int kQuantOffset = kWeightQuantBatchMatmulV2.Index("quantOffsetOptional");
constexpr int kBias = kWeightQuantBatchMatmulV2.Index("biasOptional");
constexpr int kGroupSize = kWeightQuantBatchMatmulV2.Index("antiquantGroupSize");
constexpr int kY = kWeightQuantBatchMatmulV2.Index("y");

int64_t GroupSize(const exec::Arguments& arguments) { return arguments.value(kGroupSize).integer(); }

std::string TextOf(const View& view) { return fmt::format("[{}]", fmt::join(view.dims(), ",")); }

bool Is(const View& view, std::initializer_list<int64_t> dims) { return std::ranges::equal(view.dims(), dims); }

Shape Make(int64_t rows, int64_t columns) { return {.rank = 2, .dims = {rows, columns}}; }

int64_t GroupsOf(const exec::Arguments& arguments) {
  const int64_t k = arguments.Tensor(kWeight).shape[0], group = GroupSize(arguments);
  return k / group + (k % group != 0);
}

}  // namespace

aclnnStatus CheckBiasDtype(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.IsNull(kBias)) return exec::kSuccess;
  const aclDataType bias = arguments.Tensor(kBias).dtype;
  const bool is_float16 = arguments.Tensor(kX).dtype == ACL_FLOAT16;
  if (is_float16 ? bias == ACL_FLOAT16 : bias == ACL_FLOAT || bias == ACL_BF16) return exec::kSuccess;
  return arguments.Refuse(
      step, kBias, is_float16 ? "FLOAT16 (where 'x' is FLOAT16)" : "FLOAT or BFLOAT16 (where 'x' is BFLOAT16)", bias);
}

aclnnStatus CheckQuantOffset(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.IsNull(kQuantOffset) || !arguments.IsNull(kQuantScale)) return exec::kSuccess;
  return arguments.Refuse(step, kQuantOffset, "NULL (as 'quantScaleOptional' is)", "a tensor");
}

aclnnStatus CheckNotQuantised(const exec::Arguments& arguments, const exec::Step& step) {
  if (!arguments.IsNull(kQuantScale))
    return arguments.Refuse(step, kQuantScale, "NULL (results of INT8 are not computed yet)", "a tensor");
  if (arguments.Tensor(kY).dtype != ACL_INT8) return exec::kSuccess;
  return arguments.Refuse(step, kY, "the dtype of 'x' (results of INT8 are not computed yet)", ACL_INT8);
}

aclnnStatus CheckGroupSize(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t group = GroupSize(arguments);
  if (group >= 0 && group % loops::quantized::kQuantizedStep == 0) return exec::kSuccess;
  return arguments.Refuse(step, kGroupSize, "0 or a positive multiple of 32", fmt::format("{}", group));
}

aclnnStatus CheckPairs(const exec::Arguments& arguments, const exec::Step& step) {
  const View& weight = arguments.Tensor(kWeight);
  if (weight.dtype != ACL_INT4) return exec::kSuccess;
  for (int axis = 0; axis < 2; ++axis) {
    if (weight.step(axis) != 1 || weight.shape[axis] % 2 == 0) continue;
    return arguments.Refuse(step, kWeight, fmt::format("an even size along axis {}, two elements to a byte", axis),
                            TextOf(weight));
  }
  return exec::kSuccess;
}

bool ScaleShape(const exec::Arguments& arguments, Shape* shape) {
  const View& weight = arguments.Tensor(kWeight);
  const int64_t group = GroupSize(arguments);
  if (weight.rank != 2 || group < 0) return false;
  *shape = Make(group == 0 ? 1 : GroupsOf(arguments), weight.shape[1]);
  return true;
}

aclnnStatus CheckScaleShape(const exec::Arguments& arguments, const exec::Step& step) {
  const View& scale = arguments.Tensor(kScale);
  const int64_t n = arguments.Tensor(kWeight).shape[1];
  if (GroupSize(arguments) != 0) return families::CheckShape(arguments, step);
  if (Is(scale, {1}) || Is(scale, {1, 1}) || Is(scale, {n}) || Is(scale, {1, n})) return exec::kSuccess;
  return arguments.Refuse(step, kScale, fmt::format("[1], [1,1], [{0}] or [1,{0}]", n), TextOf(scale));
}

bool BiasShape(const exec::Arguments& arguments, Shape* shape) {
  const View& weight = arguments.Tensor(kWeight);
  if (weight.rank != 2) return false;
  *shape = {.rank = 1, .dims = {weight.shape[1]}};
  return true;
}

aclnnStatus CheckBiasShape(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.IsNull(kBias)) return exec::kSuccess;
  const View& bias = arguments.Tensor(kBias);
  const int64_t n = arguments.Tensor(kWeight).shape[1];
  if (Is(bias, {n}) || Is(bias, {1, n})) return exec::kSuccess;
  return arguments.Refuse(step, kBias, fmt::format("[{0}] or [1,{0}]", n), TextOf(bias));
}

bool OutputShape(const exec::Arguments& arguments, Shape* shape) {
  const View &x = arguments.Tensor(kX), &weight = arguments.Tensor(kWeight);
  if (x.rank != 2 || weight.rank != 2) return false;
  *shape = Make(x.shape[0], weight.shape[1]);
  return true;
}

}  // namespace portacl::ops::weight_quant_batch_matmul
