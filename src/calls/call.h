// SPDX-License-Identifier: Apache-2.0
// One call of an operator as plain data: generated as a valid call from its schema, changed as needed, then planned and
// run. Tests generated from schemas, the fuzzer and the tool share it. Uses only public headers and exported functions,
// so that it links with the shared libraries.
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
  bool null = false;  // the pointer is null
  aclDataType dtype = ACL_FLOAT;
  Dims shape;
  std::optional<Dims> strides;  // nullopt: contiguous
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  void* data = nullptr;

  Dims Strides() const { return strides.value_or(ContiguousStrides(shape)); }
  TensorHandle Build() const;
};

struct ArgumentSpec {
  bool null = false;                // for any kind of pointer
  std::vector<TensorSpec> tensors;  // one tensor, or those of a list
  double real = 1;                  // kDouble, kFloat, the value of a scalar
  double imaginary = 0;             // for a scalar of COMPLEX64
  int64_t integer = 0;              // the other attributes
  std::vector<int64_t> integers;    // kIntArray, kBoolArray; the length of the other arrays
  std::vector<double> reals;        // kFloatArray, kScalarList; elements past its end are `real`
  aclDataType number = ACL_FLOAT;   // dtype of a scalar: FLOAT, INT64, BOOL or COMPLEX64
  std::string text = "none";        // kString

  double Imaginary() const { return number == ACL_COMPLEX64 ? imaginary : 0; }
};

// The value of an INT64 scalar for this number: truncated, clamped to the range, 0 for NaN.
int64_t WholeNumber(double value);

// The objects that a call's values point to; they live as long as this.
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

  // Allocates separate device memory, filled with bytes of 0xCD, for every tensor that has elements, for the lifetime
  // of the call.
  void AllocateData();
  // Device memory for the lifetime of the call, filled in the same way.
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

// Gives the data-dependent outputs of a call the shapes that a run has set in its objects.
void ReadShapes(const CallObjects& objects, Call& call);

// A call that satisfies every step expressed by words, on the current SoC. Without `random` it is always the same small
// call; otherwise ranks, sizes, dtypes, optional arguments and attribute values are random. Custom rules of a room may
// still refuse it in Plan().
Call MakeValidCall(const exec::OperatorEntry& entry, Random* random = nullptr);
// The same call with large tensors: about `elements` in each tensor whose shape is free, and of that dtype if allowed.
Call MakeLargeCall(const exec::OperatorEntry& entry, int64_t elements, aclDataType dtype);
// A call with this shape for each tensor whose shape is free: axes are added or merged if the schema limits the rank,
// sizes are multiplied if it requires a divisor.
Call MakeCallOfShape(const exec::OperatorEntry& entry, const Dims& shape, Random* random,
                     aclDataType dtype = ACL_DT_UNDEFINED);

// Gives each tensor the first format that the schema accepts if ND is not one: for callers that name no formats.
void SetFormats(Call& call);

// "aclnnGelu(self=FLOAT[2,3], eps=-1, out=FLOAT[2,3] strides [1,2] offset 4)": for failure messages.
std::string DescribeCall(const Call& call);

}  // namespace portacl::calls
