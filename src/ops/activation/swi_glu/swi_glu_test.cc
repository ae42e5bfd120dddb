// SPDX-License-Identifier: Apache-2.0
//
// aclnnSwiGlu and aclnnSwiGluGrad through the C API: the promises that follow from schemas and oracle, documented
// results, the requirements of Ascend310P, and values that are difficult for the kernels.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "base/soc.h"
#include "base/target.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "ops/activation/swi_glu/swi_glu_oracle.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(SwiGlu, swi_glu, 0);
OP_CONTRACT_TESTS(SwiGluGrad, swi_glu, 1);

namespace portacl::ops::swi_glu {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;
using testing::ForEachTarget;
using testing::SampleSize;
using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kLeast = std::numeric_limits<float>::denorm_min();

Values Joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// One-dimensional operands; x is A followed by B.
struct Sample {
  Values a, b, grad;
  void Add(double a_value, double b_value, double grad_value) {
    a.push_back(a_value), b.push_back(b_value), grad.push_back(grad_value);
  }
};

class SwiGlu : public testing::DeviceTest {
 protected:
  double Mantissa() { return double{std::bit_cast<float>(0x3F800000u | (Word() & 0x007FFFFFu))}; }
  double AnyFinite() {
    const float value = std::bit_cast<float>(Word());
    return std::isfinite(value) ? double{value} : 1;
  }
  double Between(double low, double high) { return double{static_cast<float>(random_.Real(low, high))}; }
  uint32_t Word() { return static_cast<uint32_t>(random_.Bits()); }
  testing::Random random_;
};

Values Forward(aclDataType dtype, const Sample& sample) {
  const auto n = static_cast<int64_t>(sample.a.size());
  const DeviceArray<std::byte> x(calls::Encode(dtype, Joined(sample.a, sample.b)));
  const DeviceArray<std::byte> out(x.size() / 2);
  testing::RunPhases(aclnnSwiGluGetWorkspaceSize, aclnnSwiGlu,
                     TensorBuilder(dtype, {2 * n}).Data(x.data()).Build().get(), 0,
                     TensorBuilder(dtype, {n}).Data(out.data()).Build().get());
  return calls::Decode(dtype, out.ToHost());
}

Values Gradient(aclDataType dtype, const Sample& sample) {
  const auto n = static_cast<int64_t>(sample.a.size());
  const DeviceArray<std::byte> grad(calls::Encode(dtype, sample.grad));
  const DeviceArray<std::byte> x(calls::Encode(dtype, Joined(sample.a, sample.b))), out(x.size());
  testing::RunPhases(aclnnSwiGluGradGetWorkspaceSize, aclnnSwiGluGrad,
                     TensorBuilder(dtype, {n}).Data(grad.data()).Build().get(),
                     TensorBuilder(dtype, {2 * n}).Data(x.data()).Build().get(), 0,
                     TensorBuilder(dtype, {2 * n}).Data(out.data()).Build().get());
  return calls::Decode(dtype, out.ToHost());
}

// out, outA and outB, concatenated.
Values Results(aclDataType dtype, const Sample& sample) {
  return Joined(Forward(dtype, sample), Gradient(dtype, sample));
}

void ExpectBothRight(aclDataType dtype, const Sample& sample) {
  const Values x = Joined(sample.a, sample.b);
  testing::ExpectRight(Operators()[0], dtype, {{"x", x}}, {{"dim", 0}});
  testing::ExpectRight(Operators()[1], dtype, {{"x", x}, {"yGrad", sample.grad}}, {{"dim", 0}});
}

TEST_F(SwiGlu, GivesTheDocumentedResults) {
  const auto expect = [](aclDataType dtype, const Values& a, const Values& b, const Values& out) {
    const auto n = static_cast<int64_t>(a.size());
    testing::ExpectExample(Operators()[0], {{"x", {dtype, {2 * n}, Joined(a, b)}}, {"out", {dtype, {n}, out}}},
                           {{"dim", 0}}, 5e-7);
  };
  expect(ACL_FLOAT, {1, -1, 0, 3}, {2, 2, 2, -1}, {1.462117, -0.5378828, 0, -2.857722});
  expect(ACL_FLOAT, {0, 0.5, 2, -2}, {1, -1, 0.5, 3}, {0, -0.3112297, 0.8807971, -0.7152175});
  expect(ACL_FLOAT, {kInf, -kInf, kNan, 100, -1000, 1e30}, {2, 2, 2, 2, 2, 2}, {kInf, kNan, kNan, 200, 0, 2e30});
  expect(ACL_FLOAT, {1, 0, -1}, {kInf, kInf, kInf}, {kInf, kNan, -kInf});
  expect(ACL_FLOAT, {kInf, kInf, 2, 0}, {0, -1, kNan, kNan}, {kNan, -kInf, kNan, kNan});
  // The first A has the smallest sigmoid that is a normal float32, the second a subnormal one.
  expect(ACL_FLOAT, {-0x1.5d589ep6, -0x1.5d58ap6, -88, -100, -104, -150, -200}, {1e30, 1e30, 2, 1e10, 3e38, 3e38, 3e38},
         {-1.02664076e-6, -1.02663302e-6, -1.06560993e-36, -3.72007598e-32, -2.1258297e-5, -3.2287932e-25, 0});
  expect(ACL_FLOAT, {-88, -709, -710, -1e30}, {kInf, -kInf, kInf, kInf}, {-kInf, kInf, kNan, kNan});
  expect(ACL_FLOAT16, {-88, -700, -65504, -65504}, {65504, -kInf, 65504, kInf}, {0, kInf, 0, kNan});
  expect(ACL_BF16, {-88, -104, -3e38}, {1e38, kInf, 3e38}, {-53, -kInf, 0});
  expect(ACL_FLOAT16, {0.1, 0.7}, {0.3, -0.5}, {0.01574707, -0.2338867});
  expect(ACL_BF16, {0.1, 0.7}, {0.3, -0.5}, {0.01574707, -0.2333984});
}

TEST_F(SwiGlu, GivesTheDocumentedGradients) {
  const auto expect = [](aclDataType dtype, const Values& a, const Values& b, const Values& grad, const Values& out_a,
                         const Values& out_b) {
    const auto n = static_cast<int64_t>(a.size());
    testing::ExpectExample(Operators()[1],
                           {{"yGrad", {dtype, {n}, grad}},
                            {"x", {dtype, {2 * n}, Joined(a, b)}},
                            {"out", {dtype, {2 * n}, Joined(out_a, out_b)}}},
                           {{"dim", 0}}, 5e-7);
  };
  expect(ACL_FLOAT, {1, -1, 0, 3}, {2, 2, 2, -1}, {1, 1, 1, 1}, {1.855341, 0.1446590, 1, -1.088104},
         {0.7310586, -0.2689414, 0, 2.857722});
  // Values that differ from those of the formula in older documents: 0.5, -0.857463, 0.335405, 0.2214324.
  expect(ACL_FLOAT, {0, 0.5, 2, -2}, {1, -1, 0.5, 3}, {1, 2, -1, 0.5}, {0.5, -1.479922, -0.5453921, -0.1361764},
         {0, 0.6224593, -1.761594, -0.1192029});
  expect(ACL_FLOAT, {kInf, -kInf, kNan}, {2, 2, 2}, {1, 1, 1}, {kNan, kNan, kNan}, {kInf, kNan, kNan});
  expect(ACL_FLOAT, {kInf, -kInf, kNan}, {0, 0, 0}, {0, 0, 0}, {kNan, kNan, kNan}, {kNan, kNan, kNan});
  expect(ACL_FLOAT, {100, -100, -1000, 1e30, -1e30}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, {2, 0, 0, 2, 0},
         {100, 0, 0, 1e30, 0});
  expect(ACL_FLOAT, {1, 0, -1}, {kInf, kInf, kInf}, {1, 1, 1}, {kInf, kInf, kInf}, {0.7310586, 0, -0.2689414});
  expect(ACL_FLOAT, {1, 1, 1}, {2, 2, 2}, {0, kInf, kNan}, {0, kInf, kNan}, {0, kInf, kNan});
  expect(ACL_FLOAT, {1, 0, -1}, {kNan, kInf, 0}, {1, 0, kInf}, {kNan, kNan, kNan}, {0.7310586, 0, -kInf});
  // The first A has the smallest sigmoid that is a normal float32; those of the others are subnormal or underflow.
  expect(ACL_FLOAT, {-0x1.5d589ep6, -0x1.5d58ap6, -88, -100, -200, -250}, {1e30, 1e30, 1e38, 1e10, 3e38, -3e38},
         {1e-30, 1e-30, 3e-30, -1e10, 3e38, 3e38},
         {-1.01488577e-36, -1.01487811e-36, -1.58025105e-28, 3.68287522e-22, -2.47855869e-8, 5.98165529e-30},
         {0, 0, 0, 3.72007598e-32, 0, 0});
  expect(ACL_FLOAT, {-88, -709, -710, -88}, {kInf, 1, kInf, 1}, {1, kInf, 1, 0}, {-kInf, -kInf, kNan, 0},
         {-5.32804967e-37, -kInf, 0, 0});
  expect(ACL_FLOAT16, {0.1, 0.7}, {0.3, -0.5}, {1, 1}, {0.1650391, -0.4116211}, {0.05249023, 0.4677734});
  expect(ACL_BF16, {0.1, 0.7}, {0.3, -0.5}, {1, 1}, {0.1650391, -0.4121094}, {0.05249023, 0.4667969});
}

TEST_F(SwiGlu, SplitsAlongDim) {
  const testing::Example x = {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}};
  const auto expect = [&](double dim, const Dims& half, const Values& out, const Values& gradient) {
    testing::ExpectExample(Operators()[0], {{"x", x}, {"out", {ACL_FLOAT, half, out}}}, {{"dim", dim}}, 5e-7);
    testing::ExpectExample(Operators()[1],
                           {{"yGrad", {ACL_FLOAT, half, {1, 1}}}, {"x", x}, {"out", {ACL_FLOAT, {2, 2}, gradient}}},
                           {{"dim", dim}}, 5e-7);
  };
  for (const double dim : {0, -2}) expect(dim, {1, 2}, {2.193176, 7.046377}, {2.783012, 4.363137, 0.7310586, 1.761594});
  for (const double dim : {1, -1}) expect(dim, {2, 1}, {1.462117, 11.43089}, {1.855341, 0.7310586, 4.352416, 2.857722});
}

