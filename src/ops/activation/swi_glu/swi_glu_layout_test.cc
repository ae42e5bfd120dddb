// SPDX-License-Identifier: Apache-2.0
//
// Both operators on views of every kind: the result of an element depends neither on where it lies nor on who computes
// it.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/activation/swi_glu/swi_glu_test_support.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"
#include "testing/thread_count.h"

namespace portacl::ops::swi_glu {
namespace {

using calls::ContiguousStrides;
using calls::Dims;
using calls::ElementBytes;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;
using testing::ForEachTarget;
using testing::GuardedBuffer;
using testing::GuardSide;

// Where the elements of a tensor lie in its block.
struct Layout {
  Dims shape;
  Dims strides;
  int64_t offset = 0;

  int64_t Extent() const { return calls::ViewExtent(shape, strides, offset); }
  TensorHandle Tensor(aclDataType dtype, const void* data) const {
    return TensorBuilder(dtype, shape).Strides(strides).Offset(offset).Data(data).Build();
  }

  // Places in the block of the elements in row-major order; with `dim` >= 0 only of one half along it.
  std::vector<size_t> Places(int64_t dim = -1, int64_t half = 0) const {
    Dims count = shape;
    int64_t start = offset;
    if (dim >= 0) {
      const auto axis = static_cast<size_t>(dim);
      count[axis] /= 2;
      start += half * count[axis] * strides[axis];
    }
    std::vector<size_t> places;
    Dims index(count.size(), 0);
    for (int64_t i = calls::ElementCount(count); i > 0; --i) {
      int64_t place = start;
      for (size_t axis = 0; axis < count.size(); ++axis) place += index[axis] * strides[axis];
      places.push_back(static_cast<size_t>(place));
      for (size_t axis = count.size(); axis-- > 0;) {
        if (++index[axis] < count[axis]) break;
        index[axis] = 0;
      }
    }
    return places;
  }
};

Layout Plain(const Dims& shape) { return {shape, ContiguousStrides(shape)}; }

Dims Halved(Dims shape, int64_t dim) {
  shape[static_cast<size_t>(dim)] /= 2;
  return shape;
}

Bytes Pick(const Bytes& block, const std::vector<size_t>& places, size_t size) {
  Bytes picked(places.size() * size);
  for (size_t i = 0; i < places.size(); ++i) std::memcpy(&picked[i * size], &block[places[i] * size], size);
  return picked;
}

void Put(Bytes& block, const std::vector<size_t>& places, const std::byte* elements, size_t size) {
  for (size_t i = 0; i < places.size(); ++i) std::memcpy(&block[places[i] * size], elements + i * size, size);
}

Bytes Joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class SwiGluLayout : public DeviceTest {
 protected:
  Bytes RandomBlock(aclDataType dtype, int64_t elements) {
    std::vector<double> values;
    for (int64_t i = 0; i < elements; ++i) values.push_back(random_.Real(-3, 3));
    return Encode(dtype, values);
  }

  // The results of a contiguous run on one axis over the same elements, in the blocks of the outputs.
  static void ForwardWant(aclDataType dtype, int64_t dim, const Layout& x, const Bytes& x_block, const Layout& out,
                          Bytes& block) {
    const size_t size = ElementBytes(dtype);
    const Bytes halves = Joined(Pick(x_block, x.Places(dim, 0), size), Pick(x_block, x.Places(dim, 1), size));
    const Bytes want = SwiGluBytes(dtype, {static_cast<int64_t>(halves.size() / size)}, 0, halves);
    Put(block, out.Places(), want.data(), size);
  }
  static void GradWant(aclDataType dtype, int64_t dim, const Layout& grad, const Bytes& grad_block, const Layout& x,
                       const Bytes& x_block, const Layout& out, Bytes& block) {
    const size_t size = ElementBytes(dtype);
    const Bytes halves = Joined(Pick(x_block, x.Places(dim, 0), size), Pick(x_block, x.Places(dim, 1), size));
    const Bytes want = SwiGluGradBytes(dtype, {static_cast<int64_t>(halves.size() / size)}, 0,
                                       Pick(grad_block, grad.Places(), size), halves);
    Put(block, out.Places(dim, 0), want.data(), size);
    Put(block, out.Places(dim, 1), want.data() + want.size() / 2, size);
  }

  // Runs the gradient, and the forward operator with an output laid out as yGrad. Whole blocks are compared: what lies
  // between the elements of a view must stay.
  void Check(aclDataType dtype, int64_t dim, const Layout& grad, const Layout& x, const Layout& out) {
    SCOPED_TRACE(::testing::Message() << "dtype " << dtype << ", x " << ::testing::PrintToString(x.shape) << ", dim "
                                      << dim);
    const Bytes grad_block = RandomBlock(dtype, grad.Extent() + 3);
    const Bytes x_block = RandomBlock(dtype, x.Extent() + 3);
    const DeviceArray<std::byte> device_grad(grad_block);
    const DeviceArray<std::byte> device_x(x_block);
    Bytes want = RandomBlock(dtype, out.Extent() + 3);
    const DeviceArray<std::byte> device_out(want);
    const int64_t negative_dim = dim - static_cast<int64_t>(x.shape.size());
    const TensorHandle x_tensor = x.Tensor(dtype, device_x.data());
    const TensorHandle grad_tensor = grad.Tensor(dtype, device_grad.data());
    RunSwiGluGrad(grad_tensor.get(), x_tensor.get(), dim, out.Tensor(dtype, device_out.data()).get());
    GradWant(dtype, dim, grad, grad_block, x, x_block, out, want);
    EXPECT_TRUE(device_out.ToHost() == want) << "gradient";

    if (calls::ElementCount(grad.shape) > grad.Extent() - grad.offset) return;  // an expanded yGrad is no output
    want = grad_block;
    RunSwiGlu(x_tensor.get(), negative_dim, grad_tensor.get());
    ForwardWant(dtype, dim, x, x_block, grad, want);
    EXPECT_TRUE(device_grad.ToHost() == want) << "forward";
  }

 private:
  testing::Random random_;
};

TEST_F(SwiGluLayout, TakesEveryLengthAroundTheRegister) {
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
      for (const int64_t h : {1, 3, 7, 8, 9, 16, 17, 33, 65, 1000}) {
        Check(dtype, 0, Plain({h}), Plain({2 * h}), {{2 * h}, {1}, 1});
        Check(dtype, 1, Plain({3, h}), Plain({3, 2 * h}), Plain({3, 2 * h}));
      }
    }
  });
}

