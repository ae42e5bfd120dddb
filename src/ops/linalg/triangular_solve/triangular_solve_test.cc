// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, and systems of realistic size.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/views.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/sample_size.h"

OP_CONTRACT_TESTS(TriangularSolve, triangular_solve, 0);

namespace portacl::ops::triangular_solve {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using calls::Dims;
using testing::Example;

struct Form {
  bool upper = false;
  bool transpose = false;
  bool unitriangular = false;
};

void ExpectSolution(const Form& form, const Example& self, const Example& a, const Example& x, const Example& triangle,
                    double relative = 0) {
  testing::ExpectExample(Operators()[0], {{"self", self}, {"A", a}, {"xOut", x}, {"mOut", triangle}},
                         {{"upper", form.upper}, {"transpose", form.transpose}, {"unitriangular", form.unitriangular}},
                         relative);
}

TEST(TriangularSolve, GivesTheWorkedExamples) {
  const std::vector<double> a = {2, 9, 9, 1, 4, 9, 3, 5, 8}, b = {2, 4, 9, 6, 38, 23};
  const std::vector<double> lower = {2, 0, 0, 1, 4, 0, 3, 5, 8}, upper = {2, 9, 9, 0, 4, 9, 0, 0, 8};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
    const auto matrix = [dtype](const std::vector<double>& values) {
      return Example{dtype, {3, std::ssize(values) / 3}, values};
    };
    const auto expect = [&](const Form& form, const std::vector<double>& x, const std::vector<double>& triangle) {
      ExpectSolution(form, matrix(b), matrix(a), matrix(x), matrix(triangle));
    };
    expect({}, {1, 2, 2, 1, 3.125, 1.5}, lower);
    expect({.upper = true}, {17.59375, 11.421875, -8.4375, -4.96875, 4.75, 2.875}, upper);
    expect({.transpose = true}, {-4.28125, -1.265625, -3.6875, -2.09375, 4.75, 2.875}, lower);
    expect({.unitriangular = true}, {2, 4, 7, 2, -3, 1}, lower);
    expect({.upper = true, .transpose = true, .unitriangular = true}, {2, 4, -9, -30, 101, 257}, upper);
  }
}

TEST(TriangularSolve, BroadcastsBatches) {
  ExpectSolution({}, {ACL_FLOAT, {2, 1, 1, 2}, {2, 4, 6, 8}}, {ACL_FLOAT, {3, 1, 1}, {1, 2, 4}},
                 {ACL_FLOAT, {2, 3, 1, 2}, {2, 4, 1, 2, 0.5, 1, 6, 8, 3, 4, 1.5, 2}},
                 {ACL_FLOAT, {2, 3, 1, 1}, {1, 2, 4, 1, 2, 4}});
}

// Neither the other triangle nor a diagonal that is assumed to be 1 is read.
TEST(TriangularSolve, IgnoresWhatItDoesNotUse) {
  ExpectSolution({}, {ACL_FLOAT, {2, 1}, {2, 3}}, {ACL_FLOAT, {2, 2}, {2, kNan, 1, 2}}, {ACL_FLOAT, {2, 1}, {1, 1}},
                 {ACL_FLOAT, {2, 2}, {2, 0, 1, 2}});
  ExpectSolution({.unitriangular = true}, {ACL_FLOAT, {2, 1}, {2, 3}}, {ACL_FLOAT, {2, 2}, {kNan, 7, 1, 0}},
                 {ACL_FLOAT, {2, 1}, {2, 1}}, {ACL_FLOAT, {2, 2}, {kNan, 0, 1, 0}});
}

TEST(TriangularSolve, DividesByAZeroOfTheDiagonal) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
    ExpectSolution({}, {dtype, {2, 3}, {1, -1, 0, 1, 1, 1}}, {dtype, {2, 2}, {0, 0, 1, 1}},
                   {dtype, {2, 3}, {kInf, -kInf, kNan, -kInf, kInf, kNan}}, {dtype, {2, 2}, {0, 0, 1, 1}});
  }
}

