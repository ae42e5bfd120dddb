// SPDX-License-Identifier: Apache-2.0
//
// Both operators on views, broadcasts and mixes of dtypes of every kind.
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/smooth_l1_loss/smooth_l1_loss_layout_test_support.h"
#include "testing/guarded_buffer.h"

namespace portacl::ops::smooth_l1_loss {
namespace {

using calls::ElementBytes;
using testing::DeviceArray;
using testing::ForEachTarget;
using testing::GuardedBuffer;
using testing::GuardSide;

class SmoothL1LossLayout : public LayoutTest {};

TEST_F(SmoothL1LossLayout, TakesEveryLengthAroundTheRegister) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 1000}) {
        const Operand plain{dtype, Plain({n})};
        const Operand one{dtype, Plain({1})};
        const Operand shifted{dtype, {{n}, {1}, 1}};
        Check(plain, plain, plain, shifted);
        Check(one, plain, one, plain);
        Check(plain, plain, one, shifted);
        Check(one, plain, shifted, plain);
      }
    }
  });
}

TEST_F(SmoothL1LossLayout, TakesEveryMixOfDtypes) {
  ForEachTarget([&] {
    for (const aclDataType g : kAllDtypes) {
      for (const aclDataType s : kAllDtypes) {
        for (const aclDataType t : kAllDtypes) {
          for (const aclDataType out : kAllDtypes) {
            Check({g, Plain({})}, {s, Plain({3, 40})}, {t, Plain({40})}, {out, Plain({3, 40})});
            Check({g, Plain({5, 7})}, {s, {{5, 7}, {1, 5}}}, {t, Plain({5, 1})}, {out, {{5, 7}, {15, 2}, 1}});
          }
        }
      }
    }
  });
}

// Lane code sees no strides, so that this and the next test need one target only.
TEST_F(SmoothL1LossLayout, TakesEveryRankAndBroadcast) {
  Dims shape;
  for (int rank = 0; rank <= 8; ++rank) {
    // Gaps between the innermost elements keep the axes of one operand from merging.
    Layout spread = Plain(shape);
    for (int64_t& stride : spread.strides) stride *= 3;
    Dims one_first = shape, one_last = shape, short_one = shape;
    if (rank > 0) one_first.front() = one_last.back() = 1, short_one.erase(short_one.begin());
    const aclDataType dtype = kAllDtypes[rank % 3];
    Check({dtype, Plain(shape)}, {dtype, spread}, {dtype, Plain(one_last)}, {dtype, Plain(shape)});
    Check({dtype, Plain(one_first)}, {dtype, Plain(one_last)}, {dtype, spread}, {dtype, spread});
    Check({dtype, Plain(short_one)}, {dtype, Plain(shape)}, {dtype, Plain(one_first)}, {dtype, Plain(shape)});
    if (rank > 1)
      Check({dtype, Plain(one_last)}, {dtype, Plain(one_first)}, {dtype, Plain({1})}, {dtype, Plain(shape)});
    shape.push_back(rank % 3 == 2 ? 3 : 2);
  }
}

TEST_F(SmoothL1LossLayout, TakesTransposedSlicedSteppedAndExpandedViews) {
  for (const aclDataType dtype : kAllDtypes) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{4, 6}, {40, 34}, {3, 700}, {300, 5}}) {
      const Dims shape = {rows, columns};
      const Operand plain{dtype, Plain(shape)};
      const Operand transposed{dtype, {shape, {1, rows}}};
      const Operand sliced{dtype, {shape, {columns + 4, 1}, 2}};
      const Operand stepped{dtype, {shape, {2 * columns + 1, 2}, 1}};
      const Operand expanded{dtype, {shape, {0, 1}}};
      const Operand column{dtype, {{rows, 1}, {3, 1}}};
      const Operand row{dtype, {{columns}, {2}, 1}};
      Check(plain, transposed, sliced, stepped);
      Check(sliced, stepped, plain, transposed);
      Check(transposed, transposed, transposed, transposed);
      Check(expanded, plain, column, plain);
      Check(column, column, row, sliced);
      Check(row, plain, {dtype, {shape, {1, 0}}}, plain);
      Check({dtype, {shape, {0, 0}, 3}}, row, column, plain);
    }
  }
}

TEST_F(SmoothL1LossLayout, ResultsMayBeWrittenOverAnyInput) {
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
      for (const auto& [n, stride] : {std::pair<int64_t, int64_t>{1, 1}, {50, 1}, {50, 3}, {3000, 1}}) {
        const Operand operand{dtype, {{n}, {stride}}};
        const Bytes block[3] = {RandomBlock(dtype, operand.layout.Extent()),
                                RandomBlock(dtype, operand.layout.Extent()),
                                RandomBlock(dtype, operand.layout.Extent())};
        for (int over = 0; over < 3; ++over) {
          Bytes want = block[over];
          WantOfBackward(operand, block[0], operand, block[1], operand, block[2], kNone, operand, want);
          const DeviceArray<std::byte> data[3] = {DeviceArray(block[0]), DeviceArray(block[1]), DeviceArray(block[2])};
          const auto tensor = [&](int i) { return operand.layout.Tensor(dtype, data[i].data()); };
          RunBackward(tensor(0).get(), tensor(1).get(), tensor(2).get(), kNone, kBeta, tensor(over).get());
          EXPECT_TRUE(data[over].ToHost() == want) << "over operand " << over << ", n " << n;
        }
      }
    }
  });
}

