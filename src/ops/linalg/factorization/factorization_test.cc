// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and matrices that are factorised block by block.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "calls/word_calls.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"

ROW_CONTRACT_TESTS(Factorization, factorization);

namespace portacl::ops::factorization {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const exec::OperatorEntry& Inverse() { return Operators()[0]; }
const exec::OperatorEntry& Slogdet() { return Operators()[1]; }
const exec::OperatorEntry& LinalgQr() { return Operators()[2]; }

void ExpectInverse(aclDataType dtype, const calls::Dims& shape, const std::vector<double>& self,
                   const std::vector<double>& out, double relative = 0) {
  testing::ExpectExample(Inverse(), {{"self", {dtype, shape, self}}, {"out", {dtype, shape, out}}}, {}, relative);
}

TEST(Inverse, IsThatOfEachMatrix) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_FLOAT}) {
    ExpectInverse(dtype, {2, 2, 2}, {1, 2, 3, 4, 0, 2, -0.5, 0}, {-2, 1, 1.5, -0.5, 0, -2, 0.5, 0});
    ExpectInverse(dtype, {3, 3}, {2, 1, 1, 1, 3, 2, 1, 0, 0}, {0, 0, 1, -2, 1, 3, 3, -1, -5});
    ExpectInverse(dtype, {1, 1}, {-8}, {-0.125});
  }
  ExpectInverse(ACL_DOUBLE, {2, 2}, {1, 2, 3, 4}, {-2, 1, 1.5, -0.5}, 1e-15);
  ExpectInverse(ACL_FLOAT, {1, 1}, {3}, {0.333333343267440796});
}

// 1.25, 1/3 and so on are not rounded before the last step.
TEST(Inverse, OfFloat16IsRoundedOnce) {
  ExpectInverse(ACL_FLOAT16, {2, 2}, {4, 1, 1, 1}, {0.333251953125, -0.333251953125, -0.333251953125, 1.3330078125});
}

TEST(Inverse, OfASingularMatrixIsInfinite) {
  ExpectInverse(ACL_FLOAT, {2, 2}, {1, 2, 2, 4}, {-kInf, kInf, kInf, -kInf});
  ExpectInverse(ACL_DOUBLE, {1, 1}, {0}, {kInf});
}

TEST(Inverse, OfAMatrixWithNanIsNan) {
  for (const size_t at : {0, 1, 2, 3, 4, 8}) {
    std::vector<double> self = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    self[at] = kNan;
    ExpectInverse(ACL_FLOAT, {3, 3}, self, std::vector<double>(9, kNan));
  }
}

void ExpectSlogdet(aclDataType dtype, const calls::Dims& shape, const std::vector<double>& self,
                   const std::vector<double>& sign, const std::vector<double>& log) {
  const calls::Dims batch(shape.begin(), shape.end() - 2);
  testing::ExpectExample(
      Slogdet(), {{"self", {dtype, shape, self}}, {"signOut", {dtype, batch, sign}}, {"logOut", {dtype, batch, log}}},
      {}, dtype == ACL_FLOAT || dtype == ACL_COMPLEX64 ? 1e-7 : 1e-15);
}

TEST(Slogdet, IsThatOfEachMatrix) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
    ExpectSlogdet(dtype, {2, 2, 2}, {1, 2, 3, 4, 0, 2, -0.5, 0}, {-1, 1}, {0.693147180559945309, 0});
    ExpectSlogdet(dtype, {3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0}, {1}, {0});
    ExpectSlogdet(dtype, {1, 1}, {-0.5}, {-1}, {-0.693147180559945309});
  }
}