// The reciprocal of 1e-310 overflows.
TEST(TriangularSolve, DividesBySubnormalNumbers) {
  ExpectSolution({}, {ACL_DOUBLE, {1, 1}, {3e-310}}, {ACL_DOUBLE, {1, 1}, {1e-310}}, {ACL_DOUBLE, {1, 1}, {3}},
                 {ACL_DOUBLE, {1, 1}, {1e-310}}, 1e-13);
}

// As in real programs: rank 4, any strides, diagonals that are not near 0.
TEST(TriangularSolve, OfLargeSystemsIsRight) {
  testing::Random random;
  int turn = 0;
  for (const int64_t n : {7, 64, 255}) {
    for (int form = 0; form < 8; ++form) {
      if (++turn % testing::OneOf(3) != 0) continue;
      calls::Call call = calls::MakeValidCall(Operators()[0]);
      for (const char* const name : {"self", "A", "xOut", "mOut"}) call.tensor(name).dtype = ACL_FLOAT;
      call.tensor("self").shape = call.tensor("xOut").shape = {1, 2, n, 33};
      call.tensor("A").shape = call.tensor("mOut").shape = {1, 2, n, n};
      call.tensor("self").strides = Dims{66 * n, 33 * n, 1, n};
      call.tensor("A").strides = Dims{2 * n * n, n * n, 1, n};
      call.argument("upper").integer = form & 1;
      call.argument("transpose").integer = form >> 1 & 1;
      call.argument("unitriangular").integer = form >> 2;
      call.AllocateData();
      calls::DrawContents(call, random, 0);
      const calls::TensorSpec& a = call.tensor("A");
      std::vector<double> values = calls::Decode(ACL_FLOAT, calls::ReadBlock(a));
      for (double& value : values) value = std::remainder(value, 1) / static_cast<double>(n);
      for (int64_t batch = 0; batch < 2; ++batch) {
        for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(batch * n * n + i * (n + 1))] += 1.5;
      }
      testing::WriteMemory(a.data, calls::Encode(ACL_FLOAT, values));
      testing::ExpectConformance(call);
    }
  }
}

TEST(TriangularSolve, RefusesWhatDoesNotFitTogether) {
  const auto refused = [](const Dims& self, const Dims& a, const Dims& x, const Dims& triangle) {
    calls::Call call = calls::MakeValidCall(Operators()[0]);
    call.tensor("self").shape = self;
    call.tensor("A").shape = a;
    call.tensor("xOut").shape = x;
    call.tensor("mOut").shape = triangle;
    return testing::TryPhaseOne(call).message;
  };
  const auto says = [&](const std::string& message, const char* text) {
    return message.find(text) != std::string::npos;
  };
  EXPECT_EQ(refused({2, 3, 4}, {3, 3}, {2, 3, 4}, {2, 3, 3}), "");
  EXPECT_TRUE(says(refused({3, 4}, {3, 4}, {3, 4}, {3, 4}), "'A': expected 3 rows and columns"));
  EXPECT_TRUE(says(refused({3, 4}, {4, 4}, {3, 4}, {4, 4}), "'A': expected 3 rows and columns"));
  EXPECT_TRUE(says(refused({2, 3, 4}, {3, 3}, {3, 4}, {2, 3, 3}), "'xOut': expected [2,3,4], got [3,4]"));
  EXPECT_TRUE(says(refused({2, 3, 4}, {3, 3}, {2, 3, 4}, {3, 3}), "'mOut': expected [2,3,3], got [3,3]"));
  EXPECT_TRUE(says(refused({2, 3, 4}, {3, 3, 3}, {2, 3, 4}, {2, 3, 3}), "'xOut': expected a shape that"));
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  for (const char* const name : {"self", "A", "xOut", "mOut"}) call.tensor(name).dtype = ACL_COMPLEX64;
  EXPECT_EQ(testing::StatusOf(call), 561003) << "listed, but not computed yet";
}

}  // namespace
}  // namespace portacl::ops::triangular_solve
