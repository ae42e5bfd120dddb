// SPDX-License-Identifier: Apache-2.0
//
// UpsampleNearest2d: the promises that follow from schema and oracle, worked examples, and the code paths for large
// images.
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "calls/word_calls.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Upsample, upsample);

namespace portacl::ops::upsample {
namespace {

using calls::Dims;
using testing::ExpectRight;

class Upsample : public testing::DeviceTest {};

// A call with this format and these sizes, contiguous.
calls::Call Resized(aclFormat format, aclDataType dtype, const Dims& self, const Dims& size) {
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  call.tensor("self").format = call.tensor("out").format = format;
  call.tensor("self").dtype = call.tensor("out").dtype = dtype;
  call.tensor("self").shape = self;
  call.argument("outputSize").integers = size;
  calls::ComputeShapeOf(call, call.schema().Find("out"));
  return call;
}

TEST_F(Upsample, TakesTheDocumentedRows) {
  const auto expect = [](int64_t from, const std::vector<double>& rows) {
    std::vector<double> self(static_cast<size_t>(from));
    std::iota(self.begin(), self.end(), 0);
    const int64_t to = std::ssize(rows);
    testing::ExpectExample(Operators()[0],
                           {{"self", {ACL_FLOAT, {1, 1, from, 1}, self}}, {"out", {ACL_FLOAT, {1, 1, to, 1}, rows}}},
                           {}, 0, {{"outputSize", {to, 1}}});
    testing::ExpectExample(Operators()[0],
                           {{"self", {ACL_UINT8, {1, 1, 1, from}, self}}, {"out", {ACL_UINT8, {1, 1, 1, to}, rows}}},
                           {}, 0, {{"outputSize", {1, to}}});
  };
  expect(3, {0, 0, 1, 1, 2});
  expect(3, {0, 0, 0, 1, 1, 2, 2});
  expect(5, {0, 1, 3});
  expect(3, {0, 0, 1, 1, 2, 2});
}

// 41 * (2 / 82) is 1 exactly, but less than 1 in float32.
TEST_F(Upsample, ScalesInFloat32) {
  std::vector<double> rows(82, 1);
  std::fill_n(rows.begin(), 42, 0);
  testing::ExpectExample(Operators()[0],
                         {{"self", {ACL_FLOAT, {1, 1, 2, 1}, {0, 1}}}, {"out", {ACL_FLOAT, {1, 1, 82, 1}, rows}}}, {},
                         0, {{"outputSize", {82, 1}}});
}

TEST_F(Upsample, TheFormatSaysWhichAxesAreResized) {
  calls::Call call = Resized(ACL_FORMAT_NHWC, ACL_FLOAT, {2, 3, 4, 5}, {6, 2});
  EXPECT_EQ(call.tensor("out").shape, (Dims{2, 6, 2, 5}));
  ExpectRight(call);
  call = Resized(ACL_FORMAT_NCHW, ACL_FLOAT, {2, 3, 4, 5}, {6, 2});
  EXPECT_EQ(call.tensor("out").shape, (Dims{2, 3, 6, 2}));
  ExpectRight(call);
}

// Several chunks; some larger than the size above which the tests use non-temporal stores.
TEST_F(Upsample, ResizesLargeImages) {
  const struct {
    aclFormat format;
    Dims shape;
    Dims size;
  } images[] = {{ACL_FORMAT_NCHW, {1, 3, 100, 301}, {200, 602}},  // twice as large, odd number of rows
                {ACL_FORMAT_NCHW, {2, 1, 100, 1000}, {150, 2000}}, {ACL_FORMAT_NCHW, {1, 1, 40, 3000}, {121, 3000}},
                {ACL_FORMAT_NCHW, {3, 5, 101, 67}, {77, 133}},     {ACL_FORMAT_NHWC, {1, 100, 90, 3}, {200, 180}},
                {ACL_FORMAT_NHWC, {1, 31, 40, 67}, {93, 60}},      {ACL_FORMAT_NHWC, {2, 11, 9, 600}, {22, 18}},
                {ACL_FORMAT_NHWC, {2, 99, 120, 1}, {198, 240}}};
  int turn = 0;
  for (const aclDataType dtype : {ACL_UINT8, ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE}) {
    for (const auto& image : images) {
      if (turn++ % testing::OneOf(3) == 0) ExpectRight(Resized(image.format, dtype, image.shape, image.size));
    }
  }
}

// Its tables do not fit on the stack.
TEST_F(Upsample, ResizesLongRows) {
  ExpectRight(Resized(ACL_FORMAT_NCHW, ACL_FLOAT16, {1, 2, 3, 4001}, {4, 6001}));
  ExpectRight(Resized(ACL_FORMAT_NHWC, ACL_UINT8, {1, 5000, 2, 3}, {9001, 3}));
}

// Pixels of every size in bytes that has a copy loop of its own.
TEST_F(Upsample, CopiesPixelsOfAnySize) {
  for (int64_t channels = 1; channels < 140; channels += channels < 20 ? 1 : 17)
    ExpectRight(Resized(ACL_FORMAT_NHWC, ACL_UINT8, {1, 3, 5, channels}, {7, 4}));
}

// Channels first in memory but last in the view, and the reverse.
TEST_F(Upsample, ImagesMayLieInTheOtherFormat) {
  calls::Call call = Resized(ACL_FORMAT_NCHW, ACL_FLOAT, {2, 6, 40, 30}, {80, 60});
  call.tensor("self").strides = Dims{6 * 40 * 30, 1, 6 * 30, 6};
  ExpectRight(call);
  call.tensor("out").strides = Dims{6 * 80 * 60, 1, 6 * 60, 6};
  ExpectRight(call);
  call.tensor("self").strides.reset();
  ExpectRight(call);
}

TEST_F(Upsample, WantsImagesWithElementsAndTwoSizes) {
  const auto status = [](aclFormat format, const Dims& self, const Dims& size, const Dims& out) {
    calls::Call call = Resized(format, ACL_FLOAT, self, size);
    call.tensor("out").shape = out;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 5}, {8, 10}, {2, 3, 8, 10}), 0);
  EXPECT_EQ(status(ACL_FORMAT_NHWC, {2, 4, 5, 3}, {8, 10}, {2, 8, 10, 3}), 0);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {0, 3, 4, 5}, {8, 10}, {0, 3, 8, 10}), 0);
  EXPECT_EQ(status(ACL_FORMAT_ND, {2, 3, 4, 5}, {8, 10}, {2, 3, 8, 10}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 5}, {8, 10}, {2, 3, 10, 8}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 5}, {8, 10}, {2, 4, 8, 10}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 5}, {8}, {2, 3, 8, 10}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 5}, {8, 10, 1}, {2, 3, 8, 10}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 5}, {8, 0}, {2, 3, 8, 0}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 0, 4, 5}, {8, 10}, {2, 0, 8, 10}), 161002);
  EXPECT_EQ(status(ACL_FORMAT_NCHW, {2, 3, 4, 0}, {8, 10}, {2, 3, 8, 10}), 161002);
}

}  // namespace
}  // namespace portacl::ops::upsample
