// SPDX-License-Identifier: Apache-2.0
// Schemas of operators of lists: one formula for each tensor of lists whose tensors have equal shapes.
//
//   inline constexpr ListRow kMulRow = {"x * scalar", "Integers wrap modulo 2^n.", kListDtypes, kOneRounding};
//   PORTACL_ROW(ForeachMulScalar, opapi_nn, "aclnn_foreach_mul_scalar.h", ForeachScalar(kMulRow));
#pragma once

#include <iterator>
#include <limits>

#include "exec/arguments.h"
#include "families/pointwise_schema.h"

namespace portacl::families {

inline constexpr exec::DtypeSet kListDtypes = kFloats3 | exec::DtypeSet{ACL_INT32};

struct ListRow {
  const char* formula;
  const char* special = "";
  exec::DtypeSet dtypes = kFloats3;
  Errors errors = kExact;
  bool truncates = false;        // integers are truncated from FLOAT; otherwise they are exact
  exec::DtypeSet results = {};   // dtypes of the output; empty: that of the inputs
  exec::Accuracy accuracy = {};  // instead of `errors`
  bool one_element = false;      // each tensor of the output has one element
  exec::Step rule = kNoStep;     // a rule of the room
  exec::DtypeSet scalar = {};    // dtypes of the tensor beside the lists; empty: those that fit the dtype of the lists
};

consteval exec::Accuracy AccuracyOf(const ListRow& row) {
  if (row.accuracy.count != 0) return row.accuracy;
  exec::Accuracy accuracy = AccuracyOf("out", row.truncates ? row.dtypes : row.dtypes - kWhole, row.errors);
  const exec::DtypeSet exact = row.dtypes & kWhole;
  if (row.errors.single != 0 && !row.truncates && !exact.empty())
    accuracy.items[accuracy.count++] = exec::Exact("out", exact);
  return accuracy;
}

/// Checks the dtype of the tensor that holds the scalar of the formula.
aclnnStatus CheckScalarOfLists(const exec::Arguments& arguments, const exec::Step& step);
/// Checks that it has one element, or as many as there are tensors.
aclnnStatus CheckOneScalar(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckScalarForEach(const exec::Arguments& arguments, const exec::Step& step);
/// Checks that each tensor of the output has one element.
aclnnStatus CheckOneElementEach(const exec::Arguments& arguments, const exec::Step& step);

constexpr bool IsList(const exec::Arg& arg) { return arg.kind == exec::ValueKind::kTensorList; }
constexpr bool HasLength(const exec::Arg& arg) { return IsList(arg) || arg.kind == exec::ValueKind::kScalarList; }
constexpr bool IsInputList(const exec::Arg& arg) { return IsList(arg) && arg.role != exec::Role::kOutput; }
constexpr bool IsAnyTensor(const exec::Arg& arg) { return exec::IsTensor(arg.kind); }
constexpr bool IsOneTensor(const exec::Arg& arg) { return arg.kind == exec::ValueKind::kTensor; }
constexpr bool HoldsNumbers(const exec::Arg& arg) { return IsScalar(arg) || arg.kind == exec::ValueKind::kScalarList; }
consteval exec::Refs LengthsOf(std::initializer_list<exec::Arg> args) {
  exec::Refs lengths = NamesOf(args, HasLength);
  for (exec::Ref& length : lengths.items) length.axis = exec::kArrayLength;
  return lengths;
}

// If there is a list with this number, its tensors have the shapes of those of the first.
consteval exec::Step HasFirstShape(exec::Refs lists, int number) {
  const bool exists = number < lists.count;
  return exec::ShapeIs(lists[exists ? number : 0], exec::SameShapeAs(lists[0])).Status(exec::kNoPlan).If(exists);
}

/// The arguments are in signature order. A tensor beside the lists holds the scalar of the formula, which the run
/// reads: one, or one for each tensor.
template <class... Args>
consteval auto Foreach(const ListRow& row, bool for_each, Args... args) {
  const exec::Refs lists = NamesOf({args...}, IsList), inputs = NamesOf({args...}, IsInputList),
                   numbers = NamesOf({args...}, HoldsNumbers), scalar = NamesOf({args...}, IsOneTensor),
                   tensors = NamesOf({args...}, IsAnyTensor), lengths = LengthsOf({args...});
  const exec::Arg all[] = {args...};
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      PointersNotNull({args...}),
      exec::OnSocs(),
      Dtypes({lists[0]}, row.dtypes),
      {.word = exec::Word::kSameDtype, .refs = row.results.empty() ? lists : inputs},
      Dtypes({"out"}, row.results).If(!row.results.empty()),
      exec::SameDtype("out").If(!row.results.empty()),
      exec::DtypeOneOf(scalar, !row.scalar.empty() ? row.scalar
                               : for_each          ? kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64}
                                                   : kReal)
          .If(scalar.count != 0),
      exec::Custom("the scalar: dtype of the lists, FLOAT or DOUBLE; beside integers INT32 or INT64, too",
                   CheckScalarOfLists)
          .If(scalar.count != 0 && !for_each && row.scalar.empty()),
      exec::DtypeOneOf(numbers, kReal).If(numbers.count != 0),
      {.word = exec::Word::kPlainFormat, .refs = tensors},
      exec::Rank(tensors, 0, kMaxRank),
      exec::SizeInRange({lengths[0]}, 1, std::numeric_limits<int64_t>::max()).Status(exec::kNoPlan),
      exec::SameSize(lengths).Status(exec::kNoPlan),
      exec::Custom("the scalar: one element", CheckOneScalar).Status(exec::kNoPlan).If(scalar.count != 0 && !for_each),
      exec::Custom("the scalars: one element for each tensor", CheckScalarForEach)
          .Status(exec::kNoPlan)
          .If(scalar.count != 0 && for_each),
      HasFirstShape(lists, 1).If(!row.one_element && lists.count > 1),
      exec::Custom("out: one element each", CheckOneElementEach).Status(exec::kNoPlan).If(row.one_element),
      HasFirstShape(lists, 2),
      HasFirstShape(lists, 3),
      row.rule};
  return exec::MakeRecipe({.formula = row.formula, .special = row.special, .accuracy = AccuracyOf(row), .socs = kNewer},
                          all, steps);
}

