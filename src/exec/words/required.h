// SPDX-License-Identifier: Apache-2.0
// A function member that a designated initializer has to set.
#pragma once

namespace portacl::exec {

template <class Signature>
class Required;

template <class Result, class... Parameters>
class Required<Result(Parameters...)> {
 public:
  template <class Function>
  constexpr Required(Function function)
      : function_(function) {}  // NOLINT(google-explicit-constructor): a table names it
  Result operator()(Parameters... parameters) const { return function_(parameters...); }

 private:
  Result (*function_)(Parameters...);
};

}  // namespace portacl::exec
