// SPDX-License-Identifier: Apache-2.0
//
// Operands of any dtype, strides and broadcast for the layout tests of this room: the result of an element depends
// neither on where it lies nor on who computes it.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/loss/smooth_l1_loss/smooth_l1_loss_test_support.h"
#include "testing/random.h"

namespace portacl::ops::smooth_l1_loss {

/// Where the elements of a tensor lie in its block.
struct Layout {
  Dims shape;
  Dims strides;
  int64_t offset = 0;

  int64_t Extent() const { return calls::ViewExtent(shape, strides, offset); }
  calls::TensorHandle Tensor(aclDataType dtype, const void* data) const {
    return calls::TensorBuilder(dtype, shape).Strides(strides).Offset(offset).Data(data).Build();
  }

  /// Places in the block of the elements of the broadcast to `to`, in row-major order.
  std::vector<size_t> Places(const Dims& to) const {
    Dims steps(to.size(), 0);
    for (size_t axis = 1; axis <= shape.size(); ++axis) {
      if (shape[shape.size() - axis] != 1) steps[to.size() - axis] = strides[shape.size() - axis];
    }
    std::vector<size_t> places;
    Dims index(to.size(), 0);
    for (int64_t i = calls::ElementCount(to); i > 0; --i) {
      int64_t place = offset;
      for (size_t axis = 0; axis < to.size(); ++axis) place += index[axis] * steps[axis];
      places.push_back(static_cast<size_t>(place));
      for (size_t axis = to.size(); axis-- > 0;) {
        if (++index[axis] < to[axis]) break;
        index[axis] = 0;
      }
    }
    return places;
  }
};

inline Layout Plain(const Dims& shape) { return {shape, calls::ContiguousStrides(shape)}; }

inline Bytes Pick(const Bytes& block, const std::vector<size_t>& places, size_t size) {
  Bytes picked(places.size() * size);
  for (size_t i = 0; i < places.size(); ++i) std::memcpy(&picked[i * size], &block[places[i] * size], size);
  return picked;
}

inline void Put(Bytes& block, const std::vector<size_t>& places, const Bytes& elements, size_t size) {
  for (size_t i = 0; i < places.size(); ++i) std::memcpy(&block[places[i] * size], &elements[i * size], size);
}

/// An operand: `layout` in a block of random elements.
struct Operand {
  aclDataType dtype;
  Layout layout;
};

class LayoutTest : public DeviceTest {
 protected:
  Bytes RandomBlock(aclDataType dtype, int64_t elements) {
    std::vector<double> values;
    for (int64_t i = 0; i < elements; ++i) values.push_back(random_.Real(-3, 3));
    return Encode(dtype, values);
  }

  static constexpr float kBeta = 1.3f;

  /// The elements of an operand, broadcast to `shape`, on one axis.
  static DeviceTensor Flat(const Operand& operand, const Bytes& block, const Dims& shape) {
    return DeviceTensor(operand.dtype, {calls::ElementCount(shape)},
                        Pick(block, operand.layout.Places(shape), calls::ElementBytes(operand.dtype)));
  }

  /// What such operands give, put into the block of the output.
  static void WantOfBackward(const Operand& g, const Bytes& g_block, const Operand& s, const Bytes& s_block,
                             const Operand& t, const Bytes& t_block, int64_t reduction, const Operand& out,
                             Bytes& block) {
    const Dims& shape = out.layout.shape;
    const DeviceTensor result(out.dtype, {calls::ElementCount(shape)});
    RunBackward(Flat(g, g_block, shape).get(), Flat(s, s_block, shape).get(), Flat(t, t_block, shape).get(), reduction,
                kBeta, result.get());
    Put(block, out.layout.Places(shape), result.bytes(), calls::ElementBytes(out.dtype));
  }

  static void WantOfLoss(const Operand& s, const Bytes& s_block, const Operand& t, const Bytes& t_block,
                         const Operand& out, Bytes& block) {
    const Dims& shape = out.layout.shape;
    const DeviceTensor result(out.dtype, {calls::ElementCount(shape)});
    RunLoss(Flat(s, s_block, shape).get(), Flat(t, t_block, shape).get(), kNone, kBeta, result.get());
    Put(block, out.layout.Places(shape), result.bytes(), calls::ElementBytes(out.dtype));
  }

  /// Runs the gradient, and the loss of the same self and target where those alone are broadcast to the output. Whole
  /// blocks are compared: what lies between the elements of a view must stay.
  void Check(const Operand& g, const Operand& s, const Operand& t, const Operand& out) {
    SCOPED_TRACE(::testing::Message() << "dtypes " << g.dtype << ' ' << s.dtype << ' ' << t.dtype << ' ' << out.dtype
                                      << ", shape " << ::testing::PrintToString(out.layout.shape));
    const auto block_of = [&](const Operand& o) { return RandomBlock(o.dtype, o.layout.Extent() + 3); };
    const Bytes g_block = block_of(g), s_block = block_of(s), t_block = block_of(t), out_block = block_of(out);
    const testing::DeviceArray<std::byte> g_data(g_block), s_data(s_block), t_data(t_block);
    const auto g_tensor = g.layout.Tensor(g.dtype, g_data.data());
    const auto s_tensor = s.layout.Tensor(s.dtype, s_data.data());
    const auto t_tensor = t.layout.Tensor(t.dtype, t_data.data());
    for (const int64_t reduction : {kNone, kMean}) {
      const testing::DeviceArray<std::byte> out_data(out_block);
      RunBackward(g_tensor.get(), s_tensor.get(), t_tensor.get(), reduction, kBeta,
                  out.layout.Tensor(out.dtype, out_data.data()).get());
      Bytes want = out_block;
      WantOfBackward(g, g_block, s, s_block, t, t_block, reduction, out, want);
      EXPECT_TRUE(out_data.ToHost() == want) << "gradient, reduction " << reduction;
    }
    if (LossShape(s.layout.shape, t.layout.shape) != out.layout.shape) return;
    const testing::DeviceArray<std::byte> out_data(out_block);
    RunLoss(s_tensor.get(), t_tensor.get(), kNone, kBeta, out.layout.Tensor(out.dtype, out_data.data()).get());
    Bytes want = out_block;
    WantOfLoss(s, s_block, t, t_block, out, want);
    EXPECT_TRUE(out_data.ToHost() == want) << "loss";
  }

  testing::Random random_;

 private:
  static Dims LossShape(Dims a, Dims b) {
    if (a.size() < b.size()) a.swap(b);
    for (size_t axis = 1; axis <= b.size(); ++axis)
      a[a.size() - axis] = std::max(a[a.size() - axis], b[b.size() - axis]);
    return a;
  }
};

}  // namespace portacl::ops::smooth_l1_loss
