// SPDX-License-Identifier: Apache-2.0
//
// aclnnComplex: the promises that follow from schema and oracle, accepted arguments, and documented results.
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_complex.h"
#include "base/soc.h"
#include "calls/tensor_builder.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(Complex, complex, 0);

namespace portacl::ops::complex {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;
using testing::ForEachTarget;

class Complex : public testing::DeviceTest {
 protected:
  static aclnnStatus Phase1(const aclTensor* real, const aclTensor* imag, aclTensor* out) {
    return testing::PhaseOne(aclnnComplexGetWorkspaceSize, real, imag, out);
  }

  static void Run(const aclTensor* real, const aclTensor* imag, aclTensor* out) {
    testing::RunPhases(aclnnComplexGetWorkspaceSize, aclnnComplex, real, imag, out);
  }
};

TEST_F(Complex, KeepsTheBitsOfBothParts) {
  ForEachTarget([] {
    for (const int64_t n : {1, 2, 7, 15, 16, 17, 33, 1000}) {
      const auto count = static_cast<size_t>(n);
      std::vector<uint32_t> parts(2 * count), want(2 * count);
      for (size_t i = 0; i < parts.size(); ++i) parts[i] = static_cast<uint32_t>(i * 2654435761U);  // including NaNs
      for (size_t i = 0; i < count; ++i) want[2 * i] = parts[i], want[2 * i + 1] = parts[count + i];
      const DeviceArray<uint32_t> device(parts);
      const DeviceArray<uint32_t> out(2 * count);
      Run(TensorBuilder(ACL_FLOAT, {n}).Data(device.data()).Build().get(),
          TensorBuilder(ACL_FLOAT, {n}).Offset(n).Data(device.data()).Build().get(),
          TensorBuilder(ACL_COMPLEX64, {n}).Data(out.data()).Build().get());
      EXPECT_EQ(out.ToHost(), want) << n;
    }
  });
}

// All 65,536 bit patterns.
TEST_F(Complex, KeepsTheBitsOfHalves) {
  ForEachTarget([] {
    constexpr uint32_t kCount = 65536;
    std::vector<uint16_t> parts(2 * kCount), want(2 * kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      want[2 * i] = parts[i] = static_cast<uint16_t>(i);
      want[2 * i + 1] = parts[kCount + i] = static_cast<uint16_t>(i * 40503U);
    }
    const DeviceArray<uint16_t> device(parts);
    const DeviceArray<uint16_t> out(2 * kCount);
    Run(TensorBuilder(ACL_FLOAT16, {kCount}).Data(device.data()).Build().get(),
        TensorBuilder(ACL_FLOAT16, {kCount}).Offset(kCount).Data(device.data()).Build().get(),
        TensorBuilder(ACL_COMPLEX32, {kCount}).Data(out.data()).Build().get());
    EXPECT_EQ(out.ToHost(), want);
  });
}

TEST_F(Complex, BroadcastsBothParts) {
  ForEachTarget([] {
    const DeviceArray<double> real({1, 2, 3});
    const DeviceArray<double> imag({-1, -2});
    const DeviceArray<double> out(12);
    Run(TensorBuilder(ACL_DOUBLE, {3}).Data(real.data()).Build().get(),
        TensorBuilder(ACL_DOUBLE, {2, 1}).Data(imag.data()).Build().get(),
        TensorBuilder(ACL_COMPLEX128, {2, 3}).Data(out.data()).Build().get());
    EXPECT_EQ(out.ToHost(), std::vector<double>({1, -1, 2, -1, 3, -1, 1, -2, 2, -2, 3, -2}));
  });
}

// As a framework resolves a conjugate view: both parts are every second element of one tensor.
TEST_F(Complex, TakesPartsOfComplexNumbersAndTransposedOnes) {
  ForEachTarget([] {
    constexpr int64_t kRows = 37, kColumns = 29;
    std::vector<float> numbers(2 * kRows * kColumns), want(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t column = 0; column < kColumns; ++column) {
        const auto from = static_cast<size_t>(2 * (row * kColumns + column));
        const auto to = static_cast<size_t>(2 * (column * kRows + row));
        want[to] = numbers[from];
        want[to + 1] = numbers[from + 1];
      }
    }
    const DeviceArray<float> device(numbers);
    const DeviceArray<float> out(numbers.size());
    const TensorHandle result =
        TensorBuilder(ACL_COMPLEX64, {kRows, kColumns}).Strides({1, kRows}).Data(out.data()).Build();
    TensorBuilder part(ACL_FLOAT, {kRows, kColumns});
    part.Strides({2 * kColumns, 2}).Data(device.data());
    const TensorHandle real = part.Build();
    const TensorHandle imag = part.Offset(1).Build();
    Run(real.get(), imag.get(), result.get());
    EXPECT_EQ(out.ToHost(), want);
  });
}

