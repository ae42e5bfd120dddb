// SPDX-License-Identifier: Apache-2.0
// A call of oneDNN, as operators/*_onednn.cc prepare it and onednn_bench.cc times it.
#ifndef PORTACL_BENCH_ONEDNN_CALL_H_
#define PORTACL_BENCH_ONEDNN_CALL_H_

#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>

#include <oneapi/dnnl/dnnl.hpp>

#include "bench/operand_view.h"

/// A primitive and its arguments, on memory that others own.
class OnednnCall {
 public:
  /// How oneDNN sees an operand; throws dnnl::error for a dtype that it does not know.
  static dnnl::memory::desc Describe(const OperandView& view);

  const dnnl::engine& engine() const { return engine_; }

  /// What an execution runs: a primitive of this description with these operands.
  template <class Primitive>
  void Prepare(const typename Primitive::primitive_desc& description,
               std::initializer_list<std::pair<int, const OperandView*>> operands) {
    primitive_ = Primitive(description);
    kernel_ = description.impl_info_str();
    for (const auto& [argument, view] : operands)
      arguments_.emplace(argument, dnnl::memory(Describe(*view), engine_, view->data));
  }

  /// oneDNN's name of its implementation.
  const std::string& kernel() const { return kernel_; }

  bool operator()() const;

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  mutable dnnl::stream stream_{engine_};
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::string kernel_;
};

#endif  // PORTACL_BENCH_ONEDNN_CALL_H_
