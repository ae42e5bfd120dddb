// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <limits>

#include <gtest/gtest.h>

#include "calls/call.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/cost.h"
#include "testing/operator_contract.h"

ROW_CONTRACT_TESTS(Addmm, addmm);

namespace portacl::ops::addmm {
namespace {

using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& Addmm() { return Operators()[0]; }
const exec::OperatorEntry& InplaceAddmm() { return Operators()[1]; }
const exec::OperatorEntry& Addmv() { return Operators()[2]; }
const exec::OperatorEntry& Baddbmm() { return Operators()[3]; }
const exec::OperatorEntry& Addbmm() { return Operators()[5]; }

const Example kSquare = {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}};
const Example kUnit = {ACL_FLOAT, {2, 2}, {1, 0, 0, 1}};

TEST(Addmm, ScalesBothAndBroadcastsSelf) {
  testing::ExpectExample(Addmm(),
                         {{"self", {ACL_FLOAT, {2}, {10, 20}}},
                          {"mat1", kSquare},
                          {"mat2", kUnit},
                          {"out", {ACL_FLOAT, {2, 2}, {7, 14, 11, 18}}}},
                         {{"beta", 0.5}, {"alpha", 2}, {"cubeMathType", 1}}, 0);
}

TEST(Addmm, DoesNotReadSelfWhereBetaIsZero) {
  testing::ExpectExample(Addmm(),
                         {{"self", {ACL_FLOAT, {}, {kNan}}},
                          {"mat1", kSquare},
                          {"mat2", kUnit},
                          {"out", {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}}}},
                         {{"beta", 0}, {"alpha", 1}, {"cubeMathType", 0}}, 0);
}

TEST(Addmm, OfNothingIsSelf) {
  testing::ExpectExample(Addmm(),
                         {{"self", {ACL_FLOAT, {1, 2}, {3, 4}}},
                          {"mat1", {ACL_FLOAT, {5, 0}, {}}},
                          {"mat2", {ACL_BF16, {0, 2}, {}}},
                          {"out", {ACL_FLOAT16, {5, 2}, {6, 8, 6, 8, 6, 8, 6, 8, 6, 8}}}},
                         {{"beta", 2}, {"alpha", 1}, {"cubeMathType", 0}}, 0);
}

TEST(InplaceAddmm, AddsToSelf) {
  calls::Call call = calls::MakeValidCall(InplaceAddmm());
  call.tensor("selfRef").shape = {9, 9};
  call.tensor("mat1").shape = {9, 7};
  call.tensor("mat2").shape = {7, 9};
  call.argument("beta").real = -0.5;
  testing::ExpectRight(call);
}

TEST(Addmv, TakesAlphaBeforeBeta) {
  testing::ExpectExample(Addmv(),
                         {{"self", {ACL_FLOAT, {2}, {100, 200}}},
                          {"mat", kSquare},
                          {"vec", {ACL_FLOAT, {2}, {1, 1}}},
                          {"out", {ACL_FLOAT, {2}, {1006, 2014}}}},
                         {{"alpha", 2}, {"beta", 10}, {"cubeMathType", 0}}, 0);
}

TEST(Batches, AreKeptApartOrSummed) {
  const Example two = {ACL_FLOAT, {2, 1, 2}, {1, 2, 3, 4}};
  const Example columns = {ACL_FLOAT, {2, 2, 1}, {1, 1, 10, 10}};
  testing::ExpectExample(
      Baddbmm(),
      {{"self", {ACL_FLOAT, {1}, {1}}}, {"batch1", two}, {"batch2", columns}, {"out", {ACL_FLOAT, {2, 1, 1}, {4, 71}}}},
      {{"beta", 1}, {"alpha", 1}, {"cubeMathType", 0}}, 0);
  testing::ExpectExample(
      Addbmm(),
      {{"self", {ACL_FLOAT, {1}, {1}}}, {"batch1", two}, {"batch2", columns}, {"out", {ACL_FLOAT, {1, 1}, {74}}}},
      {{"beta", 1}, {"alpha", 1}, {"cubeMathType", 0}}, 0);
}

// Measured on a Xeon with AVX-512, 2026-11-27, weights in the second-level cache.
TEST(Addmm, EstimatesWhatItTakes) {
  struct Row {
    calls::Dims mat1, mat2;
    double ns;
  };
  for (const Row& row : {Row{{2, 512}, {512, 128}, 5'000}, Row{{16, 128}, {128, 384}, 9'000},
                         Row{{96, 128}, {128, 64}, 9'600}, Row{{1000, 32}, {32, 64}, 31'000}}) {
    SCOPED_TRACE(row.mat1[0]);
    calls::Call call = calls::MakeValidCall(Addmm());
    call.tensor("self").shape = {row.mat2[1]};
    call.tensor("mat1").shape = row.mat1;
    call.tensor("mat2").shape = row.mat2;
    call.tensor("out").shape = {row.mat1[0], row.mat2[1]};
    testing::ExpectEstimate(call, row.ns);
  }
}

}  // namespace
}  // namespace portacl::ops::addmm