TEST_F(Complex, TakesTwoFloatsTwoDoublesOrTwoHalves) {
  const auto status = [](aclDataType real, aclDataType imag, aclDataType out) {
    return Phase1(TensorBuilder(real, {2}).Build().get(), TensorBuilder(imag, {2}).Build().get(),
                  TensorBuilder(out, {2}).Build().get());
  };
  EXPECT_EQ(status(ACL_FLOAT, ACL_FLOAT, ACL_COMPLEX64), 0);
  EXPECT_EQ(status(ACL_DOUBLE, ACL_DOUBLE, ACL_COMPLEX128), 0);
  EXPECT_EQ(status(ACL_FLOAT, ACL_FLOAT, ACL_COMPLEX128), 161002);
  EXPECT_EQ(status(ACL_DOUBLE, ACL_DOUBLE, ACL_COMPLEX64), 161002);
  EXPECT_EQ(status(ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX128), 161002);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_FLOAT16, ACL_COMPLEX32), 0);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_FLOAT16, ACL_COMPLEX64), 161002);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_FLOAT, ACL_COMPLEX32), 161002);
  EXPECT_EQ(status(ACL_FLOAT, ACL_FLOAT, ACL_COMPLEX32), 161002);
  EXPECT_EQ(status(ACL_BF16, ACL_BF16, ACL_COMPLEX32), 161002);
  EXPECT_EQ(status(ACL_FLOAT, ACL_FLOAT, ACL_FLOAT), 161002);
}

TEST_F(Complex, BroadcastsTwoShapes) {
  const auto status = [](const Dims& real, const Dims& imag, const Dims& out) {
    return Phase1(TensorBuilder(ACL_FLOAT, real).Build().get(), TensorBuilder(ACL_FLOAT, imag).Build().get(),
                  TensorBuilder(ACL_COMPLEX64, out).Build().get());
  };
  EXPECT_EQ(status({4, 1}, {2, 1, 3}, {2, 4, 3}), 0);
  EXPECT_EQ(status({}, {3}, {3}), 0);
  EXPECT_EQ(status({3}, {2}, {3}), 161002);
  EXPECT_EQ(status({3}, {3}, {1, 3}), 161002);
  EXPECT_EQ(status(Dims(9, 1), {1}, {1}), 161002);
}

TEST_F(Complex, DoesNotExistOnAscend310B) {
  SetCurrentSocForTest(&kSocs[static_cast<size_t>(SocFamily::kAscend310B)]);
  const TensorHandle part = TensorBuilder(ACL_FLOAT, {2}).Build();
  const TensorHandle whole = TensorBuilder(ACL_COMPLEX64, {2}).Build();
  EXPECT_EQ(Phase1(part.get(), part.get(), whole.get()), 561003);
  EXPECT_EQ(Phase1(whole.get(), whole.get(), whole.get()), 561003) << "before the dtypes";
  EXPECT_EQ(Phase1(part.get(), part.get(), nullptr), 161001);
  SetCurrentSocForTest(nullptr);
}

// Emptiness is checked before everything but null pointers and the SoC.
TEST_F(Complex, EmptyPartsSucceedWhateverTheRestIs) {
  const TensorHandle empty = TensorBuilder(ACL_INT8, {0, 3}).Format(ACL_FORMAT_FRACTAL_NZ).Build();
  const TensorHandle one = TensorBuilder(ACL_FLOAT, {1}).Build();
  const TensorHandle wrong = TensorBuilder(ACL_STRING, Dims(9, 2)).Build();
  EXPECT_EQ(Phase1(empty.get(), one.get(), wrong.get()), 0);
  EXPECT_EQ(Phase1(one.get(), empty.get(), wrong.get()), 0);
  EXPECT_EQ(Phase1(one.get(), one.get(), empty.get()), 161002) << "out does not count";
  EXPECT_EQ(Phase1(empty.get(), one.get(), nullptr), 161001);
}

}  // namespace
}  // namespace portacl::ops::complex
