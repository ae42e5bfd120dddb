// SPDX-License-Identifier: Apache-2.0
//
// Both operators on views of every kind: the result of a row depends neither on where its elements lie nor on who
// computes it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_test_support.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"

namespace portacl::ops::scaled_masked_softmax {
namespace {

using calls::Dims;
using calls::ElementBytes;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;
using testing::ForEachTarget;
using testing::GuardedBuffer;
using testing::GuardSide;

constexpr double kScale = 0.75;

// Where the elements of a tensor lie in its block.
struct Layout {
  Dims shape;
  Dims strides;
  int64_t offset = 0;

  int64_t Extent() const { return calls::ViewExtent(shape, strides, offset); }
  TensorHandle Tensor(aclDataType dtype, const void* data) const {
    return TensorBuilder(dtype, shape).Strides(strides).Offset(offset).Data(data).Build();
  }

  // Places in the block of the elements in row-major order.
  std::vector<size_t> Places() const {
    std::vector<size_t> places;
    Dims index(shape.size(), 0);
    for (int64_t i = calls::ElementCount(shape); i > 0; --i) {
      int64_t place = offset;
      for (size_t axis = 0; axis < shape.size(); ++axis) place += index[axis] * strides[axis];
      places.push_back(static_cast<size_t>(place));
      for (size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
    return places;
  }
  Bytes Pick(aclDataType dtype, const Bytes& block) const {
    const size_t size = ElementBytes(dtype);
    Bytes picked;
    for (const size_t place : Places()) picked.insert(picked.end(), &block[place * size], &block[place * size] + size);
    return picked;
  }
  void Put(aclDataType dtype, const Bytes& values, Bytes* block) const {
    const size_t size = ElementBytes(dtype);
    const std::vector<size_t> places = Places();
    for (size_t i = 0; i < places.size(); ++i) std::memcpy(&(*block)[places[i] * size], &values[i * size], size);
  }
};

Layout Plain(const Dims& shape) { return {shape, calls::ContiguousStrides(shape)}; }

// The last axis is the widest.
Layout Transposed(const Dims& shape) {
  Layout layout{shape, Dims(shape.size())};
  int64_t stride = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    layout.strides[axis] = stride;
    stride *= shape[axis];
  }
  return layout;
}

// Every second element of every second row.
Layout Stepped(const Dims& shape) {
  Dims wide = shape;
  wide[2] *= 2;
  wide[3] = 2 * wide[3] + 1;
  Layout layout{shape, calls::ContiguousStrides(wide), 3};
  layout.strides[2] *= 2;
  layout.strides[3] = 2;
  return layout;
}

// Rows with gaps between them.
Layout Sliced(const Dims& shape) {
  Dims wide = shape;
  wide[3] += 3;
  return {shape, calls::ContiguousStrides(wide), 1};
}

Layout Expanded(const Dims& shape) { return {shape, {0, shape[3], 0, 1}, 1}; }

struct Operands {
  Layout first;   // x, or gradOutput
  Layout second;  // y of the gradient
  Layout mask;
  Layout out;
};

class SoftmaxLayout : public DeviceTest {
 protected:
  Bytes Values(aclDataType dtype, int64_t elements) {
    std::vector<double> values(static_cast<size_t>(elements));
    for (double& value : values) value = random_.Real(-3, 3);
    return Encode(dtype, values);
  }
  // Half of it without a masked element, which is computed without the mask.
  Bytes MaskBytes(int64_t elements) {
    Bytes mask(static_cast<size_t>(elements));
    for (size_t i = static_cast<size_t>(random_.Between(0, elements / 2)); i < mask.size(); ++i)
      mask[i] = static_cast<std::byte>(random_.Chance(0.3) ? random_.Between(1, 255) : 0);
    return mask;
  }
  static Mask MaskOf(const Layout& layout, const Bytes& block) {
    Mask mask;
    for (const std::byte byte : layout.Pick(ACL_BOOL, block)) mask.push_back(static_cast<uint8_t>(byte));
    return mask;
  }

