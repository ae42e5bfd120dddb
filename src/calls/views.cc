// SPDX-License-Identifier: Apache-2.0
#include "calls/views.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/oracle.h"

namespace portacl::calls {

namespace {

Dims DrawStrides(const Dims& shape, bool may_repeat, Random& random) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) {
    if (random.Chance(0.5)) std::swap(order[i - 1], order[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
  }
  Dims strides(shape.size());
  int64_t step = random.Chance(0.3) ? random.Between(2, 5) : 1;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t axis = order[i];
    strides[axis] = step;
    if (may_repeat && random.Chance(0.15)) {
      strides[axis] = 0;
      continue;
    }
    if (shape[axis] <= 1 && random.Chance(0.2)) strides[axis] = std::numeric_limits<int64_t>::max();
    step = step * std::max<int64_t>(shape[axis], 1) + (random.Chance(0.3) ? random.Below(4) : 0);
  }
  return strides;
}

const exec::Arg& ArgOf(const Call& call, const TensorSpec* tensor) {
  size_t i = 0;
  const auto is_it = [=](const TensorSpec& candidate) { return &candidate == tensor; };
  while (std::ranges::none_of(call.arguments()[i].tensors, is_it)) ++i;
  return call.schema().args[i];
}

bool IsInput(const Call& call, const TensorSpec* tensor) { return !ArgOf(call, tensor).written(); }

const std::vector<double> kSpecialValues = {0.0,
                                            -0.0,
                                            0.5,
                                            1,
                                            -1,
                                            2,
                                            0.25,
                                            0.75,
                                            1e-6,
                                            1 - 1e-6,
                                            65504,
                                            65520,
                                            -65520,
                                            16777217,  // not a FLOAT value
                                            6e-8,
                                            1e-45,
                                            -1e-40,
                                            1.2e-38,
                                            3.4e38,
                                            -3.4e38,
                                            1e300,
                                            std::numeric_limits<double>::infinity(),
                                            -std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN()};

const std::vector<double> kSpecialAttributes = {-1,
                                                0,
                                                -0.0,
                                                1,
                                                0.5,
                                                0.25,
                                                0.6,
                                                1e-6,
                                                1e-8,
                                                1e-300,
                                                -1e-300,
                                                1e39,
                                                1.5,
                                                std::numeric_limits<double>::infinity(),
                                                -std::numeric_limits<double>::infinity(),
                                                std::numeric_limits<double>::quiet_NaN()};

// Small integers, as in labels and truth values; numbers near zero, and some larger ones.
double OrdinaryValue(aclDataType dtype, Random& random) {
  if (dtype == ACL_BOOL) return random.Chance(0.3) ? 1 : 0;
  const bool is_integer = FindFloatFormat(dtype) == nullptr;
  if (random.Chance(0.8)) return is_integer ? static_cast<double>(random.Below(8)) : random.Real(0, 1);
  return random.Real(-100, 100);
}

// Clamped to the range of narrow integers: low bits alone would rarely be one of its limits.
double SpecialValue(aclDataType dtype, Random& random) {
  const double value = random.Pick(kSpecialValues);
  const size_t bits = 8 * ElementBytes(dtype);
  if (FindFloatFormat(dtype) != nullptr || dtype == ACL_BOOL || bits > 16 || std::isnan(value)) return value;
  const bool is_signed = dtype == ACL_INT8 || dtype == ACL_INT16;
  const double end = std::ldexp(1, static_cast<int>(bits) - (is_signed ? 1 : 0));
  return std::clamp(value, is_signed ? -end : 0, end - 1);
}

// Any number, or a fraction: products of fractions with short numbers are close to the middle between two 16-bit
// values.
double OrdinaryAttribute(Random& random) {
  if (random.Chance(0.5)) return random.Real(-2, 2);
  const double size = static_cast<double>(random.Between(1, 20)) / (random.Chance(0.5) ? 10 : 3);
  return random.Chance(0.5) ? size : -size;
}

// The smallest value that a step allows for an attribute; NaN if any value is valid.
double LowestValue(const exec::Schema& schema, int argument) {
  for (const exec::Step& step : schema.steps) {
    if (step.word != exec::Word::kValueAtLeast) continue;
    for (const exec::Ref& ref : step.refs) {
      if (ref.index == argument) return step.real_low;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// A scalar of which only some values are valid with the other arguments of a generated call.
bool IsSettled(const exec::Schema& schema, size_t argument) {
  return std::any_of(schema.steps.begin(), schema.steps.end(), [&](const exec::Step& step) {
    const bool settles = step.word == exec::Word::kAxesInRange || step.word == exec::Word::kCustom;
    return settles && std::any_of(step.refs.begin(), step.refs.end(),
                                  [&](const exec::Ref& ref) { return ref.index == static_cast<int>(argument); });
  });
}

// Sets the value, or one above the smallest valid value if `value` is below that.
void SetReal(Call& call, size_t argument, double value) {
  if (IsSettled(call.schema(), argument)) return;
  const double lowest = LowestValue(call.schema(), static_cast<int>(argument));
  if (!std::isnan(lowest)) value = value >= lowest ? value : lowest + 1;
  call.arguments()[argument].real = value;
}

bool IsComplexScalar(const Call& call, size_t argument) {
  return call.schema().args[argument].kind == exec::ValueKind::kScalar &&
         call.arguments()[argument].number == ACL_COMPLEX64;
}

// Calls fill(dtype of a part, random, values) for each input tensor.
template <class Fill>
void FillInputs(Call& call, Random& random, std::span<const int> others, const Fill& fill) {
  for (const int argument : call.schema().tensors) {
    if (call.argument(argument).null || call.schema().args[static_cast<size_t>(argument)].role == exec::Role::kOutput)
      continue;
    if (std::ranges::find(others, argument) != others.end()) continue;
    for (const TensorSpec& tensor : call.argument(argument).tensors) {
      if (tensor.null || tensor.data == nullptr) continue;
      const aclDataType part = PartDtype(tensor.dtype);
      const int64_t extent = ViewExtent(tensor.shape, tensor.Strides(), tensor.offset);
      std::vector<double> values(static_cast<size_t>(extent) * (ElementBytes(tensor.dtype) / ElementBytes(part)));
      Random fast(random.Bits());  // contents are many and would use up the fuzzer's bytes
      fill(part, fast, values);
      const std::vector<std::byte> block = Encode(part, values);
      aclrtMemcpy(tensor.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    }
  }
  CompleteContents(call);
}

void FillWithSeries(Series series, Random& random, std::vector<double>& values) {
  const double first = random.Real(0.5, 2);
  const auto period = static_cast<size_t>(random.Between(16, 600));
  const double ratio = std::exp2(-30.0 / static_cast<double>(period)), small = random.Real(0x1p-26, 0x1p-24);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t place = i % period;
    switch (series) {
      case Series::kEqual:
        values[i] = first;
        break;
      case Series::kNearlyEqual:
        values[i] = first * (1 + random.Real(-0x1p-12, 0x1p-12));
        break;
      case Series::kGeometric:
        values[i] = place == 0 ? first : values[i - 1] * ratio;
        break;
      case Series::kOneLarge:
        values[i] = place == 0 ? first : first * small;
        break;
    }
  }
}

}  // namespace

void DrawViews(Call& call, Random& random) {
  for (TensorSpec* tensor : call.Tensors()) {
    if (random.Chance(0.4) || ArgOf(call, tensor).data_dependent) continue;  // these are contiguous
    tensor->strides = DrawStrides(tensor->shape, IsInput(call, tensor), random);
    tensor->offset = random.Chance(0.5) ? random.Below(70) : 0;
    if (ViewExtent(tensor->shape, *tensor->strides, tensor->offset) > 1 << 20) tensor->strides.reset();
  }
}

void DrawAddresses(Call& call, Random& random) {
  for (TensorSpec* tensor : call.Tensors()) {
    if (tensor->data == nullptr || random.Chance(0.3)) continue;
    const int64_t extent = ViewExtent(tensor->shape, tensor->Strides(), tensor->offset);
    const auto shift = static_cast<size_t>(random.Between(1, 63));
    void* const block = call.AllocateBlock(static_cast<size_t>(extent) * ElementBytes(tensor->dtype) + shift);
    tensor->data = static_cast<std::byte*>(block) + shift;
  }
}

void DrawAliases(Call& call, Random& random) {
  const std::vector<TensorSpec*> tensors = call.Tensors();
  for (TensorSpec* out : tensors) {
    if (IsInput(call, out) || !random.Chance(0.3)) continue;
    TensorSpec* in = random.Pick(tensors);
    if (!IsInput(call, in) || in->dtype != out->dtype || in->data == nullptr) continue;
    const auto shares = [in](const TensorSpec* other) { return other != in && other->data == in->data; };
    if (std::any_of(tensors.begin(), tensors.end(), shares)) continue;  // two outputs must not overlap
    const Dims strides = in->Strides();
    const bool repeats = std::find(strides.begin(), strides.end(), 0) != strides.end();
    const bool is_contiguous = ArgOf(call, out).data_dependent;
    if (in->shape == out->shape && !repeats && !is_contiguous && random.Chance(0.5)) {
      out->strides = strides, out->offset = in->offset, out->data = in->data;
      continue;
    }
    // A block that contains both views, with the output some elements away from the input.
    const int64_t shift = random.Below(40);
    const bool in_first = random.Chance(0.5);
    const int64_t in_offset = in->offset + (in_first ? 0 : shift);
    const int64_t out_offset = out->offset + (in_first ? shift : 0);
    const Dims whole = {
        std::max(ViewExtent(in->shape, strides, in_offset), ViewExtent(out->shape, out->Strides(), out_offset))};
    in->offset = in_offset, out->offset = out_offset;
    in->data = out->data = call.AllocateBlock(static_cast<size_t>(whole[0]) * ElementBytes(in->dtype));
  }
}

void DrawContents(Call& call, Random& random, double special, std::span<const int> others) {
  FillInputs(call, random, others, [&](aclDataType part, Random& fast, std::vector<double>& values) {
    for (double& value : values) value = fast.Chance(special) ? SpecialValue(part, fast) : OrdinaryValue(part, fast);
  });
}

void DrawSeries(Call& call, Random& random, Series series) {
  FillInputs(call, random, {}, [&](aclDataType part, Random& fast, std::vector<double>& values) {
    if (FindFloatFormat(part) == nullptr) {
      for (double& value : values) value = OrdinaryValue(part, fast);
      return;
    }
    FillWithSeries(fast.Chance(0.5) ? series : Series::kEqual, fast, values);
  });
}

void DrawAttributes(Call& call, Random& random, double special) {
  const auto draw = [&] {
    return random.Chance(special) ? random.Pick(kSpecialAttributes) : OrdinaryAttribute(random);
  };
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    SetReal(call, i, draw());
    if (call.schema().args[i].kind == exec::ValueKind::kScalarList)
      std::ranges::generate(call.arguments()[i].reals = std::vector<double>(call.arguments()[i].integers.size()), draw);
    if (IsComplexScalar(call, i)) call.arguments()[i].imaginary = draw();
  }
}

bool SetSpecialAttributes(Call& call, size_t turn) {
  if (turn >= kSpecialAttributes.size()) return false;
  bool is_set = false;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const exec::ValueKind kind = call.schema().args[i].kind;
    is_set |= kind == exec::ValueKind::kDouble || kind == exec::ValueKind::kFloat || kind == exec::ValueKind::kScalar;
    SetReal(call, i, kSpecialAttributes[turn]);
    if (IsComplexScalar(call, i))
      call.arguments()[i].imaginary = kSpecialAttributes[turn * 5 % kSpecialAttributes.size()];
  }
  return is_set;
}

std::vector<size_t> ElementOffsets(const TensorSpec& tensor) {
  const auto bytes = static_cast<int64_t>(ElementBytes(tensor.dtype));
  const Dims strides = tensor.Strides();
  std::vector<size_t> offsets = {static_cast<size_t>(tensor.offset * bytes)};
  // Axis by axis, repeats each element by the size of the axis.
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    std::vector<size_t> outer = std::exchange(offsets, {});
    offsets.reserve(outer.size() * static_cast<size_t>(tensor.shape[axis]));
    for (const size_t first : outer) {
      for (int64_t i = 0; i < tensor.shape[axis]; ++i)
        offsets.push_back(first + static_cast<size_t>(i * strides[axis] * bytes));
    }
  }
  return offsets;
}

std::vector<std::byte> ReadElements(const TensorSpec& tensor) {
  if (tensor.data == nullptr) return {};
  const std::vector<std::byte> block = ReadBlock(tensor);
  const std::vector<size_t> offsets = ElementOffsets(tensor);
  const size_t size = ElementBytes(tensor.dtype);
  std::vector<std::byte> elements(offsets.size() * size);
  for (size_t i = 0; i < offsets.size(); ++i) std::memcpy(&elements[i * size], &block[offsets[i]], size);
  return elements;
}

std::vector<std::byte> ReadBlock(const TensorSpec& tensor) {
  const int64_t extent = ViewExtent(tensor.shape, tensor.Strides(), tensor.offset);
  std::vector<std::byte> block(static_cast<size_t>(extent) * ElementBytes(tensor.dtype));
  aclrtMemcpy(block.data(), block.size(), tensor.data, block.size(), ACL_MEMCPY_DEVICE_TO_HOST);
  return block;
}

}  // namespace portacl::calls