TEST_F(SwiGlu, GradientIsZeroAtTheMinimumOfSwish) {
  ForEachTarget([] {
    const Values got = Gradient(ACL_FLOAT, {{-1.27846454}, {1}, {1}});
    EXPECT_LT(std::abs(got[0]), 1e-7);
    EXPECT_NEAR(got[1], -0.2784645, 2e-7);
  });
}

// A test of the oracle itself.
TEST_F(SwiGlu, GradientIsTheDerivativeOfTheForwardFormula) {
  for (double a = -20; a <= 20; a += 0.37) {
    for (const double b : {-3.0, 0.01, 1.5}) {
      const double step = 1e-6;
      const double by_a = (SwiGluReference(a + step, b) - SwiGluReference(a - step, b)) / (2 * step);
      const double by_b = (SwiGluReference(a, b + step) - SwiGluReference(a, b - step)) / (2 * step);
      EXPECT_NEAR(SwiGluGradAReference(a, b, 0.7), 0.7 * by_a, 1e-8) << a << ", " << b;
      EXPECT_NEAR(SwiGluGradBReference(a, 0.7), 0.7 * by_b, 1e-8) << a << ", " << b;
    }
  }
}

// A network with the loss sum(y^2) / 2, y = SwiGLU(x): its gradient is SwiGluGrad(y, x). The values are those of
// PyTorch 2.13 in float64, with torch.nn.functional.silu and autograd.
TEST_F(SwiGlu, ThePairGivesWhatAutogradGives) {
  struct Row {
    Values a, b, out_a, out_b;
  };
  const Row rows[] = {
      {{1, -1, 0, 3},
       {2, 2, 2, -1},
       {2.71272594, -0.0778095814, 0, 3.10949946},
       {1.06889329, 0.144658976, 0, -8.1665772}},
      {{0, 0.5, 2, -2},
       {1, -1, 0.5, 3},
       {0, 0.230297873, 0.48037979, 0.194791459},
       {0, -0.0968639048, 1.55160699, 0.170512039}},
  };
  ForEachTarget([&] {
    for (const Row& row : rows) {
      const Values got = Gradient(ACL_FLOAT, {row.a, row.b, Forward(ACL_FLOAT, {row.a, row.b, {}})});
      const Values want = Joined(row.out_a, row.out_b);
      for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6 * std::abs(want[i])) << i;
    }
  });
}

