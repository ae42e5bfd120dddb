// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogit on views of every kind: the result of an element depends neither on where it lies nor on who computes it,
// and nothing else is touched.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/logit/logit_layout_test_support.h"
#include "testing/guarded_buffer.h"

namespace portacl::ops::logit {
namespace {

using calls::ContiguousStrides;
using calls::Dims;
using calls::ElementBytes;
using calls::TensorBuilder;
using calls::ViewExtent;
using testing::DeviceArray;
using testing::ForEachTarget;
using testing::GuardedBuffer;
using testing::GuardSide;

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
constexpr double kEps = 0.05;

class LogitLayout : public LayoutTest {
 protected:
  // Runs on two blocks of their own and compares with a contiguous run of the same elements.
  void Check(aclDataType dtype, const Dims& shape, const Layout& input, const Layout& out) {
    const size_t size = ElementBytes(dtype);
    const auto extent = [&](const Layout& layout) { return ViewExtent(shape, layout.strides, layout.offset) + 3; };
    const std::vector<std::byte> input_block = RandomBlock(dtype, extent(input));
    std::vector<std::byte> want = RandomBlock(dtype, extent(out));
    const DeviceArray<std::byte> device_input(input_block);
    const DeviceArray<std::byte> device_out(want);
    const auto build = [&](const Layout& layout, const DeviceArray<std::byte>& block) {
      return TensorBuilder(dtype, shape).Strides(layout.strides).Offset(layout.offset).Data(block.data()).Build();
    };
    RunLogit(build(input, device_input).get(), kEps, build(out, device_out).get());

    const std::vector<std::byte> expected = LogitBytes(dtype, Pick(input_block, Offsets(shape, input), size), kEps);
    const std::vector<size_t> out_offsets = Offsets(shape, out);
    for (size_t i = 0; i < out_offsets.size(); ++i) {
      std::memcpy(&want[out_offsets[i] * size], &expected[i * size], size);
    }
    // The whole block: what lies between the elements of the view must stay.
    EXPECT_TRUE(device_out.ToHost() == want) << "dtype " << dtype << ", shape " << ::testing::PrintToString(shape);
  }

  // n elements, every `stride`-th of memory that no aclrtMalloc returned, in operands that lie at the guard.
  static void CheckAtGuard(aclDataType dtype, int64_t n, int64_t stride, GuardSide side) {
    SCOPED_TRACE("n " + std::to_string(n) + ", stride " + std::to_string(stride));
    const size_t size = ElementBytes(dtype);
    const auto count = static_cast<size_t>(n);
    const size_t step = static_cast<size_t>(stride) * size;
    const size_t bytes = (count - 1) * step + size;
    const GuardedBuffer input(bytes, side);
    const GuardedBuffer out(bytes, side);
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i % 13 + 1) / 16;
    const std::vector<std::byte> encoded = Encode(dtype, values);
    const std::vector<std::byte> want = LogitBytes(dtype, encoded, -1);
    for (size_t i = 0; i < count; ++i) std::memcpy(input.begin() + i * step, &encoded[i * size], size);
    TensorBuilder builder(dtype, {n});
    builder.Strides({stride});
    RunLogit(builder.Data(input.begin()).Build().get(), -1, builder.Data(out.begin()).Build().get());
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(out.begin() + i * step, &want[i * size], size), 0) << "element " << i;
    }
    EXPECT_TRUE(input.Intact() && out.Intact());
  }
};

TEST_F(LogitLayout, TakesEveryLengthAroundTheRegister) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (int64_t n = 1; n <= 70; ++n) Check(dtype, {n}, {{1}}, {{1}});
      for (const int64_t n : {127, 128, 129, 255, 256, 257, 1000}) Check(dtype, {n}, {{1}}, {{1}, 1});
    }
  });
}

TEST_F(LogitLayout, TakesEveryRank) {
  ForEachTarget([&] {
    Dims shape;
    for (int rank = 0; rank <= 8; ++rank) {
      const Layout plain{ContiguousStrides(shape)};
      Check(ACL_FLOAT, shape, plain, plain);
      // Gaps between the innermost elements keep the axes from merging in one operand.
      Layout spread = plain;
      for (int64_t& stride : spread.strides) stride *= 3;
      Check(ACL_BF16, shape, spread, plain);
      Check(ACL_FLOAT16, shape, plain, spread);
      shape.push_back(rank % 3 == 2 ? 1 : 2 + rank % 2);
    }
  });
}

