// SPDX-License-Identifier: Apache-2.0
// The dtypes that calls of an operator may have, found by random calls; and calls that have them.
#include <map>
#include <set>
#include <tuple>

#include "base/soc.h"
#include "calls/oracle.h"
#include "calls/views.h"
#include "testing/conformance.h"

namespace portacl::testing {
namespace {

bool HasDtype(const exec::Arg& arg) {
  return exec::IsTensor(arg.kind) || arg.kind == exec::ValueKind::kDtype || arg.kind == exec::ValueKind::kScalar;
}

Dtypes DtypesOfCall(const calls::Call& call) {
  Dtypes dtypes;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const calls::ArgumentSpec& spec = call.arguments()[i];
    if (!HasDtype(call.schema().args[i])) continue;
    if (call.schema().args[i].kind == exec::ValueKind::kScalar)
      dtypes.push_back(spec.number);
    else
      dtypes.push_back(spec.tensors.empty() ? static_cast<aclDataType>(spec.integer) : spec.tensors.front().dtype);
  }
  return dtypes;
}

// Generates dtypes until no new combination has come for long: of pairs of 15 dtypes, one is missed in about a million
// runs.
template <class Take>
void DrawDtypes(const exec::OperatorEntry& entry, const Take& take) {
  constexpr int kMostDraws = 4000;
  calls::Random random(1);
  size_t found = 0;
  int last = 0;
  for (int draw = 0; draw < kMostDraws && draw < last + 200 + 15 * static_cast<int>(found); ++draw) {
    if (take(DtypesOfCall(calls::MakeValidCall(entry, &random)))) ++found, last = draw;
  }
}

std::vector<Dtypes> FindAllDtypes(const exec::OperatorEntry& entry) {
  constexpr size_t kMany = 256;
  std::set<Dtypes> all;
  DrawDtypes(entry, [&](const Dtypes& dtypes) { return all.insert(dtypes).second; });
  return all.size() <= kMany ? std::vector<Dtypes>(all.begin(), all.end()) : PairwiseDtypesOf(entry);
}

std::vector<Dtypes> FindPairwiseDtypes(const exec::OperatorEntry& entry) {
  std::set<std::tuple<size_t, size_t, aclDataType, aclDataType>> seen;
  std::vector<Dtypes> chosen;
  DrawDtypes(entry, [&](const Dtypes& dtypes) {
    bool is_new = false;
    for (size_t i = 0; i < dtypes.size(); ++i) {
      for (size_t j = i; j < dtypes.size(); ++j) is_new |= seen.emplace(i, j, dtypes[i], dtypes[j]).second;
    }
    if (is_new) chosen.push_back(dtypes);
    return is_new;
  });
  return chosen;
}

using Finder = std::vector<Dtypes> (*)(const exec::OperatorEntry& entry);
// Cached, as most tests need them.
const std::vector<Dtypes>& Remembered(const exec::OperatorEntry& entry, Finder find) {
  static std::map<std::tuple<const exec::OperatorEntry*, Finder, const Soc*>, std::vector<Dtypes>> all;
  std::vector<Dtypes>& dtypes = all[{&entry, find, &CurrentSoc()}];
  if (dtypes.empty()) dtypes = find(entry);
  return dtypes;
}

}  // namespace

const std::vector<Dtypes>& DtypesOf(const exec::OperatorEntry& entry) { return Remembered(entry, FindAllDtypes); }

const std::vector<Dtypes>& PairwiseDtypesOf(const exec::OperatorEntry& entry) {
  return Remembered(entry, FindPairwiseDtypes);
}

const Dtypes& Spread(const std::vector<Dtypes>& all, size_t turn) {
  constexpr size_t kPrime = 7919;  // larger than the number of combinations, so that none is skipped
  return all[turn * kPrime % all.size()];
}

void SetDtypes(calls::Call& call, const Dtypes& dtypes) {
  size_t next = 0;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    if (!HasDtype(call.schema().args[i])) continue;
    call.arguments()[i].integer = dtypes[next];
    call.arguments()[i].number = dtypes[next];
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
    if (step.word == exec::Word::kNotEmpty || step.word == exec::Word::kNotEmptyAlong) return false;
  }
  return true;
}

}  // namespace portacl::testing
