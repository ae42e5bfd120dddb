// SPDX-License-Identifier: Apache-2.0
// One call of an operator as plain data: made valid from its schema, changed at will, then planned and run. Tests made
// from schemas, the fuzzer and the tool share it. Uses public headers and what the libraries export, so that it links
// with the shared libraries alone.
//
//   Call call = MakeValidCall(entry);
//   call.tensor("x").dtype = ACL_INT32;
//   EXPECT_EQ(call.Plan(&bytes, &executor), 161002);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calls/random.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"

namespace portacl::calls {

struct TensorSpec {
  bool null = false;  // no aclTensor at all
  aclDataType dtype = ACL_FLOAT;
  Dims shape;
  std::optional<Dims> strides;  // absent: contiguous
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  void* data = nullptr;

  Dims Strides() const { return strides.value_or(ContiguousStrides(shape)); }
  TensorHandle Build() const;
};

struct ArgumentSpec {
  bool null = false;                // of any pointer kind
  std::vector<TensorSpec> tensors;  // one, or those of a list
  double real = 1;                  // kDouble, kFloat, a scalar's value
  double imaginary = 0;             // of a scalar of COMPLEX64
  int64_t integer = 0;              // the other attributes
  std::vector<int64_t> integers;    // kIntArray, kBoolArray; the length of the other arrays
  std::vector<double> reals;        // kFloatArray, kScalarList; elements beyond its end are `real`
  aclDataType number = ACL_FLOAT;   // of a scalar: FLOAT, INT64, BOOL or COMPLEX64
  std::string text = "none";        // kString

  double Imaginary() const { return number == ACL_COMPLEX64 ? imaginary : 0; }
};

// What a scalar of INT64 is for this value: truncated, limited to its range, 0 for NaN.
int64_t WholeNumber(double value);

// The objects that a call's values point to; alive as long as this.
class CallObjects {
 public:
  CallObjects(const exec::Schema& schema, const std::vector<ArgumentSpec>& arguments);
  std::span<const exec::Value> values() const { return values_; }

 private:
  template <class T>
  T* Keep(T* object, aclnnStatus (*destroy)(const T*)) {
    kept_.emplace_back(object, [destroy](void* pointer) { destroy(static_cast<T*>(pointer)); });
    return object;
  }
  exec::Value Make(const exec::Arg& arg, const ArgumentSpec& spec);

  std::vector<std::unique_ptr<void, std::function<void(void*)>>> kept_;
  std::vector<exec::Value> values_;
};

class Call {
 public:
  explicit Call(const exec::OperatorEntry& entry) : entry_(&entry), arguments_(entry.schema->args.size()) {}

  const exec::OperatorEntry& entry() const { return *entry_; }
  const exec::Schema& schema() const { return *entry_->schema; }
  std::vector<ArgumentSpec>& arguments() { return arguments_; }
  const std::vector<ArgumentSpec>& arguments() const { return arguments_; }
  ArgumentSpec& argument(int index) { return arguments_[static_cast<size_t>(index)]; }
  ArgumentSpec& argument(std::string_view name) { return argument(schema().Find(name)); }
  TensorSpec& tensor(int index) { return argument(index).tensors.front(); }
  TensorSpec& tensor(std::string_view name) { return argument(name).tensors.front(); }

  // Phase 1. The objects are destroyed before this returns: an executor keeps what it needs.
  aclnnStatus Plan(uint64_t* workspace_size, aclOpExecutor** executor) const;

  // Gives every tensor that has elements device memory of its own, filled with bytes of 0xCD, for the lifetime of the
  // call.
  void AllocateData();
  // Device memory for the lifetime of the call, filled alike.
  void* AllocateBlock(size_t bytes);
  // The tensors that are not null, inputs before outputs.
  std::vector<TensorSpec*> Tensors();

  bool null_workspace_size = false;
  bool null_executor = false;

 private:
  const exec::OperatorEntry* entry_;
  std::vector<ArgumentSpec> arguments_;
  std::vector<std::shared_ptr<void>> blocks_;
};

// A call that satisfies every step that words can say, on the current SoC. Without `random` always the same small
// one; with it ranks, sizes, dtypes, optional arguments and attribute values are drawn. Rules that only a room's own
// code knows are not seen: Plan() tells.
Call MakeValidCall(const exec::OperatorEntry& entry, Random* random = nullptr);
// The same one, large: with about `elements` in each tensor whose shape is free, and of that dtype where it is allowed.
Call MakeLargeCall(const exec::OperatorEntry& entry, int64_t elements, aclDataType dtype);
// With this shape in each tensor whose shape is free: axes are added or joined where the schema limits their number,
// sizes multiplied where it divides one.
Call MakeCallOfShape(const exec::OperatorEntry& entry, const Dims& shape, Random* random,
                     aclDataType dtype = ACL_DT_UNDEFINED);

// Gives each tensor the first format that the schema takes where ND is not one: for callers that name none.
void SetFormats(Call& call);

// "aclnnGelu(self=FLOAT[2,3], eps=-1, out=FLOAT[2,3] strides [1,2] offset 4)": for failure messages.
std::string DescribeCall(const Call& call);

}  // namespace portacl::calls