// Outputs that begin inside an input, and those over an input of another dtype or of one element.
TEST_F(SmoothL1LossLayout, ReadsOverlappingInputsBeforeTheyAreOverwritten) {
  ForEachTarget([&] {
    for (const auto& [self_offset, out_offset] : {std::pair<int64_t, int64_t>{0, 1}, {1, 0}, {300, 0}, {0, 300}}) {
      const Layout self{{20, 30}, {30, 1}, self_offset};
      const Layout out{{20, 30}, {30, 1}, out_offset};
      for (const aclDataType self_dtype : {ACL_FLOAT, ACL_FLOAT16}) {
        const Operand s{self_dtype, self};
        const Operand t{ACL_FLOAT, {{30}, {1}, 7}};
        const Operand g{ACL_FLOAT, {{1}, {1}, 305}};
        const Operand o{ACL_FLOAT, out};
        const Bytes block = RandomBlock(ACL_FLOAT, 1000);
        const DeviceArray<std::byte> device(block);
        Bytes want = block;
        WantOfBackward(g, block, s, block, t, block, kSum, o, want);
        RunBackward(g.layout.Tensor(g.dtype, device.data()).get(), s.layout.Tensor(s.dtype, device.data()).get(),
                    t.layout.Tensor(t.dtype, device.data()).get(), kSum, kBeta,
                    o.layout.Tensor(o.dtype, device.data()).get());
        EXPECT_TRUE(device.ToHost() == want) << "gradient " << self_offset << ", " << out_offset;

        const DeviceArray<std::byte> again(block);
        want = block;
        WantOfLoss(s, block, t, block, o, want);
        RunLoss(s.layout.Tensor(s.dtype, again.data()).get(), t.layout.Tensor(t.dtype, again.data()).get(), kNone,
                kBeta, o.layout.Tensor(o.dtype, again.data()).get());
        EXPECT_TRUE(again.ToHost() == want) << "loss " << self_offset << ", " << out_offset;
      }
    }
  });
}

// Each operand ends, or begins, at a forbidden page; memory that no aclrtMalloc returned is taken as it is.
TEST_F(SmoothL1LossLayout, TouchesNothingBesideItsOperands) {
  ForEachTarget([&] {
    for (const auto& [dtype, out_dtype] :
         {std::pair{ACL_FLOAT, ACL_FLOAT}, {ACL_FLOAT16, ACL_FLOAT16}, {ACL_BF16, ACL_BF16}, {ACL_BF16, ACL_FLOAT16}}) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        for (const int64_t n : {1, 3, 7, 9, 15, 17, 31, 33, 65, 515}) {
          for (const int64_t stride : {1, 3}) {
            if (stride != 1 && n != 17) continue;
            const Operand in{dtype, {{n}, {stride}}};
            const Operand out{out_dtype, {{n}, {stride}}};
            const auto bytes = [](const Operand& operand) {
              return static_cast<size_t>(operand.layout.Extent()) * ElementBytes(operand.dtype);
            };
            const GuardedBuffer g(bytes(in), side), s(bytes(in), side), t(bytes(in), side), o(bytes(out), side);
            const GuardedBuffer sum(ElementBytes(out_dtype), side);
            const Bytes block = RandomBlock(dtype, in.layout.Extent());
            for (const GuardedBuffer* buffer : {&g, &s, &t}) std::memcpy(buffer->begin(), block.data(), block.size());
            std::memset(s.begin(), 0, s.size());
            const Bytes zeros(block.size());
            std::memset(o.begin(), 0x5A, o.size());
            Bytes want(o.size(), std::byte{0x5A});
            const auto tensor = [&](const GuardedBuffer& buffer) { return in.layout.Tensor(dtype, buffer.begin()); };
            const auto out_tensor = out.layout.Tensor(out_dtype, o.begin());
            WantOfBackward(in, block, in, zeros, in, block, kNone, out, want);
            RunBackward(tensor(g).get(), tensor(s).get(), tensor(t).get(), kNone, kBeta, out_tensor.get());
            ASSERT_EQ(std::memcmp(o.begin(), want.data(), want.size()), 0) << n << ", stride " << stride;
            WantOfLoss(in, zeros, in, block, out, want);
            RunLoss(tensor(s).get(), tensor(t).get(), kNone, kBeta, out_tensor.get());
            ASSERT_EQ(std::memcmp(o.begin(), want.data(), want.size()), 0) << n << ", stride " << stride;
            RunLoss(tensor(s).get(), tensor(t).get(), kSum, kBeta, Plain({1}).Tensor(out_dtype, sum.begin()).get());
            EXPECT_TRUE(g.Intact() && s.Intact() && t.Intact() && o.Intact() && sum.Intact());
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
