// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, weights of INT4 and of format FRACTAL_NZ, and
// typical views.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "calls/ulp_error.h"
#include "loops/quantized/int4_dots.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(WeightQuantBatchMatmulV2, weight_quant_batch_matmul, 0);

namespace portacl::ops::weight_quant_batch_matmul {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;

class WeightQuantBatchMatmulV2 : public testing::DeviceTest {};

DeviceArray<std::byte> OnDevice(aclDataType dtype, const std::vector<double>& values) {
  return DeviceArray<std::byte>(calls::Encode(dtype, values));
}

// Two elements per byte, the first in the low half.
std::vector<int8_t> Pack(const std::vector<double>& values) {
  std::vector<int8_t> bytes((values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i)
    bytes[i / 2] = static_cast<int8_t>(bytes[i / 2] | ((static_cast<int>(values[i]) & 15) << (i % 2 * 4)));
  return bytes;
}

// A typical product: x [m, k]; the weight [k, n], a view of a matrix [n, k] in row-major order; scale, a view [k /
// group, n] of one [n, k / group], or [1, n].
struct Product {
  int64_t m, k, n;
  int64_t group = 0;
  aclDataType dtype = ACL_FLOAT16;
  aclDataType weight_dtype = ACL_INT8;
  aclFormat format = ACL_FORMAT_ND;
  Dims weight_strides = {};  // strides along k and n
  int64_t weight_offset = 0;
  std::vector<double> x = {}, weight = {}, scale = {}, offset = {}, bias = {};  // weight in its order in memory

  int64_t Groups() const { return group == 0 ? 1 : (k + group - 1) / group; }

  std::vector<std::byte> Run() const {
    const DeviceArray<std::byte> of_x = OnDevice(dtype, x), of_scale = OnDevice(dtype, scale);
    const DeviceArray<std::byte> of_offset = OnDevice(dtype, offset), of_bias = OnDevice(dtype, bias);
    const DeviceArray<int8_t> of_weight(weight_dtype == ACL_INT4 ? Pack(weight)
                                                                 : std::vector<int8_t>(weight.begin(), weight.end()));
    const DeviceArray<std::byte> of_y(static_cast<size_t>(m * n) * 2);
    const TensorHandle tensor_x = TensorBuilder(dtype, {m, k}).Data(of_x.data()).Build();
    const TensorHandle tensor_weight = TensorBuilder(weight_dtype, {k, n})
                                           .Strides(weight_strides.empty() ? Dims{1, k} : weight_strides)
                                           .Offset(weight_offset)
                                           .Format(format)
                                           .Storage({k * n})
                                           .Data(of_weight.data())
                                           .Build();
    const auto groups = [this](const DeviceArray<std::byte>& block) {
      return TensorBuilder(dtype, {Groups(), n}).Strides({1, Groups()}).Data(block.data()).Build();
    };
    const TensorHandle tensor_scale = groups(of_scale);
    const TensorHandle tensor_offset = offset.empty() ? nullptr : groups(of_offset);
    const TensorHandle tensor_bias = bias.empty() ? nullptr : TensorBuilder(dtype, {n}).Data(of_bias.data()).Build();
    const TensorHandle tensor_y = TensorBuilder(dtype, {m, n}).Data(of_y.data()).Build();
    testing::RunPhases(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize, aclnnWeightQuantBatchMatmulV2, tensor_x.get(),
                       tensor_weight.get(), tensor_scale.get(), tensor_offset.get(), nullptr, nullptr,
                       tensor_bias.get(), static_cast<int>(group), tensor_y.get());
    return of_y.ToHost();
  }
  std::vector<double> Results() const { return calls::Decode(dtype, Run()); }
};

std::vector<double> Draw(testing::Random& random, int64_t count, double low, double high, bool is_whole = false) {
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = is_whole ? std::floor(random.Real(low, high + 1)) : random.Real(low, high);
  return values;
}

// Elements that INT4 can hold.
Product DrawProduct(testing::Random& random, Product product) {
  const int64_t scales = product.Groups() * product.n;
  product.x = Draw(random, product.m * product.k, -1, 1);
  product.weight = Draw(random, product.k * product.n, -8, 7, true);
  product.scale = Draw(random, scales, 0.01, 0.1);
  return product;
}

TEST_F(WeightQuantBatchMatmulV2, GivesTheWorkedExamples) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    const Product per_column = {
        .m = 1, .k = 3, .n = 1, .dtype = dtype, .x = {1, 2, 3}, .weight = {1, -2, 3}, .scale = {0.5}, .offset = {1}};
    EXPECT_EQ(per_column.Results(), (std::vector<double>{6}));
    const Product per_group = {.m = 1,
                               .k = 64,
                               .n = 1,
                               .group = 32,
                               .dtype = dtype,
                               .x = std::vector<double>(64, 1),
                               .weight = std::vector<double>(64, 2),
                               .scale = {0.5, 0.25}};
    EXPECT_EQ(per_group.Results(), (std::vector<double>{48}));
  }
}

