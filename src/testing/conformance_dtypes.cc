// SPDX-License-Identifier: Apache-2.0
// The dtypes that calls of an operator may have, found by drawing calls; and calls that have them.
#include <set>
#include <tuple>

#include "calls/oracle.h"
#include "calls/views.h"
#include "testing/conformance.h"

namespace portacl::testing {
namespace {

bool HasDtype(const exec::Arg& arg) { return exec::IsTensor(arg.kind) || arg.kind == exec::ValueKind::kDtype; }

Dtypes DtypesOfCall(const calls::Call& call) {
  Dtypes dtypes;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const calls::ArgumentSpec& spec = call.arguments()[i];
    if (!HasDtype(call.schema().args[i])) continue;
    dtypes.push_back(spec.tensors.empty() ? static_cast<aclDataType>(spec.integer) : spec.tensors.front().dtype);
  }
  return dtypes;
}

}  // namespace

std::vector<Dtypes> DtypesOf(const exec::OperatorEntry& entry) {
  constexpr int kDraws = 4000;  // a pair of 15 dtypes each is missed once in 50 million runs
  constexpr size_t kMany = 256;
  calls::Random random(1);
  std::set<Dtypes> all;
  for (int i = 0; i < kDraws; ++i) all.insert(DtypesOfCall(calls::MakeValidCall(entry, &random)));
  return all.size() <= kMany ? std::vector<Dtypes>(all.begin(), all.end()) : PairwiseDtypesOf(entry);
}

std::vector<Dtypes> PairwiseDtypesOf(const exec::OperatorEntry& entry) {
  constexpr int kDraws = 4000;
  calls::Random random(1);
  std::set<std::tuple<size_t, size_t, aclDataType, aclDataType>> seen;
  std::vector<Dtypes> chosen;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Dtypes dtypes = DtypesOfCall(calls::MakeValidCall(entry, &random));
    bool is_new = false;
    for (size_t i = 0; i < dtypes.size(); ++i) {
      for (size_t j = i; j < dtypes.size(); ++j) is_new |= seen.emplace(i, j, dtypes[i], dtypes[j]).second;
    }
    if (is_new) chosen.push_back(dtypes);
  }
  return chosen;
}

void SetDtypes(calls::Call& call, const Dtypes& dtypes) {
  size_t next = 0;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    if (!HasDtype(call.schema().args[i])) continue;
    call.arguments()[i].integer = dtypes[next];
    for (calls::TensorSpec& tensor : call.arguments()[i].tensors) tensor.dtype = dtypes[next];
    ++next;
  }
}

calls::Call DrawCall(const exec::OperatorEntry& entry, const calls::Dims& shape, const Dtypes& dtypes, Random& random) {
  calls::Call call = calls::MakeCallOfShape(entry, shape, &random);
  SetDtypes(call, dtypes);
  calls::DrawAttributes(call, random, 0);
  return call;
}

bool MayBeEmpty(const exec::OperatorEntry& entry) {
  for (const exec::Step& step : entry.schema->steps) {
    if (step.word == exec::Word::kNotEmpty) return false;
  }
  return true;
}

}  // namespace portacl::testing