  // What the two operators give for the same elements, contiguous.
  static Bytes SoftmaxWant(aclDataType dtype, const Layout& x, const Bytes& x_block, const Layout& mask,
                           const Bytes& mask_block) {
    return SoftmaxBytes(dtype, x.shape, x.Pick(dtype, x_block), mask.shape, MaskOf(mask, mask_block), kScale);
  }
  static Bytes BackwardWant(aclDataType dtype, const Layout& grad, const Bytes& grad_block, const Layout& y,
                            const Bytes& y_block, const Layout& mask, const Bytes& mask_block) {
    return BackwardBytes(dtype, grad.shape, grad.Pick(dtype, grad_block), y.Pick(dtype, y_block), mask.shape,
                         MaskOf(mask, mask_block), kScale);
  }

  // Whole blocks are compared: what lies between the elements of a view must stay.
  void Check(aclDataType dtype, const Operands& operands) {
    SCOPED_TRACE(::testing::Message() << "dtype " << dtype << ", " << ::testing::PrintToString(operands.out.shape)
                                      << ", mask " << ::testing::PrintToString(operands.mask.shape));
    const Bytes first = Values(dtype, operands.first.Extent() + 2);
    const Bytes second = Values(dtype, operands.second.Extent() + 2);
    const Bytes mask = MaskBytes(operands.mask.Extent() + 2);
    const Bytes before = Values(dtype, operands.out.Extent() + 2);
    const DeviceArray<std::byte> device_first(first), device_second(second), device_mask(mask), device_out(before);
    const TensorHandle first_tensor = operands.first.Tensor(dtype, device_first.data());
    const TensorHandle mask_tensor = operands.mask.Tensor(ACL_BOOL, device_mask.data());
    const TensorHandle out_tensor = operands.out.Tensor(dtype, device_out.data());

    Bytes want = before;
    operands.out.Put(dtype, SoftmaxWant(dtype, operands.first, first, operands.mask, mask), &want);
    RunSoftmax(first_tensor.get(), mask_tensor.get(), kScale, out_tensor.get());
    EXPECT_TRUE(device_out.ToHost() == want) << "forward";

    RunBackward(first_tensor.get(), operands.second.Tensor(dtype, device_second.data()).get(), mask_tensor.get(),
                kScale, out_tensor.get());
    operands.out.Put(dtype, BackwardWant(dtype, operands.first, first, operands.second, second, operands.mask, mask),
                     &want);
    EXPECT_TRUE(device_out.ToHost() == want) << "gradient";
  }