TEST_F(WeightQuantBatchMatmulV2, TheFirstOfTwoElementsOfInt4IsTheLowerHalfOfTheirByte) {
  EXPECT_EQ(Pack({-1, 2}), (std::vector<int8_t>{0x2F}));
  Product product = {.m = 1, .k = 2, .n = 1, .weight_dtype = ACL_INT4, .x = {1, 0}, .weight = {-1, 2}, .scale = {1}};
  EXPECT_EQ(product.Results(), (std::vector<double>{-1}));
  product.x = {0, 1};
  EXPECT_EQ(product.Results(), (std::vector<double>{2}));
  // Every value at every index of a group.
  product = {.m = 16, .k = 32, .n = 16, .group = 32, .weight_dtype = ACL_INT4, .scale = std::vector<double>(16, 1)};
  product.x.assign(16 * 32, 0);
  for (size_t i = 0; i < 16; ++i) product.x[i * 32 + i] = 1, product.x[i * 32 + 16 + i] = 64;
  for (int column = 0; column < 16; ++column) {
    for (int k = 0; k < 32; ++k) product.weight.push_back((column + k + k / 16 * 3) % 16 - 8);
  }
  const std::vector<double> results = product.Results();
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = 0; j < 16; ++j)
      EXPECT_EQ(results[i * 16 + j], product.weight[j * 32 + i] + 64 * product.weight[j * 32 + 16 + i]);
  }
}

// Row counts and depths at the ends of blocks, steps and groups; with offsets, too.
TEST_F(WeightQuantBatchMatmulV2, Int4GivesWhatInt8Gives) {
  testing::Random random;
  for (const int64_t m : {1, 2, 3, 4, 5, 8, 9, 13, 40}) {
    for (const int64_t k : {2, 30, 32, 34, 64, 96, 1024, 1090}) {
      for (const int64_t group : {0, 32, 64, 96}) {
        Product product = DrawProduct(random, {.m = m, .k = k, .n = 7, .group = group});
        if (random.Chance(0.5)) product.offset = Draw(random, product.Groups() * 7, -2, 2);
        if (random.Chance(0.5)) product.bias = Draw(random, 7, -2, 2);
        if (random.Chance(0.5)) product.dtype = ACL_BF16;
        const std::vector<double> bytes = product.Results();
        product.weight_dtype = ACL_INT4;
        const std::vector<double> pairs = product.Results();
        // The terms are added in another order.
        for (size_t i = 0; i < bytes.size(); ++i)
          ASSERT_NEAR(pairs[i], bytes[i], (product.dtype == ACL_BF16 ? 0x1p-7 : 0x1p-10) * (std::abs(bytes[i]) + 1))
              << m << " " << k << " " << group;
      }
    }
  }
}