// Lane code sees no strides, so that this and the next test need one target only.
TEST_F(SwiGluLayout, SplitsEveryAxisOfEveryRank) {
  Dims shape;
  for (int64_t rank = 1; rank <= 8; ++rank) {
    shape.push_back(rank % 3 == 0 ? 4 : 2);
    for (int64_t dim = 0; dim < rank; ++dim) {
      const Dims half = Halved(shape, dim);
      // Gaps between the innermost elements keep the axes of one operand from merging.
      Layout spread = Plain(shape);
      for (int64_t& stride : spread.strides) stride *= 3;
      const aclDataType dtype = kAllDtypes[(rank + dim) % 3];
      Check(dtype, dim, Plain(half), Plain(shape), Plain(shape));
      Check(dtype, dim, Plain(half), spread, Plain(shape));
      Check(dtype, dim, Plain(half), Plain(shape), spread);
    }
  }
}

TEST_F(SwiGluLayout, TakesTransposedSlicedSteppedAndExpandedViews) {
  for (const aclDataType dtype : kAllDtypes) {
    for (const auto& [rows, columns] : {std::pair{4, 6}, {40, 34}, {2, 300}}) {
      for (const int64_t dim : {0, 1}) {
        const auto plain = [](const Dims& s) { return Plain(s); };
        const auto transposed = [](const Dims& s) { return Layout{s, {1, s[0]}}; };
        const auto sliced = [](const Dims& s) { return Layout{s, {s[1] + 4, 1}, 2}; };
        const auto stepped = [](const Dims& s) { return Layout{s, {2 * s[1] + 1, 2}, 1}; };
        const Dims x = {rows, columns};
        const Dims half = Halved(x, dim);
        Check(dtype, dim, sliced(half), transposed(x), plain(x));
        Check(dtype, dim, transposed(half), plain(x), stepped(x));
        Check(dtype, dim, stepped(half), sliced(x), transposed(x));
        Check(dtype, dim, plain(half), {x, {0, 1}}, plain(x));
        Check(dtype, dim, {half, {1, 0}}, plain(x), plain(x));
        Check(dtype, dim, {half, {0, 0}, 3}, {x, {0, 0}}, transposed(x));
      }
    }
  }
}

