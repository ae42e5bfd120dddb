// SPDX-License-Identifier: Apache-2.0
// One call of any operator, run on every instruction set: right by the oracle, the same bits wherever its operands lie,
// and nothing else touched. The tests made from schemas draw the calls (conformance_*.cc).
//
//   Call call = calls::MakeCallOfShape(entry, {40, 33}, &random);
//   call.tensor("x").strides = {1, 40};
//   call.AllocateData();
//   calls::DrawContents(call, random, 0);
//   ExpectConformance(call);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calls/call.h"
#include "exec/bind.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"

namespace portacl::testing {

// A tensor of a call, which is a plain one and not null.
struct Operand {
  int argument;
  calls::TensorSpec* tensor;
  bool is_written;
};
std::vector<Operand> OperandsOf(calls::Call& call);

// `call` has views, memory and contents. The same elements in contiguous operands of their own give what the oracle
// says; the call itself gives the same bits and leaves all other memory alone. Where elements of an output share an
// address, one of their values is there in the end. Returns how many 16-bit results are not the nearest number, beside
// how many may be (ErrorBound::not_nearest): at most 1 for ordinary contents.
double ExpectConformance(calls::Call& call);

// The same with each operand, and the workspace, at a forbidden page; the call has views, but no memory and contents.
void ExpectConformanceAtGuard(calls::Call& call, GuardSide side, Random& random);

// The same bits with these numbers of threads, and right. `call` is large and has views, memory and contents.
void ExpectConformanceOfThreads(calls::Call& call, std::initializer_list<int> thread_counts);

// For numbers at which an operator is known to be hard: contiguous operands with these values, those that are not named
// 0, and attributes; right on every instruction set. The shape of free tensors is that of the largest, one axis unless
// the schema wants more. Returns what ExpectConformance does.
double ExpectRight(const exec::OperatorEntry& entry, aclDataType dtype,
                   const std::map<std::string, std::vector<double>>& operands,
                   const std::map<std::string, double>& attributes = {});

// A contiguous tensor with these values; complex numbers are two, their parts.
struct Example {
  aclDataType dtype;
  calls::Dims shape;
  std::vector<double> values;
};
// A worked example: inputs, the outputs that they give on every instruction set, to within a relative error (0:
// exactly, but for the sign of zero), attributes and arrays of integers. Optional arguments that are not named are
// null.
void ExpectExample(const exec::OperatorEntry& entry, const std::map<std::string, Example>& tensors,
                   const std::map<std::string, double>& attributes, double relative,
                   const std::map<std::string, std::vector<int64_t>>& arrays = {});

// Dtypes that a call may have: one for each tensor and dtype attribute, by argument.
using Dtypes = std::vector<aclDataType>;
// All of them where these are few; otherwise such that each two arguments have each two dtypes once.
const std::vector<Dtypes>& DtypesOf(const exec::OperatorEntry& entry);
const std::vector<Dtypes>& PairwiseDtypesOf(const exec::OperatorEntry& entry);
// Those of draw number `turn`: each in turn, but neighbours far apart, so that few draws meet all dtypes.
const Dtypes& Spread(const std::vector<Dtypes>& all, size_t turn);
void SetDtypes(calls::Call& call, const Dtypes& dtypes);

// A drawn call of this shape and these dtypes, contiguous, with ordinary attributes, without memory.
calls::Call DrawCall(const exec::OperatorEntry& entry, const calls::Dims& shape, const Dtypes& dtypes, Random& random);

// Whether the schema takes tensors without elements.
bool MayBeEmpty(const exec::OperatorEntry& entry);

}  // namespace portacl::testing
