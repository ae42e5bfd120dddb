// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogitGrad on views of every kind: the result of an element depends neither on where it lies nor on who computes
// it.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/logit/logit_layout_test_support.h"

namespace portacl::ops::logit {
namespace {

using calls::ContiguousStrides;
using calls::Dims;
using calls::ElementBytes;
using calls::TensorBuilder;
using calls::ViewExtent;
using testing::DeviceArray;
using testing::ForEachTarget;

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
constexpr double kEps = 0.05;

class LogitGradLayout : public LayoutTest {
 protected:
  // Runs on three blocks of their own and compares with a contiguous run of the same elements.
  void Check(aclDataType dtype, const Dims& shape, const Layout& x, const Layout& dy, const Layout& out) {
    const size_t size = ElementBytes(dtype);
    const auto extent = [&](const Layout& layout) { return ViewExtent(shape, layout.strides, layout.offset) + 3; };
    const std::vector<std::byte> x_block = RandomBlock(dtype, extent(x));
    const std::vector<std::byte> dy_block = RandomBlock(dtype, extent(dy));
    std::vector<std::byte> want = RandomBlock(dtype, extent(out));
    const DeviceArray<std::byte> device_x(x_block);
    const DeviceArray<std::byte> device_dy(dy_block);
    const DeviceArray<std::byte> device_out(want);
    const auto build = [&](const Layout& layout, const DeviceArray<std::byte>& block) {
      return TensorBuilder(dtype, shape).Strides(layout.strides).Offset(layout.offset).Data(block.data()).Build();
    };
    RunLogitGrad(build(x, device_x).get(), build(dy, device_dy).get(), kEps, build(out, device_out).get());

    const std::vector<std::byte> expected =
        LogitGradBytes(dtype, Pick(x_block, Offsets(shape, x), size), Pick(dy_block, Offsets(shape, dy), size), kEps);
    const std::vector<size_t> out_offsets = Offsets(shape, out);
    for (size_t i = 0; i < out_offsets.size(); ++i) {
      std::memcpy(&want[out_offsets[i] * size], &expected[i * size], size);
    }
    // The whole block: what lies between the elements of the view must stay.
    EXPECT_TRUE(device_out.ToHost() == want) << "dtype " << dtype << ", shape " << ::testing::PrintToString(shape);
  }
};

TEST_F(LogitGradLayout, TakesEveryLengthAroundTheRegister) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (int64_t n = 1; n <= 70; ++n) Check(dtype, {n}, {{1}}, {{1}}, {{1}});
      for (const int64_t n : {127, 128, 129, 255, 256, 257, 1000}) Check(dtype, {n}, {{1}}, {{1}}, {{1}, 1});
    }
  });
}

TEST_F(LogitGradLayout, TakesEveryRank) {
  ForEachTarget([&] {
    Dims shape;
    for (int rank = 0; rank <= 8; ++rank) {
      const Layout plain{ContiguousStrides(shape)};
      Check(ACL_FLOAT, shape, plain, plain, plain);
      // Gaps between the innermost elements keep the axes from merging in one operand.
      Layout spread = plain;
      for (int64_t& stride : spread.strides) stride *= 3;
      Check(ACL_BF16, shape, spread, plain, plain);
      Check(ACL_FLOAT16, shape, plain, plain, spread);
      shape.push_back(rank % 3 == 2 ? 1 : 2 + rank % 2);
    }
  });
}

TEST_F(LogitGradLayout, TakesTransposedSlicedAndExpandedViews) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (const auto& [rows, columns] : {std::pair{3, 5}, {40, 33}, {100, 7}, {2, 300}}) {
        const Dims shape = {rows, columns};
        const Layout plain{{columns, 1}};
        const Layout transposed{{1, rows}};
        const Layout sliced{{columns + 4, 1}, 2};
        const Layout stepped{{2 * columns + 1, 2}, 1};
        Check(dtype, shape, transposed, plain, sliced);
        Check(dtype, shape, plain, stepped, transposed);
        Check(dtype, shape, sliced, transposed, stepped);
        Check(dtype, shape, {{0, 1}}, plain, plain);
        Check(dtype, shape, plain, {{1, 0}}, plain);
        Check(dtype, shape, {{0, 0}, 3}, {{0, 0}}, transposed);
      }
    }
  });
}

