// SPDX-License-Identifier: Apache-2.0
//
// aclnnInplaceCopy on views of every kind: the result of an element depends neither on where it lies nor on who
// computes it, and nothing else is touched.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/conversion/copy/copy_test_support.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"

namespace portacl::ops::copy {
namespace {

using calls::ContiguousStrides;
using calls::ElementBytes;
using calls::ElementCount;
using calls::ViewExtent;
using testing::ForEachTarget;
using testing::GuardedBuffer;
using testing::GuardSide;

struct DtypePair {
  aclDataType from;
  aclDataType to;
};

// Moves of every size, and conversions of one, two and three steps to narrower, equally wide and wider elements.
constexpr DtypePair kPairs[] = {
    {ACL_INT8, ACL_INT8},       {ACL_FLOAT16, ACL_FLOAT16},       {ACL_FLOAT, ACL_FLOAT},
    {ACL_INT64, ACL_INT64},     {ACL_COMPLEX128, ACL_COMPLEX128}, {ACL_FLOAT, ACL_BF16},
    {ACL_FLOAT16, ACL_FLOAT},   {ACL_INT64, ACL_INT32},           {ACL_DOUBLE, ACL_FLOAT16},
    {ACL_BOOL, ACL_COMPLEX128}, {ACL_COMPLEX64, ACL_INT16},       {ACL_COMPLEX128, ACL_COMPLEX64},
    {ACL_COMPLEX64, ACL_BOOL}};

// Few of them where each element is slow to move: in emulators and on a device whose memory is opened for each call.
constexpr DtypePair kFewPairs[] = {
    {ACL_FLOAT, ACL_FLOAT}, {ACL_FLOAT, ACL_BF16}, {ACL_INT64, ACL_UINT8}, {ACL_COMPLEX64, ACL_FLOAT}};

struct Layout {
  Dims strides;
  int64_t offset = 0;
};

// Offsets of the elements of a view, in row-major order of `shape`; missing axes come first.
std::vector<size_t> OffsetsOf(const Dims& shape, const Dims& strides, int64_t offset) {
  std::vector<size_t> offsets;
  Dims index(shape.size(), 0);
  const size_t missing = shape.size() - strides.size();
  for (int64_t i = 0; i < ElementCount(shape); ++i) {
    int64_t at = offset;
    for (size_t axis = 0; axis < strides.size(); ++axis) at += index[axis + missing] * strides[axis];
    offsets.push_back(static_cast<size_t>(at));
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return offsets;
}

class InplaceCopyLayout : public DeviceTest {
 protected:
  Elements RandomBlock(aclDataType dtype, int64_t elements) {
    std::vector<double> values;
    for (int64_t i = 0; i < elements; ++i) values.push_back(random_.Real(-100, 100));
    return calls::Encode(dtype, values);
  }

  // Copies between two blocks of their own; `src_shape` is broadcast to `shape`.
  void Check(const DtypePair& pair, const Dims& shape, const Layout& self, const Dims& src_shape, const Layout& src) {
    const size_t to_bytes = ElementBytes(pair.to);
    const size_t from_bytes = ElementBytes(pair.from);
    Elements want = RandomBlock(pair.to, ViewExtent(shape, self.strides, self.offset) + 3);
    const Elements source = RandomBlock(pair.from, ViewExtent(src_shape, src.strides, src.offset) + 3);
    const DeviceArray<std::byte> self_block(want);
    const DeviceArray<std::byte> src_block(source);
    RunInplaceCopy(
        TensorBuilder(pair.to, shape).Strides(self.strides).Offset(self.offset).Data(self_block.data()).Build().get(),
        TensorBuilder(pair.from, src_shape)
            .Strides(src.strides)
            .Offset(src.offset)
            .Data(src_block.data())
            .Build()
            .get());
    Dims src_strides = src.strides;
    for (size_t axis = 0; axis < src_shape.size(); ++axis) {
      if (src_shape[axis] == 1) src_strides[axis] = 0;
    }
    const std::vector<size_t> to = OffsetsOf(shape, self.strides, self.offset);
    const std::vector<size_t> from = OffsetsOf(shape, src_strides, src.offset);
    for (size_t i = 0; i < to.size(); ++i)
      CopyReference(pair.from, &source[from[i] * from_bytes], pair.to, &want[to[i] * to_bytes]);
    // The whole block: what lies between the elements of the view must stay.
    EXPECT_TRUE(self_block.ToHost() == want)
        << DtypeName(pair.from) << " to " << DtypeName(pair.to) << ", shape " << ::testing::PrintToString(shape)
        << ", strides " << ::testing::PrintToString(self.strides) << " from " << ::testing::PrintToString(src.strides);
  }
  void Check(const DtypePair& pair, const Dims& shape, const Layout& self, const Layout& src) {
    Check(pair, shape, self, shape, src);
  }

  // n elements, every `stride`-th of memory that no aclrtMalloc returned, in operands that lie at the guard.
  static void CheckAtGuard(const DtypePair& pair, int64_t n, int64_t stride, GuardSide side) {
    SCOPED_TRACE("n " + std::to_string(n) + ", stride " + std::to_string(stride));
    const auto count = static_cast<size_t>(n);
    const size_t last = (count - 1) * static_cast<size_t>(stride);
    const size_t from_bytes = ElementBytes(pair.from);
    const size_t to_bytes = ElementBytes(pair.to);
    const GuardedBuffer src((last + 1) * from_bytes, side);
    const GuardedBuffer self((last + 1) * to_bytes, side);
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i % 13 + 1);
    const Elements elements = calls::Encode(pair.from, values);
    const Elements want = Expected(pair.from, elements, pair.to);
    const auto step = static_cast<size_t>(stride);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(src.begin() + i * step * from_bytes, &elements[i * from_bytes], from_bytes);
    RunInplaceCopy(TensorBuilder(pair.to, {n}).Strides({stride}).Data(self.begin()).Build().get(),
                   TensorBuilder(pair.from, {n}).Strides({stride}).Data(src.begin()).Build().get());
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(self.begin() + i * step * to_bytes, &want[i * to_bytes], to_bytes), 0) << "element " << i;
    }
    EXPECT_TRUE(src.Intact() && self.Intact());
  }

