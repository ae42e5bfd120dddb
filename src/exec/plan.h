// SPDX-License-Identifier: Apache-2.0
// The two phases of a call. Phase 1 checks the arguments and lets the room write a plan; phase 2 hands the plan to a
// stream.
//
//   return MakePlan(kGelu, {self, out}, workspaceSize, executor, [](PlanBuilder& plan) {
//     const Region partial = plan.Book<float>("partial", 64);
//     plan.Run(RunGelu, GeluParameters{...}, cost_ns);
//   });
//
//   int32_t RunGelu(const RunContext& run) {
//     const auto& parameters = run.Parameters<GeluParameters>();
//     std::byte* self = run.Address(0);
//     ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "acl/error_codes/rt_error_codes.h"
#include "aclnn/acl_meta.h"
#include "base/visibility.h"
#include "exec/schema.h"
#include "exec/value.h"
#include "tensor/view.h"

namespace portacl::exec {

class Executor;

// A part of the workspace, reserved in phase 1.
struct Region {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// An output whose shape depends on the data (DataDependent).
struct ResultShape {
  const aclTensor* tensor;  // the client's object, which may have been destroyed since phase 1
  uint32_t generation;      // that of the object in phase 1
  int32_t operand;
  int64_t capacity;  // elements for which phase 1 found room
  bool fits;         // whether there is room for the shape that the run has set
  Shape shape;
};

// What a plan sees while it runs on the stream.
class RunContext {
 public:
  RunContext(const void* parameters, std::byte* const* addresses, std::byte* workspace,
             std::span<ResultShape> results = {})
      : parameters_(parameters), addresses_(addresses), workspace_(workspace), results_(results) {}

  const void* parameters() const { return parameters_; }
  template <class P>
  const P& Parameters() const {
    return *static_cast<const P*>(parameters_);
  }

  // Address of element 0 of an operand (PlanBuilder::Operand), aligned. Copies with the same strides replace inputs
  // that partially overlap an output and for misaligned operands. Null when the operand is absent or has no elements.
  std::byte* Address(int operand) const { return addresses_[operand]; }

  template <class T>
  T* Get(Region region) const {
    return reinterpret_cast<T*>(workspace_ + region.offset);
  }

  // Sets the shape of a data-dependent output, once it is known and before an element is written. Returns 0, or the
  // code with which the run has to end because the output has no room for it.
  int32_t SetShape(int operand, std::span<const int64_t> dims) const {
    for (ResultShape& result : results_) {
      if (result.operand != operand) continue;
      result.shape.rank = static_cast<int32_t>(dims.size());
      for (size_t axis = 0; axis < dims.size(); ++axis) result.shape.dims[axis] = dims[axis];
      int64_t count = 0;
      result.fits = CountElements(dims, &count) && count <= result.capacity;
      if (result.fits) return 0;
    }
    return ACL_ERROR_RT_AICORE_EXCEPTION;
  }

 private:
  const void* parameters_;
  std::byte* const* addresses_;
  std::byte* workspace_;
  std::span<ResultShape> results_;
};

// Returns 0, or the asynchronous error that the next synchronization reports. bad_alloc is caught and becomes such an
// error.
using RunFunction = int32_t (*)(const RunContext& run);

inline namespace v1 {

// Exists during phase 1 only, once all steps have passed and the plan is not empty. Addresses may change until the run:
// a plan must not depend on View::data. Besides the arguments it may depend on the SoC and ActiveTarget() only, as
// later equal calls reuse it. Arguments are named, or numbered in signature order: a number from Schema::Index() costs
// nothing at run time.
class PlanBuilder {
 public:
  PlanBuilder(const Schema& schema, const Arguments& arguments, Executor& executor)
      : schema_(schema), arguments_(arguments), executor_(executor) {}
  PlanBuilder(const PlanBuilder&) = delete;

  const Schema& schema() const { return schema_; }
  PORTACL_EXPORT bool Has(int arg) const;   // false for an optional argument that was null
  PORTACL_EXPORT int Count(int arg) const;  // number of tensors in a list; 1 for a tensor, even an absent one
  PORTACL_EXPORT const View& Tensor(int arg, int element = 0) const;
  PORTACL_EXPORT const Value& Argument(int arg) const;
  PORTACL_EXPORT std::span<const int64_t> Ints(int arg) const;  // content of an aclIntArray

  // Number of an operand at run time: inputs, then outputs, in signature order; the tensors of a list follow each
  // other.
  PORTACL_EXPORT int Operand(int arg, int element = 0) const;
  PORTACL_EXPORT int OperandCount() const;
  PORTACL_EXPORT const View& OperandView(int operand) const;

  bool Has(std::string_view name) const { return Has(schema_.Find(name)); }
  const View& Tensor(std::string_view name) const { return Tensor(schema_.Find(name)); }
  int Input(std::string_view name) const { return Operand(schema_.Find(name)); }
  int Output(std::string_view name) const { return Operand(schema_.Find(name)); }
  template <class T>
  T Attribute(int arg) const {
    return Argument(arg).As<T>();
  }
  template <class T>
  T Attribute(std::string_view name) const {
    return Argument(schema_.Find(name)).As<T>();
  }

  // Declares that the run still reads this input after it has written other elements of an output. No output may alias
  // the input then, not even exactly: the input is copied first, as if it overlapped partially.
  PORTACL_EXPORT void ForbidInPlace(int operand);

  // Declares that the run does not read this operand, whatever the schema says, as its factor is 0.
  PORTACL_EXPORT void Ignores(int operand);

  // Reserves `count` elements of workspace under a name. Phase 1 reports the sum of all regions. In the run the region
  // is aligned to `align` bytes wherever the client's workspace lies.
  template <class T>
  Region Book(const char* name, int64_t count, size_t align = 64) {
    return BookBytes(name, count, sizeof(T), align);
  }

  // Sets the function that phase 2 runs. `parameters` are copied into the executor. `cost_ns` decides whether the
  // calling thread may run it.
  template <class P>
  void Run(RunFunction run, const P& parameters, int64_t cost_ns) {
    static_assert(std::is_trivially_copyable_v<P> && alignof(P) <= 64);
    RunBytes(run, &parameters, sizeof(P), cost_ns);
  }
  PORTACL_EXPORT void RunBytes(RunFunction run, const void* parameters, size_t bytes, int64_t cost_ns);

 private:
  PORTACL_EXPORT Region BookBytes(const char* name, int64_t count, size_t element_bytes, size_t align);

  const Schema& schema_;
  const Arguments& arguments_;
  Executor& executor_;
};

using PlanFunction = void (*)(PlanBuilder& plan);

// Phase 1. A failure leaves `workspaceSize` and `executor` unchanged.
PORTACL_EXPORT aclnnStatus MakePlan(const Schema& schema, std::initializer_list<Value> values, uint64_t* workspaceSize,
                                    aclOpExecutor** executor, PlanFunction plan) noexcept;

// Phase 2.
PORTACL_EXPORT aclnnStatus RunPlan(const Schema& schema, void* workspace, uint64_t workspaceSize,
                                   aclOpExecutor* executor, aclrtStream stream) noexcept;

}  // namespace v1
}  // namespace portacl::exec