TEST_F(SwiGluLayout, GradientMayBeWrittenOverX) {
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) {
      for (const Dims& shape : {Dims{2, 2}, Dims{10, 34}, Dims{2, 700}}) {
        for (const int64_t dim : {0, 1}) {
          for (const int64_t stride : {1, 3}) {
            const Layout x{shape, {shape[1] * stride, stride}};
            const Layout grad = Plain(Halved(shape, dim));
            const Bytes x_block = RandomBlock(dtype, x.Extent());
            const Bytes grad_block = RandomBlock(dtype, grad.Extent());
            Bytes want = x_block;
            GradWant(dtype, dim, grad, grad_block, x, x_block, x, want);
            const DeviceArray<std::byte> device_x(x_block);
            const DeviceArray<std::byte> device_grad(grad_block);
            const TensorHandle tensor = x.Tensor(dtype, device_x.data());
            RunSwiGluGrad(grad.Tensor(dtype, device_grad.data()).get(), tensor.get(), dim, tensor.get());
            EXPECT_TRUE(device_x.ToHost() == want) << ::testing::PrintToString(shape) << ", stride " << stride;
          }
        }
      }
    }
  });
}

TEST_F(SwiGluLayout, ReadsOverlappingInputsBeforeTheyAreOverwritten) {
  ForEachTarget([&] {
    const Dims shape = {20, 30};
    for (const int64_t dim : {0, 1}) {
      for (const auto& [x_offset, out_offset] : {std::pair{0, 1}, {1, 0}, {30, 0}, {0, 30}, {0, 300}}) {
        // All three operands in one block; yGrad begins inside out.
        const Layout x{shape, {30, 1}, x_offset};
        const Layout out{shape, {30, 1}, out_offset};
        const Layout grad{Halved(shape, dim), ContiguousStrides(Halved(shape, dim)), 500};
        const Bytes block = RandomBlock(ACL_FLOAT, 1000);
        Bytes want = block;
        GradWant(ACL_FLOAT, dim, grad, block, x, block, out, want);
        const DeviceArray<std::byte> device(block);
        RunSwiGluGrad(grad.Tensor(ACL_FLOAT, device.data()).get(), x.Tensor(ACL_FLOAT, device.data()).get(), dim,
                      out.Tensor(ACL_FLOAT, device.data()).get());
        EXPECT_TRUE(device.ToHost() == want) << "gradient, dim " << dim << ", " << x_offset << ", " << out_offset;

        const Layout over{grad.shape, grad.strides, out_offset};
        want = block;
        ForwardWant(ACL_FLOAT, dim, x, block, over, want);
        const DeviceArray<std::byte> again(block);
        RunSwiGlu(x.Tensor(ACL_FLOAT, again.data()).get(), dim, over.Tensor(ACL_FLOAT, again.data()).get());
        EXPECT_TRUE(again.ToHost() == want) << "forward, dim " << dim << ", " << x_offset << ", " << out_offset;
      }
    }
  });
}