  testing::Random random_;
};

TEST_F(SoftmaxLayout, TakesTransposedSlicedSteppedAndExpandedViews) {
  for (const aclDataType dtype : kAllDtypes) {
    for (const Dims& shape : {Dims{2, 3, 4, 5}, {1, 2, 20, 7}, {2, 1, 3, 100}, {1, 1, 17, 16}, {3, 1, 1, 1}}) {
      const Layout plain = Plain(shape);
      Check(dtype, {Transposed(shape), plain, plain, plain});
      Check(dtype, {plain, Transposed(shape), Stepped(shape), plain});
      Check(dtype, {Stepped(shape), Stepped(shape), Transposed(shape), Transposed(shape)});
      Check(dtype, {Sliced(shape), plain, Sliced(shape), Stepped(shape)});
      Check(dtype, {plain, Sliced(shape), Expanded(shape), Sliced(shape)});
      Check(dtype, {Expanded(shape), {shape, {0, 0, 0, 0}, 2}, plain, plain});
      Check(dtype, {{shape, {0, 0, 1, 0}}, plain, {shape, {0, 0, 0, 0}}, Sliced(shape)});
    }
  }
}

TEST_F(SoftmaxLayout, BroadcastsTheMaskOverEitherOfTheFirstTwoAxes) {
  ForEachTarget([&] {
    for (const Dims& shape : {Dims{3, 4, 5, 6}, {2, 5, 1, 7}, {20, 2, 1, 16}, {2, 2, 33, 40}}) {
      for (const bool both : {false, true}) {
        for (const bool second : {false, true}) {
          Dims of_mask = shape;
          if (both || !second) of_mask[0] = 1;
          if (both || second) of_mask[1] = 1;
          Check(ACL_FLOAT, {Plain(shape), Plain(shape), Plain(of_mask), Plain(shape)});
          Check(ACL_BF16, {Plain(shape), Sliced(shape), Sliced(of_mask), Plain(shape)});
        }
      }
    }
  });
}

TEST_F(SoftmaxLayout, ResultsMayBeWrittenOverAnInput) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const Dims& shape : {Dims{2, 1, 20, 5}, {1, 1, 7, 130}}) {
        for (const Layout& layout : {Plain(shape), Sliced(shape), Stepped(shape), Transposed(shape)}) {
          const Layout plain = Plain(shape);
          const Bytes block = Values(dtype, layout.Extent());
          const Bytes other = Values(dtype, plain.Extent());
          const Bytes mask = MaskBytes(plain.Extent());
          const DeviceArray<std::byte> device_other(other), device_mask(mask);
          const TensorHandle other_tensor = plain.Tensor(dtype, device_other.data());
          const TensorHandle mask_tensor = plain.Tensor(ACL_BOOL, device_mask.data());
          const auto expect = [&](const Bytes& values, const char* what, const auto& run) {
            Bytes want = block;
            layout.Put(dtype, values, &want);
            const DeviceArray<std::byte> device(block);
            const TensorHandle tensor = layout.Tensor(dtype, device.data());
            run(tensor.get());
            EXPECT_TRUE(device.ToHost() == want) << what;
          };
          expect(SoftmaxWant(dtype, layout, block, plain, mask), "x",
                 [&](aclTensor* tensor) { RunSoftmax(tensor, mask_tensor.get(), kScale, tensor); });
          expect(BackwardWant(dtype, layout, block, plain, other, plain, mask), "gradOutput", [&](aclTensor* tensor) {
            RunBackward(tensor, other_tensor.get(), mask_tensor.get(), kScale, tensor);
          });
          expect(BackwardWant(dtype, plain, other, layout, block, plain, mask), "y", [&](aclTensor* tensor) {
            RunBackward(other_tensor.get(), tensor, mask_tensor.get(), kScale, tensor);
          });
        }
      }
    }
  });
}

TEST_F(SoftmaxLayout, ReadsOverlappingInputsBeforeTheyAreOverwritten) {
  const Dims shape = {1, 2, 10, 13};
  const Layout mask = Plain(shape);
  const Bytes mask_block = MaskBytes(mask.Extent());
  const DeviceArray<std::byte> device_mask(mask_block);
  const TensorHandle mask_tensor = mask.Tensor(ACL_BOOL, device_mask.data());
  for (const auto& [first_offset, out_offset] : {std::pair{0, 1}, {1, 0}, {13, 0}, {0, 130}}) {
    Layout first = Plain(shape), second = Plain(shape), out = Plain(shape);
    first.offset = first_offset;
    second.offset = 100;
    out.offset = out_offset;
    const Bytes block = Values(ACL_FLOAT, 500);
    Bytes want = block;
    out.Put(ACL_FLOAT, SoftmaxWant(ACL_FLOAT, first, block, mask, mask_block), &want);
    const DeviceArray<std::byte> device(block);
    const TensorHandle first_tensor = first.Tensor(ACL_FLOAT, device.data());
    const TensorHandle out_tensor = out.Tensor(ACL_FLOAT, device.data());
    RunSoftmax(first_tensor.get(), mask_tensor.get(), kScale, out_tensor.get());
    EXPECT_TRUE(device.ToHost() == want) << "forward, " << first_offset << ", " << out_offset;

    const Bytes then = want;
    out.Put(ACL_FLOAT, BackwardWant(ACL_FLOAT, first, then, second, then, mask, mask_block), &want);
    RunBackward(first_tensor.get(), second.Tensor(ACL_FLOAT, device.data()).get(), mask_tensor.get(), kScale,
                out_tensor.get());
    EXPECT_TRUE(device.ToHost() == want) << "gradient, " << first_offset << ", " << out_offset;
  }
}