TEST_F(SwiGlu, Ascend310PAsksForElementsAndAlignedHalves) {
  const auto tensor = [](aclDataType dtype, const Dims& shape) { return TensorBuilder(dtype, shape).Build(); };
  const auto forward = [&](const Dims& x, int64_t dim, const Dims& half, aclDataType dtype = ACL_FLOAT) {
    return testing::PhaseOne(aclnnSwiGluGetWorkspaceSize, tensor(dtype, x).get(), dim, tensor(dtype, half).get());
  };
  const auto gradient = [&](const Dims& x, int64_t dim, const Dims& half, aclDataType dtype = ACL_FLOAT) {
    return testing::PhaseOne(aclnnSwiGluGradGetWorkspaceSize, tensor(dtype, half).get(), tensor(dtype, x).get(), dim,
                             tensor(dtype, x).get());
  };
  for (const Soc& soc : kSocs) {
    SCOPED_TRACE(soc.full_name);
    SetCurrentSocForTest(&soc);
    const bool is_310p = soc.family == SocFamily::kAscend310P;
    if (!is_310p && soc.family != SocFamily::kAscend910B) continue;
    const auto on_310p = [&](aclnnStatus status) { return is_310p ? status : 0; };
    for (const auto& status : {std::function(forward), std::function(gradient)}) {
      EXPECT_EQ(status({4, 32}, 1, {4, 16}, ACL_FLOAT), 0) << "64 bytes";
      EXPECT_EQ(status({4, 32}, 1, {4, 16}, ACL_FLOAT16), on_310p(561002)) << "32 bytes";
      EXPECT_EQ(status({4, 32}, 0, {2, 32}, ACL_FLOAT16), 0) << "128 bytes";
      EXPECT_EQ(status({4, 32}, -2, {2, 32}, ACL_FLOAT16), 0);
      EXPECT_EQ(status({4, 64}, 1, {4, 32}, ACL_BF16), on_310p(161002));
    }
    EXPECT_EQ(forward({0, 32}, 1, {0, 16}), on_310p(161002));
    EXPECT_EQ(gradient({0, 34}, 1, {0, 17}), 161002) << "empty comes before alignment";
  }
  SetCurrentSocForTest(nullptr);
}

