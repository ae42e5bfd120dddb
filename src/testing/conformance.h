// SPDX-License-Identifier: Apache-2.0
// One call of any operator, run on every instruction set: correct by the oracle, the same bits wherever its operands
// are in memory, and no other memory touched. The tests generated from schemas make random calls (conformance_*.cc).
//
//   Call call = calls::MakeCallOfShape(entry, {40, 33}, &random);
//   call.tensor("x").strides = {1, 40};
//   ExpectRight(call);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calls/call.h"
#include "exec/bind.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"

namespace portacl::testing {

// A tensor of a call that is not in a list and not null.
struct Operand {
  int argument;
  calls::TensorSpec* tensor;
  bool is_written;
  bool is_data_dependent;
};
std::vector<Operand> OperandsOf(calls::Call& call);

// `call` has views, memory and contents. The same elements in separate contiguous operands give the oracle's results;
// the call itself gives the same bits and does not change other memory. If elements of an output share an address, it
// finally holds one of their values. Returns how many 16-bit results are not the nearest value, relative to how many
// may be (ErrorBound::not_nearest): at most 1 for ordinary contents.
double ExpectConformance(calls::Call& call);
// The same for a call that has views, but no memory and contents: its inputs are random, and special values (NaN,
// infinities ...) with probability `special`.
double ExpectRight(calls::Call call, double special = 0);

// The same with each operand, and the workspace, next to an inaccessible page; the call has views, but no memory and
// contents.
void ExpectConformanceAtGuard(calls::Call& call, GuardSide side, Random& random);

// Expects the same correct bits with each of these numbers of threads. `call` is large and has views, memory and
// contents.
void ExpectConformanceOfThreads(calls::Call& call, std::initializer_list<int> thread_counts);

// For values that are known to be difficult for an operator: contiguous operands with these values (0 for those not
// named) and attributes; correct on every instruction set. Free tensors have the shape of the largest, with one axis
// unless the schema requires more. Returns the same as ExpectConformance.
double ExpectRight(const exec::OperatorEntry& entry, aclDataType dtype,
                   const std::map<std::string, std::vector<double>>& operands,
                   const std::map<std::string, double>& attributes = {});

// A contiguous tensor with these values; a complex number is two values, its parts.
struct Example {
  aclDataType dtype;
  calls::Dims shape;
  std::vector<double> values;
};
// A worked example: inputs, the outputs expected on every instruction set, to within a relative error (0: exactly,
// except for the sign of zero), attributes and arrays of integers. Optional arguments that are not named are null.
void ExpectExample(const exec::OperatorEntry& entry, const std::map<std::string, Example>& tensors,
                   const std::map<std::string, double>& attributes, double relative,
                   const std::map<std::string, std::vector<int64_t>>& arrays = {});

// Dtypes that a call may have: one for each tensor and dtype attribute, by argument.
using Dtypes = std::vector<aclDataType>;
// All combinations if there are few; otherwise a selection in which each two arguments have each two dtypes once.
const std::vector<Dtypes>& DtypesOf(const exec::OperatorEntry& entry);
const std::vector<Dtypes>& PairwiseDtypesOf(const exec::OperatorEntry& entry);
// The combination for call number `turn`: each in turn, but neighbours far apart, so that few calls contain all dtypes.
const Dtypes& Spread(const std::vector<Dtypes>& all, size_t turn);
void SetDtypes(calls::Call& call, const Dtypes& dtypes);

// A random call with this shape and these dtypes, contiguous, with ordinary attributes, without memory.
calls::Call DrawCall(const exec::OperatorEntry& entry, const calls::Dims& shape, const Dtypes& dtypes, Random& random);

// Whether the schema accepts tensors without elements.
bool MayBeEmpty(const exec::OperatorEntry& entry);

}  // namespace portacl::testing