// Past the size from which results are stored around the cache; short, odd and long rows.
TEST_F(SoftmaxLayout, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const aclDataType dtype : kAllDtypes) {
    for (const auto& [all_rows, columns] : {std::pair<int64_t, int64_t>{700001, 7}, {4099, 1001}, {1031, 4096}}) {
      const int64_t rows = testing::SampleSize(all_rows);
      const size_t size = ElementBytes(dtype);
      const auto repeat = [](Bytes pattern, size_t bytes) {
        const size_t period = pattern.size();
        pattern.resize(bytes);
        for (size_t i = period; i < bytes; ++i) pattern[i] = pattern[i - period];
        return pattern;
      };
      const Dims shape = {1, 1, rows, columns};
      const auto elements = static_cast<size_t>(rows * columns);
      const Bytes x = repeat(Values(dtype, 65521), elements * size);
      const Bytes mask_bytes = repeat(MaskBytes(65521), elements);
      const Mask mask = MaskOf(Plain({static_cast<int64_t>(elements)}), mask_bytes);
      Bytes first_y, first_out;
      for (const int threads : {1, 2, 3, 8}) {
        const testing::ThreadCount count(threads);
        const Bytes y = SoftmaxBytes(dtype, shape, x, shape, mask, kScale);
        const Bytes out = BackwardBytes(dtype, shape, x, y, shape, mask, kScale);
        if (first_y.empty()) first_y = y, first_out = out;
        EXPECT_TRUE(y == first_y && out == first_out) << threads << " threads, " << columns << " columns";
      }
      // A single row is neither split nor stored around the cache, and has no neighbours.
      const size_t row_bytes = static_cast<size_t>(columns) * size;
      for (const int64_t row : {int64_t{0}, int64_t{1}, rows / 2, rows - 1}) {
        const auto part = [&](const Bytes& all) {
          const auto begin = all.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(row) * row_bytes);
          return Bytes(begin, begin + static_cast<ptrdiff_t>(row_bytes));
        };
        const Mask own(mask.begin() + row * columns, mask.begin() + (row + 1) * columns);
        const Dims one = {1, 1, 1, columns};
        EXPECT_TRUE(SoftmaxBytes(dtype, one, part(x), one, own, kScale) == part(first_y)) << "row " << row;
        EXPECT_TRUE(BackwardBytes(dtype, one, part(x), part(first_y), one, own, kScale) == part(first_out))
            << "row " << row;
      }
    }
  }
}

// Each operand ends, or begins, at a forbidden page; memory that no aclrtMalloc returned is taken as it is.
TEST_F(SoftmaxLayout, TouchesNothingBesideItsOperands) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        for (const int64_t columns : {1, 3, 7, 8, 15, 16, 17, 33, 63, 65, 129, 300}) {
          for (const int64_t rows : {1, 16, 37}) {
            const Layout layout = Plain({1, 1, rows, columns});
            const Bytes first = Values(dtype, layout.Extent());
            const Bytes second = Values(dtype, layout.Extent());
            const Bytes mask = MaskBytes(layout.Extent());
            const auto guarded = [side](const Bytes& bytes) {
              auto buffer = std::make_unique<GuardedBuffer>(bytes.size(), side);
              std::memcpy(buffer->begin(), bytes.data(), bytes.size());
              return buffer;
            };
            const auto first_buffer = guarded(first), second_buffer = guarded(second), mask_buffer = guarded(mask);
            const auto out_buffer = guarded(first);
            const TensorHandle first_tensor = layout.Tensor(dtype, first_buffer->begin());
            const TensorHandle mask_tensor = layout.Tensor(ACL_BOOL, mask_buffer->begin());
            const TensorHandle out_tensor = layout.Tensor(dtype, out_buffer->begin());
            RunSoftmax(first_tensor.get(), mask_tensor.get(), kScale, out_tensor.get());
            Bytes want = SoftmaxWant(dtype, layout, first, layout, mask);
            ASSERT_EQ(std::memcmp(out_buffer->begin(), want.data(), want.size()), 0) << columns << " columns";
            RunBackward(first_tensor.get(), layout.Tensor(dtype, second_buffer->begin()).get(), mask_tensor.get(),
                        kScale, out_tensor.get());
            want = BackwardWant(dtype, layout, first, layout, second, layout, mask);
            ASSERT_EQ(std::memcmp(out_buffer->begin(), want.data(), want.size()), 0) << columns << " columns";
            EXPECT_TRUE(first_buffer->Intact() && second_buffer->Intact() && mask_buffer->Intact() &&
                        out_buffer->Intact());
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::scaled_masked_softmax
