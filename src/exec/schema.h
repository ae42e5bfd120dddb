// SPDX-License-Identifier: Apache-2.0
// An operator is declared once, as data. Checks, messages, tools, tests and fuzzers read this; its header, its C
// functions and the lists of exported names are generated from it.
//
//   PORTACL_ROW(Gelu, opapi_nn, "aclnn_gelu.h",
//               exec::MakeRecipe({.formula = "...", .accuracy = {Ulp("out", kFloats, 4)}},
//                                {In("self"), Out("out")},
//                                {NotNull("self", "out"), NotNull("executor", "workspaceSize"),
//                                 DtypeOneOf({"self"}, kFloats), SameDtype("self", "out"), PlainFormat("self", "out"),
//                                 MaxRank("self", "out"), ShapeIs("out", SameShapeAs("self")),
//                                 EmptySucceeds("self")}));
//
// Names are resolved while compiling: a misspelt name does not compile. Nor does a schema that would read a null
// pointer, or a shape whose rank no step has checked.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "exec/accuracy.h"
#include "exec/step.h"
#include "exec/words/words.h"

namespace portacl::exec {

inline constexpr size_t kMaxArgs = 64;

struct About {
  // PORTACL_ROW sets these three.
  const char* api = "";      // name of phase 2: "aclnnGelu"
  const char* library = "";  // where CANN defines it: "opapi_nn"
  const char* header = "";   // where CANN declares it: "aclnn_gelu.h"

  const char* formula = "";    // one line
  const char* source = "";     // source of the facts; empty: the page of that name
  const char* special = "";    // special values, in sentences; lines that start with two blanks are a table
  const char* torch = "";      // PyTorch's function, and kinds of operands of bench/row.py: "erf(normal)"
  const char* workspace = "";  // what the size of the workspace depends on, as a clause; empty: phase 2 needs none
  const char* functions = "";  // further functions of the header: their declarations, with comments
  bool by_hand = false;        // the room defines the C functions itself
  Accuracy accuracy = {};      // errors of all outputs; see accuracy.h
  SocSet socs = SocSet::All();
};

struct Schema : About {
  std::span<const Arg> args;     // signature order, without the two result pointers
  std::span<const Step> steps;   // checked in this order
  std::span<const int> tensors;  // indices of tensors and tensor lists: inputs, then outputs
  size_t data_dependent = 0;     // number of outputs whose shape the run finds