// Also if columns start in the upper half of a byte, and if elements along k are not adjacent.
TEST_F(WeightQuantBatchMatmulV2, TakesViewsOfInt4) {
  testing::Random random;
  for (const int64_t m : {1, 6}) {
    Product product = DrawProduct(random, {.m = m, .k = 64, .n = 6, .group = 32, .weight_dtype = ACL_INT4});
    const std::vector<double> want = product.Results();
    const auto lay = [&](Dims strides, int64_t offset) {
      Product view = product;
      view.weight_strides = strides;
      view.weight_offset = offset;
      view.weight.assign(2000, 5);
      for (int64_t k = 0; k < 64; ++k) {
        for (int64_t j = 0; j < 6; ++j)
          view.weight[static_cast<size_t>(offset + k * strides[0] + j * strides[1])] =
              product.weight[static_cast<size_t>(j * 64 + k)];
      }
      return view.Results();
    };
    for (const auto& [strides, offset] : std::vector<std::pair<Dims, int64_t>>{{{1, 64}, 2},
                                                                               {{1, 64}, 3},
                                                                               {{1, 70}, 0},
                                                                               {{1, 71}, 0},
                                                                               {{6, 1}, 0},
                                                                               {{6, 1}, 1},
                                                                               {{9, 1}, 4},
                                                                               {{2, 150}, 7}}) {
      EXPECT_EQ(lay(strides, offset), want) << strides[0] << " " << strides[1] << " " << offset;
    }
  }
}

TEST_F(WeightQuantBatchMatmulV2, AWeightOfFractalNzIsReadByShapeAndStrides) {
  testing::Random random;
  for (const aclDataType dtype : {ACL_INT8, ACL_INT4}) {
    Product product = DrawProduct(random, {.m = 2, .k = 64, .n = 32, .group = 32, .weight_dtype = dtype});
    const std::vector<std::byte> want = product.Run();
    product.format = ACL_FORMAT_FRACTAL_NZ;
    EXPECT_EQ(product.Run(), want);
  }
}

// Uses several chunks and blocks of rows.
TEST_F(WeightQuantBatchMatmulV2, HasTheSameBitsForAnyNumberOfThreads) {
  constexpr int64_t kTerms = testing::kTestsAreSlow ? 140 : 1100;
  testing::Random random;
  for (const aclDataType dtype : {ACL_INT8, ACL_INT4}) {
    for (const int64_t m : {1, 4, 40, 600}) {
      const Product product = DrawProduct(random, {.m = m, .k = kTerms, .n = 200, .group = 32, .weight_dtype = dtype});
      std::vector<std::byte> results[2];
      for (const int threads : {1, 3}) {
        const testing::ThreadCount count(threads);
        results[threads / 2] = product.Run();
      }
      EXPECT_EQ(results[0], results[1]) << m;
    }
  }
}

TEST_F(WeightQuantBatchMatmulV2, IsRightForManyRowsAndLongColumns) {
  struct Sizes {
    int64_t m, k, n, group;
  };
  int turn = 0;
  for (const Sizes& sizes :
       {Sizes{1, 4096, 50, 32}, Sizes{4, 4096, 20, 0}, Sizes{33, 2080, 49, 64}, Sizes{520, 96, 97, 32}}) {
    ++turn;
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
      if (turn++ % testing::OneOf(2) != 0) continue;  // each size with only one dtype then, alternating
      calls::Call call = calls::MakeValidCall(Operators()[0]);
      const int64_t groups = sizes.group == 0 ? 1 : (sizes.k + sizes.group - 1) / sizes.group;
      call.argument("antiquantGroupSize").integer = sizes.group;
      call.argument("antiquantOffsetOptional").null = call.argument("biasOptional").null = false;
      for (const char* const name : {"x", "antiquantScale", "antiquantOffsetOptional", "biasOptional", "y"})
        call.tensor(name).dtype = dtype;
      call.tensor("x").shape = {sizes.m, sizes.k};
      call.tensor("weight").shape = {sizes.k, sizes.n};
      call.tensor("weight").strides = Dims{1, sizes.k};
      call.tensor("antiquantScale").shape = call.tensor("antiquantOffsetOptional").shape = {groups, sizes.n};
      call.tensor("antiquantScale").strides = Dims{1, groups};
      call.tensor("biasOptional").shape = {sizes.n};
      call.tensor("y").shape = {sizes.m, sizes.n};
      testing::ExpectRight(call);
    }
  }
}