constexpr exec::Arg InOutList(const char* name) { return {name, exec::ValueKind::kTensorList, exec::Role::kInOut}; }
inline constexpr exec::Arg kConstOuts = exec::Const(exec::OutList("out"));

// By what stands beside the lists. ...V2 functions take a scalar object, and an output that is not const.
consteval auto ForeachUnary(const ListRow& row) { return Foreach(row, false, exec::InList("x"), kConstOuts); }
consteval auto ForeachBinary(const ListRow& row) {
  return Foreach(row, false, exec::InList("x1"), exec::InList("x2"), kConstOuts);
}
consteval auto ForeachAlpha(const ListRow& row) {
  return Foreach(row, false, exec::InList("x1"), exec::InList("x2"), exec::In("alpha"), kConstOuts);
}
consteval auto ForeachAlphaV2(const ListRow& row) {
  return Foreach(row, false, exec::InList("x1"), exec::InList("x2"), exec::Scalar("alpha"), exec::OutList("out"));
}
consteval auto ForeachScalar(const ListRow& row) {
  return Foreach(row, false, exec::InList("x"), exec::In("scalar"), kConstOuts);
}
consteval auto ForeachScalarV2(const ListRow& row) {
  return Foreach(row, false, exec::InList("x"), exec::Scalar("scalar"), exec::OutList("out"));
}
consteval auto ForeachScalarList(const ListRow& row) {
  return Foreach(row, false, exec::InList("x"), exec::Attribute("scalars", exec::ValueKind::kScalarList), kConstOuts);
}

}  // namespace portacl::families