  // Index of the argument; -1 when no argument has that name.
  constexpr int Find(std::string_view name) const {
    for (size_t i = 0; i < args.size(); ++i) {
      if (name == args[i].name) return static_cast<int>(i);
    }
    return -1;
  }
  // The same for a name known while compiling; a misspelt name does not compile.
  consteval int Index(std::string_view name) const {
    const int index = Find(name);
    if (index < 0) throw "no argument of that name";
    return index;
  }
};

// The parts of a schema, which functions that make schemas of one kind return.
template <size_t kArgs, size_t kSteps>
struct Recipe {
  About about;
  std::array<Arg, kArgs> args;
  std::array<Step, kSteps> steps;
};
template <size_t kArgs, size_t kSteps>
consteval Recipe<kArgs, kSteps> MakeRecipe(const About& about, const Arg (&args)[kArgs], const Step (&steps)[kSteps]) {
  return {about, std::to_array(args), std::to_array(steps)};
}

template <size_t kArgs, size_t kSteps>
consteval Recipe<kArgs, kSteps> Named(const char* api, const char* library, const char* header,
                                      Recipe<kArgs, kSteps> recipe) {
  recipe.about.api = api;
  recipe.about.library = library;
  recipe.about.header = header;
  return recipe;
}

// The row k<name> of the operator aclnn<name>, from its recipe. The build reads the first three, too
// (cmake/Rooms.cmake).
#define PORTACL_ROW(name, library_name, header_name, ...) \
  inline constexpr portacl::exec::SchemaOf k##name(       \
      portacl::exec::Named("aclnn" #name, #library_name, header_name, __VA_ARGS__))

// k<name>: the name of a function of one phase that the room defines; About::functions declares it. Read by the build,
// too.
#define PORTACL_FUNCTION(name, library_name) inline constexpr const char* k##name = "aclnn" #name

// A schema with its storage; see the example at the top. Must be a constexpr variable with static storage.
template <size_t kArgs, size_t kSteps>
class SchemaOf : public Schema {
 public:
  static_assert(kArgs <= kMaxArgs);

  // constexpr, not consteval: clang 19 would build the object elsewhere first, and its pointers into itself would
  // dangle.
  constexpr SchemaOf(const About& about, const Arg (&arg_list)[kArgs], const Step (&step_list)[kSteps])
      : SchemaOf(Recipe<kArgs, kSteps>{about, std::to_array(arg_list), std::to_array(step_list)}) {}
  constexpr explicit SchemaOf(const Recipe<kArgs, kSteps>& recipe) : Schema{recipe.about, {}, {}, {}, 0} {
    const auto& step_list = recipe.steps;
    CopyArguments(recipe.args);
    for (const Step& step : step_list) {
      if (step.left_out) continue;
      Step& stored = step_store_[step_count_++] = step;
      for (int r = 0; r < step.refs.count; ++r) Resolve(stored.refs.items[r]);
      if (stored.target.name != nullptr) Resolve(stored.target);
    }
    for (size_t i = 0; i < step_count_; ++i) MarkLaterDtypes(i);
    args = arg_store_;
    steps = std::span<const Step>(step_store_, step_count_);
    tensors = std::span<const int>(tensor_store_, static_cast<size_t>(tensor_count_));
    Verify();
  }
  SchemaOf(const SchemaOf&) = delete;  // it points into itself

 private:
  constexpr void CopyArguments(const std::array<Arg, kArgs>& list) {
    int inputs = 0;
    int outputs = 0;
    for (size_t i = 0; i < kArgs; ++i) {
      arg_store_[i] = list[i];
      if (list[i].data_dependent) ++data_dependent;
      for (size_t j = 0; j < i; ++j) {
        if (std::string_view(list[j].name) == list[i].name) throw "two arguments have the same name";
      }
      if (IsTensor(list[i].kind)) arg_store_[i].place = list[i].written() ? outputs++ : inputs++;
    }
    for (bool written : {false, true}) {
      for (size_t i = 0; i < kArgs; ++i) {
        if (IsTensor(list[i].kind) && list[i].written() == written)
          tensor_store_[tensor_count_++] = static_cast<int>(i);
      }
    }
  }

  constexpr void Resolve(Ref& ref) const {
    const std::string_view name = ref.name;
    if (name == "workspaceSize") {
      ref.index = kWorkspaceSizeArg;
    } else if (name == "executor") {
      ref.index = kExecutorArg;
    } else {
      for (size_t i = 0; i < kArgs; ++i) {
        if (name == arg_store_[i].name) ref.index = static_cast<int>(i);
      }
      if (ref.index < 0) throw "a step names an argument that the schema does not have";
    }
  }

  constexpr void MarkLaterDtypes(size_t rank_step) {
    Step& rank = step_store_[rank_step];
    if (rank.word != Word::kRank) return;
    for (size_t i = rank_step + 1; i < step_count_; ++i) {
      if (!Has(step_store_[i].word, kLimitsDtype)) continue;
      for (const Ref& ref : step_store_[i].refs) {
        for (int place = 0; place < rank.refs.count; ++place) {
          if (rank.refs[place].index == ref.index) rank.dtype_is_later |= uint32_t{1} << place;
        }
      }
    }
  }

  // Checks once what the engine relies on, so that calls do not have to.
  constexpr void Verify() const {
    bool not_null[kArgs] = {};
    bool ranked[kArgs] = {};
    bool result_not_null[2] = {};
    for (const Step& step : steps) {
      for (const Ref& ref : step.refs) VerifyUse(step, ref, not_null, ranked);
      if (step.target.name != nullptr) VerifyUse(step, step.target, not_null, ranked);
      for (const Ref& ref : step.refs) {
        if (step.word == Word::kNotNull && ref.index < 0) result_not_null[ref.index == kExecutorArg] = true;
        if (step.word == Word::kNotNull && ref.index >= 0) not_null[ref.index] = true;
        if (step.word == Word::kRank) ranked[ref.index] = true;
      }
    }
    if (!result_not_null[0] || !result_not_null[1]) throw "no step checks the pointers for the results";
    for (size_t i = 0; i < kArgs; ++i) {
      if (IsPointer(arg_store_[i].kind) && !arg_store_[i].optional && !not_null[i])
        throw "no step checks a required argument for null";
      if (IsTensor(arg_store_[i].kind) && !ranked[i]) throw "no step checks the rank of a tensor";
    }
    if (socs != SocSet::All()) {
      bool checked = false;
      for (const Step& step : steps) checked = checked || step.word == Word::kOnSocs;
      if (!checked) throw "some SoCs lack the operator, and no step checks the SoC";
    }
  }

  constexpr void VerifyUse(const Step& step, const Ref& ref, const bool* not_null, const bool* ranked) const {
    if (step.word == Word::kNotNull) return;
    if (ref.index < 0) throw "only NotNull may name a result pointer";
    const Arg& arg = arg_store_[ref.index];
    if (IsPointer(arg.kind) && !arg.optional && !not_null[ref.index]) throw "a step reads an argument before NotNull";
    if (Has(step.word, kReadsShape) && IsTensor(arg.kind) && !ranked[ref.index])
      throw "a step reads a shape before its Rank";
  }

  Arg arg_store_[kArgs] = {};
  Step step_store_[kSteps] = {};
  size_t step_count_ = 0;
  int tensor_store_[kArgs] = {};
  int tensor_count_ = 0;
};

}  // namespace portacl::exec