// FLOAT16 of any magnitude, in one column and in several, with byte-product instructions and without: elements with as
// many bits as the digits of a block hold, with more, or with too many.
TEST_F(WeightQuantBatchMatmulV2, AddsNumbersOfAnySizes) {
  testing::Random random;
  for (const bool allow : {true, false}) {
    loops::quantized::AllowInt4DotsForTest(allow);
    for (const int64_t group : {0, 32, 64, 96, 128, 256}) {
      for (const int64_t k : {2, 30, 100, 128, 130, 640, 1090}) {
        Product product = DrawProduct(random, {.m = 3, .k = k, .n = 5, .group = group, .weight_dtype = ACL_INT4});
        for (size_t i = 0; i < product.x.size(); ++i) {
          const int row = static_cast<int>(static_cast<int64_t>(i) / k);
          product.x[i] =
              std::ldexp(random.Real(-1, 1), row == 0 ? 0 : static_cast<int>(random.Real(row * -12, row * 7)));
        }
        product.x = calls::Decode(ACL_FLOAT16, calls::Encode(ACL_FLOAT16, product.x));
        product.scale = calls::Decode(ACL_FLOAT16, calls::Encode(ACL_FLOAT16, product.scale));
        // Products with 0 do not matter, however large the elements are.
        for (int64_t i = 0; i < k; ++i) {
          if (std::abs(product.x[static_cast<size_t>(2 * k + i)]) > 1)
            product.weight[static_cast<size_t>(4 * k + i)] = 0;
        }
        const std::vector<std::byte> got = product.Run();
        for (int64_t i = 0; i < product.m * product.n; ++i) {
          const int64_t row = i / product.n, column = i % product.n;
          double sum = 0, magnitudes = 0;
          for (int64_t term = 0; term < k; ++term) {
            const double scale =
                product.scale[static_cast<size_t>(column * product.Groups() + (group == 0 ? 0 : term / group))];
            const double each = product.x[static_cast<size_t>(row * k + term)] *
                                product.weight[static_cast<size_t>(column * k + term)] * scale;
            sum += each;
            magnitudes += std::abs(each);
          }
          EXPECT_LE(calls::UlpError(ACL_FLOAT16, &got[static_cast<size_t>(2 * i)], sum, 0x1p-6 * magnitudes), 0.51)
              << allow << " group " << group << " k " << k << " row " << row << " column " << column;
        }
      }
    }
  }
  loops::quantized::AllowInt4DotsForTest(true);
}

TEST_F(WeightQuantBatchMatmulV2, OfNoTermsIsTheBias) {
  const Product product = {.m = 2, .k = 0, .n = 2, .x = {}, .weight = {}, .scale = {1, 1}, .bias = {1.5, -2}};
  EXPECT_EQ(product.Results(), (std::vector<double>{1.5, -2, 1.5, -2}));
}

// Special values follow from each product: an infinite scale times a weight of 0, and group sums beyond float32 times a
// small scale.
TEST_F(WeightQuantBatchMatmulV2, SpecialValuesAreThoseOfEachProduct) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const int64_t m : {1, 5, 9}) {
    Product product = {.m = m, .k = 32, .n = 2, .group = 32, .dtype = ACL_BF16, .scale = {kInf, 1}};
    product.x.assign(static_cast<size_t>(m * 32), 1);
    product.weight.assign(64, 1);
    std::vector<double> results = product.Results();
    EXPECT_EQ(results[0], kInf);
    EXPECT_EQ(results[1], 32);
    product.weight[5] = 0;
    EXPECT_TRUE(std::isnan(product.Results()[0]));
    product.scale = {1, 1};
    product.x[5] = kInf;
    results = product.Results();
    EXPECT_TRUE(std::isnan(results[0])) << "0 times infinity";
    EXPECT_EQ(results[1], kInf);
    product.dtype = ACL_FLOAT16;
    product.x.assign(static_cast<size_t>(m * 32), 60000);
    EXPECT_EQ(product.Results()[1], kInf) << "beyond FLOAT16";
    product.dtype = ACL_BF16;
    product.x.assign(static_cast<size_t>(m * 32), 0x1p127);
    product.scale = {0x1p-20, 0x1p-20};
    EXPECT_EQ(product.Results()[1], 0x1p112);
  }
}

}  // namespace
}  // namespace portacl::ops::weight_quant_batch_matmul