// The determinants are 1 - i and, for a matrix that equals its transpose, -8i.
TEST(Slogdet, IsThatOfComplexMatrices) {
  const std::vector<double> self = {1, 1, 2, 0, 0, 1, 1, 0, 0, 0, 2, 2, 2, 2, 0, 0};
  const double root = std::sqrt(2.0);
  for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128}) {
    const bool is_single = dtype == ACL_COMPLEX64;
    const std::vector<double> sign = {1 / root, -1 / root, 0, -1}, log = {0.5 * std::log(2.0), std::log(8.0)};
    const auto expect = [&](aclDataType of_log, const std::vector<double>& logs) {
      testing::ExpectExample(
          Slogdet(),
          {{"self", {dtype, {2, 2, 2}, self}}, {"signOut", {dtype, {2}, sign}}, {"logOut", {of_log, {2}, logs}}}, {},
          is_single ? 1e-7 : 1e-15);
    };
    expect(is_single ? ACL_FLOAT : ACL_DOUBLE, log);
    expect(dtype, {log[0], 0, log[1], 0});
    ExpectSlogdet(dtype, {2, 2}, {1, 1, 2, 2, 1, 0, 2, 0}, {0, 0}, {-kInf, 0});
    ExpectSlogdet(dtype, {1, 1}, {kNan, 0}, {kNan, kNan}, {kNan, 0});
    ExpectSlogdet(dtype, {2, 2}, {kInf, 0, 1, 0, 0, kNan, 0, 1}, {kNan, kNan}, {kNan, 0});
    const double tiny = is_single ? 0x1p-120 : 0x1p-1000;  // its square is 0
    ExpectSlogdet(dtype, {2, 2}, {0, 0, tiny, 0, 0, tiny, tiny, tiny}, {0, -1}, {2 * std::log(tiny), 0});
  }
}

TEST(Slogdet, OfASingularMatrixIsZero) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
    ExpectSlogdet(dtype, {2, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 0}, {0, 0}, {-kInf, -kInf});
    ExpectSlogdet(dtype, {2, 2}, {1, kNan, 0, 1}, {kNan}, {kNan});
  }
}

TEST(Slogdet, OfNoElementsIsThatOfOne) { ExpectSlogdet(ACL_FLOAT, {2, 0, 0}, {}, {1, 1}, {0, 0}); }

// The determinant is 2^-39,000, and 2^30,000.
TEST(Slogdet, NeitherUnderflowsNorOverflows) {
  constexpr size_t kN = 300;
  for (const int exponent : {-130, 100}) {
    std::vector<double> self(kN * kN);
    for (size_t i = 0; i < kN; ++i) self[i * kN + i] = std::ldexp(i % 2 == 0 ? 1 : -1, exponent);
    ExpectSlogdet(ACL_FLOAT, {kN, kN}, self, {1}, {exponent * 300 * 0.693147180559945309});
  }
}

using testing::Example;

void ExpectQr(int mode, const Example& self, const Example& q, const Example& r, double relative = 3e-7) {
  testing::ExpectExample(LinalgQr(), {{"self", self}, {"Q", q}, {"R", r}}, {{"mode", mode}}, relative);
}

Example Floats(const calls::Dims& shape, const std::vector<double>& values) { return {ACL_FLOAT, shape, values}; }

TEST(LinalgQr, GivesTheDocumentedResults) {
  const Example self = Floats({2, 2}, {1, 2, 3, 4});
  const Example q = Floats({2, 2}, {-0.316227766, -0.948683298, -0.948683298, 0.316227766});
  const Example r = Floats({2, 2}, {-3.16227766, -4.42718872, 0, -0.632455532});
  ExpectQr(0, self, q, r);
  ExpectQr(1, self, q, r);
  ExpectQr(2, self, Floats({0}, {}), r);
  ExpectQr(2, self, Floats({3, 0, 2}, {}), r);
}

TEST(LinalgQr, OfTallAndWideMatrices) {
  const Example tall = Floats({3, 1}, {2, -1, 2});
  const double third = 1.0 / 3;
  ExpectQr(0, tall, Floats({3, 1}, {-2 * third, third, -2 * third}), Floats({1, 1}, {-3}));
  ExpectQr(1, tall,
           Floats({3, 3}, {-2 * third, third, -2 * third, third, 14 * third / 5, 2 * third / 5, -2 * third,
                           2 * third / 5, 11 * third / 5}),
           Floats({3, 1}, {-3, 0, 0}));
  const Example wide = Floats({1, 3}, {2, -1, 0});
  for (const int mode : {0, 1}) ExpectQr(mode, wide, Floats({1, 1}, {1}), wide, 0);
}