 private:
  testing::Random random_;
};

TEST_F(InplaceCopyLayout, TakesEveryLengthAroundTheRegister) {
  ForEachTarget([&] {
    for (const DtypePair& pair : kPairs) {
      for (const int64_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 1000, 5000})
        Check(pair, {n}, {{1}}, {{1}, 1});
    }
  });
}

TEST_F(InplaceCopyLayout, TakesTransposedSlicedAndExpandedViews) {
  ForEachTarget([&] {
    for (const DtypePair& pair : kPairs) {
      for (const auto& [rows, columns] : {std::pair{3, 5}, {40, 33}, {100, 7}, {2, 300}}) {
        const Dims shape = {rows, columns};
        const Layout plain{{columns, 1}};
        const Layout transposed{{1, rows}};
        const Layout sliced{{columns + 4, 1}, 2};
        const Layout stepped{{2 * columns + 1, 2}, 1};
        Check(pair, shape, transposed, sliced);
        Check(pair, shape, stepped, transposed);
        Check(pair, shape, sliced, stepped);
        Check(pair, shape, plain, transposed);
        Check(pair, shape, plain, {{0, 1}});
        Check(pair, shape, plain, {{1, 0}});
        Check(pair, shape, transposed, {{0, 0}, 3});
      }
    }
  });
}

TEST_F(InplaceCopyLayout, TurnsSquaresOfManyTiles) {
  ForEachTarget([&] {
    for (const DtypePair& pair : kPairs) Check(pair, {150, 171}, {{171, 1}}, {{1, 150}});
  });
}

TEST_F(InplaceCopyLayout, BroadcastsAxesOfOneAndMissingOnes) {
  ForEachTarget([&] {
    for (const DtypePair& pair : kFewPairs) {
      const Dims shape = {3, 4, 37};
      const Layout plain{ContiguousStrides(shape)};
      Check(pair, shape, plain, {37}, {{1}});
      Check(pair, shape, plain, {4, 1}, {{3, 2}});
      Check(pair, shape, plain, {3, 1, 37}, {{37, 99, 1}});
      Check(pair, shape, plain, {}, {{}, 5});
      Check(pair, shape, {{1, 3, 12}}, {1, 4, 1}, {{0, 1, 1}});
    }
  });
}

TEST_F(InplaceCopyLayout, TakesEveryRank) {
  ForEachTarget([&] {
    Dims shape;
    for (int rank = 0; rank <= 8; ++rank) {
      const Layout plain{ContiguousStrides(shape)};
      // Gaps between the innermost elements keep the axes from merging in one operand.
      Layout spread = plain;
      for (int64_t& stride : spread.strides) stride *= 3;
      for (const DtypePair& pair : kFewPairs) {
        Check(pair, shape, spread, plain);
        Check(pair, shape, plain, spread);
      }
      shape.push_back(rank % 3 == 2 ? 1 : 2 + rank % 2);
    }
  });
}