TEST_F(SwiGlu, StaysWithinItsUlpsForEveryA) {
  Sample sample;
  for (uint32_t bits = std::bit_cast<uint32_t>(0x1p-12f); bits < std::bit_cast<uint32_t>(88.0f); bits += 3001) {
    sample.Add(double{std::bit_cast<float>(bits)}, Mantissa(), Mantissa());
    sample.Add(double{-std::bit_cast<float>(bits)}, Mantissa(), -Mantissa());
  }
  for (int i = 0; i < 20'000; ++i) sample.Add(Between(-1.2786, -1.2783), Mantissa(), Mantissa());  // outA is near zero
  ExpectBothRight(ACL_FLOAT, sample);
}

// Products of two factors overflow or are subnormal here, although the product of all three is a normal number.
TEST_F(SwiGlu, StaysWithinItsUlpsForFactorsOfAnySize) {
  const double limits[] = {0.0, -0.0, kLeast, -kLeast, 0x1p-126, 0.5,      -0.5,
                           1.0, -1.0, 1e-30,  -3e30,   3.2e38,   kLargest, -kLargest};
  Sample sample;
  for (const double a :
       {0.0,  -0.0,  kLeast,   -kLeast,   1e-38, 0.9,  -0.9,  1.0,   -1.0,   -1.2784645, 2.4,   17.0,     -17.0,
        86.9, -86.9, 87.33654, -87.33654, -87.4, 88.8, -88.8, 104.0, -104.0, 1e30,       -1e30, kLargest, -kLargest}) {
    for (const double b : limits) {
      for (const double grad : limits) sample.Add(double{static_cast<float>(a)}, b, grad);
    }
  }
  for (int i = 0; i < SampleSize(30'000); ++i) {
    sample.Add(Between(-89, 89), AnyFinite(), AnyFinite());
    sample.Add(Between(-3, 3), AnyFinite(), AnyFinite());
    sample.Add(AnyFinite(), AnyFinite(), AnyFinite());
  }
  ExpectBothRight(ACL_FLOAT, sample);
}

// Sigmoid is subnormal in float32 here, or underflows, but not all products do.
TEST_F(SwiGlu, StaysWithinItsUlpsWhereSigmoidUnderflows) {
  Sample sample;
  for (int i = 0; i < SampleSize(30'000); ++i) {
    const double b = AnyFinite(), grad = AnyFinite();
    sample.Add(Between(-104 - std::max(0.0, std::log(std::abs(b))), -80), b, grad);
    sample.Add(Between(-300, -80), b, kLargest);
    sample.Add(Between(-88, -87), kLargest, -kLargest / 3);
  }
  float a = -0x1.5d589ep6f;  // the last A with a normal sigmoid
  for (int i = 0; i < 100; ++i) a = std::nextafter(a, 0.0f);
  for (int i = 0; i < 200; ++i, a = std::nextafter(a, -INFINITY)) {
    for (const double b : {1.0, 0x1.8p100, -kLargest}) sample.Add(double{a}, b, 0x1p27 / b);
  }
  // The sigmoid of a finite A is not zero: compares with float64 down to its limit.
  const double factors[] = {kInf, -kInf, 1, -1, 0, kLeast, kLargest, kNan};
  for (const double of_a : {88.0, -87.0, -87.33654, -87.4, -88.0, -104.0, -110.5, -300.0, -700.0, -709.7826, -709.7827,
                            -710.0, -65504.0, -kLargest}) {
    for (const double b : factors) {
      for (const double grad : factors) sample.Add(double{static_cast<float>(of_a)}, b, grad);
    }
  }
  ExpectBothRight(ACL_FLOAT, sample);
}

TEST_F(SwiGlu, NarrowOperandsTakeEveryAWithFactorsOfAnySize) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    std::vector<std::byte> patterns(2 * 0x10000);
    for (uint32_t bits = 0; bits < 0x10000; ++bits) std::memcpy(&patterns[2 * bits], &bits, 2);
    const double largest = dtype == ACL_FLOAT16 ? 65504 : 0x1.FEp127;
    const double least = dtype == ACL_FLOAT16 ? 0x1p-24 : 0x1p-133;
    Sample sample;
    for (const double a : calls::Decode(dtype, patterns)) {
      sample.Add(a, largest, -largest), sample.Add(a, largest, least);
      sample.Add(a, -least, largest);
      sample.Add(a, kInf, 1), sample.Add(a, -1, kInf);
    }
    ExpectBothRight(dtype, sample);
  }
}

// Where sigmoid underflows, results are not subnormal and have the right sign. They do not depend on the neighbours
// that decide how a register is computed: ordinary values, small sigmoids, factors of any size.
TEST_F(SwiGlu, NoResultDependsOnTheNeighbours) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    Sample sample, alone;
    for (int i = 0; i < SampleSize(5000); ++i) {
      sample.Add(Between(-200, -87.34), Mantissa(), Mantissa());
      sample.Add(Between(-130, -87.34), Between(-1e9, 1e9), Between(-1e9, 1e9));
      sample.Add(Between(-87.33, 100), Between(-1e9, 1e9), Between(-1e9, 1e9));
      sample.Add(i % 2 == 0 ? -2e9 : -710, Mantissa(), -Mantissa());
    }
    const size_t n = sample.a.size();
    for (size_t i = 0; i < n; ++i) {
      alone.Add(sample.a[i], sample.b[i], sample.grad[i]);
      alone.Add(kNan, 3e38, kInf);
    }
    ForEachTarget([&] {
      const Values together = Results(dtype, sample);
      const Values beside = Results(dtype, alone);
      for (size_t i = 0; i < 3 * n; ++i) {
        const double a = sample.a[i % n], got = together[i];
        ASSERT_TRUE(got == beside[2 * i] && std::signbit(got) == std::signbit(beside[2 * i])) << "A = " << a;
        if (a >= -87.33654) continue;
        ASSERT_TRUE(got == 0 || std::abs(got) >= 0x1p-126) << "A = " << a;
        const double factors[] = {sample.b[i % n], sample.grad[i % n] * sample.b[i % n], sample.grad[i % n]};
        ASSERT_NE(std::signbit(got), std::signbit(factors[i / n])) << "A = " << a << ", part " << i / n;
      }
    });
  }
}

TEST_F(SwiGlu, TargetsWithFusedMultiplyAddGiveTheSameBits) {
  if (testing::TestedTargets().size() == 1) GTEST_SKIP() << "one instruction set";
  Sample sample;
  for (int i = 0; i < SampleSize(20'000); ++i)
    sample.Add(Between(i % 2 == 0 ? -10 : -200, 10), AnyFinite(), AnyFinite());
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    std::vector<std::byte> first;
    ForEachTarget([&] {
      if (!HasFusedMultiplyAdd(ActiveTarget())) return;
      const std::vector<std::byte> got = calls::Encode(ACL_FLOAT, Results(dtype, sample));
      if (first.empty()) first = got;
      EXPECT_TRUE(got == first) << "dtype " << dtype;
    });
  }
}

}  // namespace
}  // namespace portacl::ops::swi_glu