TEST_F(LogitLayout, TakesTransposedSlicedAndExpandedViews) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (const auto& [rows, columns] : {std::pair{3, 5}, {40, 33}, {100, 7}, {2, 300}}) {
        const Dims shape = {rows, columns};
        const Layout plain{{columns, 1}};
        const Layout transposed{{1, rows}};
        const Layout sliced{{columns + 4, 1}, 2};
        const Layout stepped{{2 * columns + 1, 2}, 1};
        Check(dtype, shape, transposed, sliced);
        Check(dtype, shape, stepped, transposed);
        Check(dtype, shape, sliced, stepped);
        Check(dtype, shape, {{0, 1}}, plain);
        Check(dtype, shape, {{1, 0}}, plain);
        Check(dtype, shape, {{0, 0}, 3}, transposed);
      }
    }
  });
}

TEST_F(LogitLayout, TakesAPermutationOfFourAxes) {
  ForEachTarget([&] { Check(ACL_FLOAT, {4, 5, 6, 7}, {{1, 4, 140, 20}}, {{7, 28, 140, 1}}); });
}

TEST_F(LogitLayout, WorksInPlace) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (const int64_t stride : {1, 3}) {
        const int64_t n = 333;
        const size_t size = ElementBytes(dtype);
        const std::vector<size_t> offsets = Offsets({n}, {{stride}});
        const std::vector<std::byte> input = RandomBlock(dtype, n * stride);
        const DeviceArray<std::byte> device(input);
        const auto tensor = TensorBuilder(dtype, {n}).Strides({stride}).Data(device.data()).Build();
        RunLogit(tensor.get(), kEps, tensor.get());
        EXPECT_TRUE(Pick(device.ToHost(), offsets, size) == LogitBytes(dtype, Pick(input, offsets, size), kEps))
            << "stride " << stride;
      }
    }
  });
}

TEST_F(LogitLayout, ReadsAnOverlappingInputBeforeItIsOverwritten) {
  ForEachTarget([&] {
    for (const int64_t shift : {1, 5, 64}) {
      const int64_t n = 500;
      const std::vector<std::byte> block = RandomBlock(ACL_FLOAT, n + shift);
      for (const bool out_is_later : {true, false}) {
        const int64_t input_offset = out_is_later ? 0 : shift;
        const int64_t out_offset = shift - input_offset;
        const DeviceArray<std::byte> device(block);
        TensorBuilder builder(ACL_FLOAT, {n});
        builder.Data(device.data());
        RunLogit(builder.Offset(input_offset).Build().get(), kEps, builder.Offset(out_offset).Build().get());
        const std::vector<std::byte> want =
            LogitBytes(ACL_FLOAT, Pick(block, Offsets({n}, {{1}, input_offset}), 4), kEps);
        EXPECT_TRUE(Pick(device.ToHost(), Offsets({n}, {{1}, out_offset}), 4) == want) << "shift " << shift;
      }
    }
  });
}

TEST_F(LogitLayout, LeavesOneOfTheRightValuesWhereOutputsShareAnAddress) {
  ForEachTarget([&] {
    const Dims shape = {50, 6};
    const std::vector<std::byte> input = RandomBlock(ACL_FLOAT, 300);
    const std::vector<std::byte> right = LogitBytes(ACL_FLOAT, input, kEps);
    const DeviceArray<std::byte> device_input(input);
    const DeviceArray<std::byte> device_out(6 * sizeof(float));
    RunLogit(TensorBuilder(ACL_FLOAT, shape).Data(device_input.data()).Build().get(), kEps,
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

TEST_F(LogitLayout, TouchesNothingBesideItsOperands) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kDtypes) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        for (int64_t n = 1; n <= 67; ++n) CheckAtGuard(dtype, n, 1, side);
        for (const int64_t n : {1, 2, 15, 16, 17, 1000}) CheckAtGuard(dtype, n, 3, side);
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::logit