TEST_F(InplaceCopyLayout, TakesAPermutationOfFourAxes) {
  ForEachTarget([&] {
    for (const DtypePair& pair : kPairs) Check(pair, {4, 5, 6, 7}, {{1, 4, 140, 20}}, {{7, 28, 140, 1}});
  });
}

TEST_F(InplaceCopyLayout, ACopyOntoItselfChangesNothing) {
  ForEachTarget([&] {
    for (const int64_t stride : {1, 3}) {
      const Elements before = RandomBlock(ACL_FLOAT, 1000);
      const DeviceArray<std::byte> block(before);
      const auto tensor = TensorBuilder(ACL_FLOAT, {333}).Strides({stride}).Data(block.data()).Build();
      RunInplaceCopy(tensor.get(), tensor.get());
      EXPECT_TRUE(block.ToHost() == before);
    }
  });
}

// The same address with other strides, another dtype, or some elements further on: as through a buffer.
TEST_F(InplaceCopyLayout, ReadsAnOverlappingSourceBeforeItIsOverwritten) {
  const auto check = [&](const DtypePair& pair, const Dims& shape, const Layout& self, const Layout& src) {
    const size_t to_bytes = ElementBytes(pair.to);
    const size_t from_bytes = ElementBytes(pair.from);
    const Elements before = RandomBlock(ACL_DOUBLE, 600);
    Elements want = before;
    const std::vector<size_t> to = OffsetsOf(shape, self.strides, self.offset);
    const std::vector<size_t> from = OffsetsOf(shape, src.strides, src.offset);
    for (size_t i = 0; i < to.size(); ++i)
      CopyReference(pair.from, &before[from[i] * from_bytes], pair.to, &want[to[i] * to_bytes]);
    const DeviceArray<std::byte> block(before);
    RunInplaceCopy(
        TensorBuilder(pair.to, shape).Strides(self.strides).Offset(self.offset).Data(block.data()).Build().get(),
        TensorBuilder(pair.from, shape).Strides(src.strides).Offset(src.offset).Data(block.data()).Build().get());
    const Elements got = block.ToHost();
    for (size_t i = 0; i < got.size(); i += to_bytes)
      ASSERT_TRUE(calls::SameElement(pair.to, &got[i], &want[i])) << "byte " << i;
  };
  ForEachTarget([&] {
    for (const int64_t shift : {1, 5, 64}) {
      check({ACL_FLOAT, ACL_FLOAT}, {500}, {{1}, shift}, {{1}});
      check({ACL_FLOAT, ACL_FLOAT}, {500}, {{1}}, {{1}, shift});
      check({ACL_FLOAT, ACL_BF16}, {500}, {{1}}, {{1}, shift});
    }
    check({ACL_FLOAT, ACL_FLOAT}, {30, 30}, {{30, 1}}, {{1, 30}});
    check({ACL_INT32, ACL_FLOAT}, {500}, {{1}}, {{1}});
    check({ACL_INT32, ACL_UINT32}, {500}, {{1}}, {{1}});
    check({ACL_FLOAT, ACL_DOUBLE}, {300}, {{2}}, {{1}});
    check({ACL_INT64, ACL_INT8}, {500}, {{1}, 7}, {{1}});
  });
}

TEST_F(InplaceCopyLayout, LeavesOneOfTheRightValuesWhereElementsShareAnAddress) {
  ForEachTarget([&] {
    const Elements source = RandomBlock(ACL_FLOAT, 300);
    const DeviceArray<std::byte> src(source);
    const DeviceArray<std::byte> self(6 * sizeof(float));
    RunInplaceCopy(TensorBuilder(ACL_FLOAT, {50, 6}).Strides({0, 1}).Data(self.data()).Build().get(),
                   TensorBuilder(ACL_FLOAT, {50, 6}).Data(src.data()).Build().get());
    const Elements got = self.ToHost();
    for (size_t column = 0; column < 6; ++column) {
      bool found = false;
      for (size_t row = 0; row < 50; ++row)
        found |= std::memcmp(&got[column * 4], &source[(row * 6 + column) * 4], 4) == 0;
      EXPECT_TRUE(found) << "column " << column;
    }
  });
}

TEST_F(InplaceCopyLayout, TouchesNothingBesideItsOperands) {
  ForEachTarget([&] {
    for (const DtypePair& pair : kPairs) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        for (int64_t n = 1; n <= 67; n += n < 20 ? 1 : 5) CheckAtGuard(pair, n, 1, side);
        for (const int64_t n : {1, 2, 15, 16, 17, 1000}) CheckAtGuard(pair, n, 3, side);
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::copy