TEST_F(LogitGradLayout, TakesAPermutationOfFourAxes) {
  ForEachTarget([&] { Check(ACL_FLOAT, {4, 5, 6, 7}, {{1, 4, 140, 20}}, {{210, 42, 7, 1}}, {{7, 28, 140, 1}}); });
}

TEST_F(LogitGradLayout, WorksInPlace) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (const int64_t stride : {1, 3}) {
        const int64_t n = 333;
        const size_t size = ElementBytes(dtype);
        const std::vector<size_t> offsets = Offsets({n}, {{stride}});
        const std::vector<std::byte> x = RandomBlock(dtype, n * stride);
        const std::vector<std::byte> dy = RandomBlock(dtype, n * stride);
        const std::vector<std::byte> want =
            LogitGradBytes(dtype, Pick(x, offsets, size), Pick(dy, offsets, size), kEps);
        for (const bool over_x : {true, false}) {
          const DeviceArray<std::byte> device_x(x);
          const DeviceArray<std::byte> device_dy(dy);
          TensorBuilder builder(dtype, {n});
          builder.Strides({stride});
          const auto x_tensor = builder.Data(device_x.data()).Build();
          const auto dy_tensor = builder.Data(device_dy.data()).Build();
          RunLogitGrad(x_tensor.get(), dy_tensor.get(), kEps, (over_x ? x_tensor : dy_tensor).get());
          EXPECT_TRUE(Pick((over_x ? device_x : device_dy).ToHost(), offsets, size) == want) << "stride " << stride;
        }
      }
    }
  });
}

TEST_F(LogitGradLayout, ReadsOverlappingInputsBeforeTheyAreOverwritten) {
  ForEachTarget([&] {
    for (const int64_t shift : {1, 5, 64}) {
      const int64_t n = 500;
      const std::vector<std::byte> block = RandomBlock(ACL_FLOAT, n + shift);
      const std::vector<std::byte> dy = RandomBlock(ACL_FLOAT, n);
      for (const bool out_is_later : {true, false}) {
        const int64_t x_offset = out_is_later ? 0 : shift;
        const int64_t out_offset = shift - x_offset;
        const DeviceArray<std::byte> device(block);
        const DeviceArray<std::byte> device_dy(dy);
        TensorBuilder builder(ACL_FLOAT, {n});
        const auto dy_tensor = builder.Data(device_dy.data()).Build();
        builder.Data(device.data());
        RunLogitGrad(builder.Offset(x_offset).Build().get(), dy_tensor.get(), kEps,
                     builder.Offset(out_offset).Build().get());
        const std::vector<std::byte> want =
            LogitGradBytes(ACL_FLOAT, Pick(block, Offsets({n}, {{1}, x_offset}), 4), dy, kEps);
        EXPECT_TRUE(Pick(device.ToHost(), Offsets({n}, {{1}, out_offset}), 4) == want) << "shift " << shift;
      }
    }
  });
}

TEST_F(LogitGradLayout, LeavesOneOfTheRightValuesWhereOutputsShareAnAddress) {
  ForEachTarget([&] {
    const Dims shape = {50, 6};
    const std::vector<std::byte> x = RandomBlock(ACL_FLOAT, 300);
    const std::vector<std::byte> dy = RandomBlock(ACL_FLOAT, 300);
    const std::vector<std::byte> right = LogitGradBytes(ACL_FLOAT, x, dy, kEps);
    const DeviceArray<std::byte> device_x(x);
    const DeviceArray<std::byte> device_dy(dy);
    const DeviceArray<std::byte> device_out(6 * sizeof(float));
    RunLogitGrad(TensorBuilder(ACL_FLOAT, shape).Data(device_x.data()).Build().get(),
                 TensorBuilder(ACL_FLOAT, shape).Data(device_dy.data()).Build().get(), kEps,
                 TensorBuilder(ACL_FLOAT, shape).Strides({0, 1}).Data(device_out.data()).Build().get());
    const std::vector<std::byte> got = device_out.ToHost();
    for (size_t column = 0; column < 6; ++column) {
      bool found = false;
      for (size_t row = 0; row < 50; ++row)
        found |= std::memcmp(&got[column * 4], &right[(row * 6 + column) * 4], 4) == 0;
      EXPECT_TRUE(found) << "column " << column;
    }
  });
}

}  // namespace
}  // namespace portacl::ops::logit
