// SPDX-License-Identifier: Apache-2.0
// Ties the C functions of an operator to its schema: the prototype is compared with the schema while compiling, and
// tools, tests and fuzzers get a function that calls the operator with any list of values.
//
//   constexpr exec::OperatorEntry kEntries[] = {exec::Bind<&aclnnGeluGetWorkspaceSize, &aclnnGelu>(kGelu)};
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "aclnn/acl_meta.h"
#include "exec/schema.h"
#include "exec/value.h"

namespace portacl::exec {

using PlanCall = aclnnStatus (*)(std::span<const Value> values, uint64_t* workspaceSize, aclOpExecutor** executor);
using RunCall = aclnnStatus (*)(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

struct OperatorEntry {
  const Schema* schema;
  PlanCall plan;  // phase 1; 561000 when the count or the kinds of the values differ from the schema
  RunCall run;    // phase 2
};

namespace detail {

template <class F>
struct Prototype;

template <class... P>
struct Prototype<aclnnStatus (*)(P...)> {
  static_assert(sizeof...(P) >= 2, "phase 1 ends with workspaceSize and executor");
  static constexpr size_t kArgs = sizeof...(P) - 2;
  using Parameters = std::tuple<P...>;
  template <size_t i>
  using Parameter = std::tuple_element_t<i, Parameters>;
};

// Whether a parameter of type `P` matches the argument of the schema.
template <class P>
constexpr bool Carries(const Arg& arg) {
  if (ValueKindOf<P>() != arg.kind) return false;
  if constexpr (std::is_pointer_v<P>) return std::is_const_v<std::remove_pointer_t<P>> == arg.IsConst();
  return true;
}

template <class F, size_t... i>
constexpr bool Matches(const Schema& schema, std::index_sequence<i...>) {
  using T = Prototype<F>;
  return std::is_same_v<typename T::template Parameter<T::kArgs>, uint64_t*> &&
         std::is_same_v<typename T::template Parameter<T::kArgs + 1>, aclOpExecutor**> &&
         schema.args.size() == T::kArgs && (Carries<typename T::template Parameter<i>>(schema.args[i]) && ...);
}

template <auto kPlan, size_t... i>
aclnnStatus Call(std::span<const Value> values, uint64_t* workspaceSize, aclOpExecutor** executor,
                 std::index_sequence<i...>) {
  using T = Prototype<decltype(kPlan)>;
  if (values.size() != T::kArgs) return kInternal;
  if (!((values[i].kind() == ValueKindOf<typename T::template Parameter<i>>()) && ...)) return kInternal;
  return kPlan(values[i].template As<typename T::template Parameter<i>>()..., workspaceSize, executor);
}

}  // namespace detail

// Whether the prototype of phase 1 matches the arguments of the schema: count, kinds, constness.
template <auto kPlan>
constexpr bool Matches(const Schema& schema) {
  using F = decltype(kPlan);
  return detail::Matches<F>(schema, std::make_index_sequence<detail::Prototype<F>::kArgs>());
}

template <auto kPlan, RunCall kRun>
consteval OperatorEntry Bind(const Schema& schema) {
  if (!Matches<kPlan>(schema)) throw "the C prototype does not have the arguments of the schema";
  VerifyAccuracy(schema.args, schema.steps, schema.accuracy);
  return {&schema,
          [](std::span<const Value> values, uint64_t* workspaceSize, aclOpExecutor** executor) {
            return detail::Call<kPlan>(values, workspaceSize, executor,
                                       std::make_index_sequence<detail::Prototype<decltype(kPlan)>::kArgs>());
          },
          kRun};
}

}  // namespace portacl::exec