// All elements below the diagonal are 0, so that nothing is reflected.
TEST(LinalgQr, LeavesTrianglesAlone) {
  const Example self = Floats({3, 3}, {1, -2, 3, 0, -4, 5, 0, 0, 0});
  ExpectQr(0, self, Floats({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}), self, 0);
}

TEST(LinalgQr, WithoutColumnsIsTheUnitMatrix) {
  ExpectQr(1, Floats({2, 0}, {}), Floats({2, 2}, {1, 0, 0, 1}), Floats({2, 0}, {}), 0);
  ExpectQr(0, Floats({2, 0}, {}), Floats({2, 0}, {}), Floats({0, 0}, {}), 0);
}

TEST(LinalgQr, NeitherUnderflowsNorOverflows) {
  for (const double scale : {0x1p-1040, 0x1p-600, 0x1p1000}) {
    testing::ExpectExample(LinalgQr(),
                           {{"self", {ACL_DOUBLE, {2, 2}, {3 * scale, 0, -4 * scale, 5 * scale}}},
                            {"Q", {ACL_DOUBLE, {2, 2}, {-0.6, 0.8, 0.8, 0.6}}},
                            {"R", {ACL_DOUBLE, {2, 2}, {-5 * scale, 4 * scale, 0, 3 * scale}}}},
                           {{"mode", 0}}, 1e-9);
  }
}

TEST(LinalgQr, OfColumnsOfDifferentSizes) {
  testing::ExpectExample(LinalgQr(),
                         {{"self", {ACL_DOUBLE, {2, 3}, {3e-300, 0, 1e300, -4e-300, 5, 0}}},
                          {"Q", {ACL_DOUBLE, {2, 2}, {-0.6, 0.8, 0.8, 0.6}}},
                          {"R", {ACL_DOUBLE, {2, 3}, {-5e-300, 4, -6e299, 0, 3, 8e299}}}},
                         {{"mode", 0}}, 1e-15);
}

TEST(LinalgQr, OfNanOrAnInfinityIsNan) {
  for (const double special : {kNan, kInf}) {
    ExpectQr(0, Floats({2, 2}, {1, 0, 0, special}), Floats({2, 2}, {kNan, kNan, kNan, kNan}),
             Floats({2, 2}, {kNan, kNan, kNan, kNan}));
  }
}

TEST(LinalgQr, WantsNoQInMode2) {
  calls::Call call = calls::MakeValidCall(LinalgQr());
  call.argument("mode").integer = 2;
  call.tensor("self").shape = call.tensor("R").shape = {4, 2, 3};
  call.tensor("Q").shape = {4, 2, 2};
  EXPECT_EQ(testing::StatusOf(call), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'Q': expected a shape without elements"),
            std::string_view::npos);
  call.argument("mode").integer = 0;
  EXPECT_EQ(testing::StatusOf(call), exec::kSuccess);
  call.argument("mode").integer = 1;
  call.tensor("R").shape = {4, 2, 2};
  EXPECT_EQ(testing::StatusOf(call), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'R': expected [4,2,3], got [4,2,2]"), std::string_view::npos);
}

// Sizes at which blocks start, and sizes that are no multiple of a block.
TEST(Factorization, GoesOnInBlocks) {
  for (const exec::OperatorEntry& entry : Operators()) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX128}) {
      for (const int64_t n : {16, 64, 129, 200}) {
        if (testing::kTestsAreSlow && n == 200) continue;
        calls::Call call = calls::MakeLargeCall(entry, 1, dtype);
        call.tensor("self").shape = {n, n};
        for (const int tensor : call.schema().tensors) {
          if (call.schema().args[static_cast<size_t>(tensor)].written()) calls::ComputeShapeOf(call, tensor);
        }
        testing::ExpectRight(call);
      }
    }
  }
}

TEST(Factorization, RefusesWhatIsNotSquare) {
  calls::Call call = calls::MakeValidCall(Inverse());
  call.tensor("self").shape = call.tensor("out").shape = {4, 2, 3};
  EXPECT_EQ(testing::StatusOf(call), exec::kInvalid);
  const std::string_view message = aclGetRecentErrMsg();
  EXPECT_TRUE(message.ends_with("aclnnInverse: argument 'self': expected last two axes of one size, got [4,2,3]"))
      << message;
}

}  // namespace
}  // namespace portacl::ops::factorization