// Past the size from which results are stored around the cache; the rows of the two halves are aligned differently.
TEST_F(SwiGluLayout, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const aclDataType dtype : kAllDtypes) {
    const Dims shape = {1031, 2 * 2437};
    const size_t size = ElementBytes(dtype);
    Bytes x = RandomBlock(dtype, 65521);
    x.resize(static_cast<size_t>(calls::ElementCount(shape)) * size);
    for (size_t i = 65521 * size; i < x.size(); ++i) x[i] = x[i - 65521 * size];
    const Bytes grad(x.begin(), x.begin() + static_cast<ptrdiff_t>(x.size() / 2));
    Bytes first_out, first_grads;
    for (const int threads : {1, 2, 3, 8}) {
      const testing::ThreadCount count(threads);
      const Bytes out = SwiGluBytes(dtype, shape, 1, x);
      const Bytes grads = SwiGluGradBytes(dtype, shape, 1, grad, x);
      if (first_out.empty()) first_out = out, first_grads = grads;
      EXPECT_TRUE(out == first_out && grads == first_grads) << threads << " threads, dtype " << dtype;
    }
    // A single row is neither split nor stored around the cache.
    const size_t row = static_cast<size_t>(shape[1]) * size;
    for (const size_t r : {size_t{0}, size_t{1}, size_t{517}, size_t{1030}}) {
      const auto part = [&](const Bytes& all, size_t bytes) {
        const auto begin = all.begin() + static_cast<ptrdiff_t>(r * bytes);
        return Bytes(begin, begin + static_cast<ptrdiff_t>(bytes));
      };
      EXPECT_TRUE(SwiGluBytes(dtype, {shape[1]}, 0, part(x, row)) == part(first_out, row / 2));
      EXPECT_TRUE(SwiGluGradBytes(dtype, {shape[1]}, 0, part(grad, row / 2), part(x, row)) == part(first_grads, row));
    }
  }
}

// Each operand ends, or begins, at a forbidden page; memory that no aclrtMalloc returned is taken as it is.
TEST_F(SwiGluLayout, TouchesNothingBesideItsOperands) {
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        for (const int64_t h : {1, 3, 7, 9, 15, 17, 31, 33, 65}) {
          for (const int64_t stride : {1, 3}) {
            if (stride != 1 && h != 17) continue;
            const Layout x{{2 * h}, {stride}};
            const Layout grad{{h}, {stride}};
            const size_t size = ElementBytes(dtype);
            const auto bytes = [&](const Layout& layout) { return static_cast<size_t>(layout.Extent()) * size; };
            const GuardedBuffer x_buffer(bytes(x), side), grad_buffer(bytes(grad), side), out_buffer(bytes(x), side);
            const Bytes x_block = RandomBlock(dtype, x.Extent());
            const Bytes grad_block = RandomBlock(dtype, grad.Extent());
            std::memcpy(x_buffer.begin(), x_block.data(), x_block.size());
            std::memcpy(grad_buffer.begin(), grad_block.data(), grad_block.size());
            std::memset(out_buffer.begin(), 0x5A, out_buffer.size());
            Bytes want(out_buffer.size(), std::byte{0x5A});
            GradWant(dtype, 0, grad, grad_block, x, x_block, x, want);
            RunSwiGluGrad(grad.Tensor(dtype, grad_buffer.begin()).get(), x.Tensor(dtype, x_buffer.begin()).get(), 0,
                          x.Tensor(dtype, out_buffer.begin()).get());
            ASSERT_EQ(std::memcmp(out_buffer.begin(), want.data(), want.size()), 0) << h << ", stride " << stride;
            want = grad_block;
            ForwardWant(dtype, 0, x, x_block, grad, want);
            RunSwiGlu(x.Tensor(dtype, x_buffer.begin()).get(), 0, grad.Tensor(dtype, grad_buffer.begin()).get());
            ASSERT_EQ(std::memcmp(grad_buffer.begin(), want.data(), want.size()), 0) << h << ", stride " << stride;
            EXPECT_TRUE(x_buffer.Intact() && grad_buffer.Intact() && out_buffer.Intact());
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::swi_glu
