// SPDX-License-Identifier: Apache-2.0
#include "binding/binding.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "calls/call.h"
#include "exec/refusal.h"
#include "ops/operators.h"
#include "tool/output_rules.h"
#include "tool/schema_json.h"

namespace portacl::binding {
namespace {

using calls::Call;

constexpr int32_t kNoRule = -1;

thread_local std::string t_message;

calls::TensorSpec SpecOf(const PortaclTensor& tensor) {
  calls::TensorSpec spec;
  spec.dtype = static_cast<aclDataType>(tensor.dtype);
  spec.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  spec.strides.emplace(tensor.strides, tensor.strides + tensor.rank);
  spec.data = tensor.data;
  return spec;
}

// Whether the argument is an output tensor that the library is to create.
bool IsWanted(const PortaclArgument& argument) { return argument.given == 0 && argument.tensors != nullptr; }

calls::ArgumentSpec SpecOf(const PortaclArgument& argument) {
  calls::ArgumentSpec spec;
  const auto count = static_cast<size_t>(argument.count);
  spec.null = argument.given == 0 && !IsWanted(argument);
  spec.integer = argument.integer;
  spec.real = argument.real;
  spec.number = argument.is_whole != 0 ? ACL_INT64 : ACL_FLOAT;
  if (argument.text != nullptr) spec.text = argument.text;
  if (argument.integers != nullptr) spec.integers.assign(argument.integers, argument.integers + count);
  if (argument.reals != nullptr) spec.reals.assign(argument.reals, argument.reals + count);
  if (argument.reals != nullptr) spec.integers.resize(count);  // arrays share one length, which `integers` has
  if (argument.given == 0) {
    spec.tensors.resize(1);
    spec.tensors.front().null = true;
  } else if (argument.tensors != nullptr) {
    std::transform(argument.tensors, argument.tensors + count, std::back_inserter(spec.tensors),
                   [](const PortaclTensor& tensor) { return SpecOf(tensor); });
  }
  return spec;
}

Call CallOf(int32_t number, const PortaclArgument* arguments) {
  Call call(*Operators()[static_cast<size_t>(number)]);
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    call.arguments()[i] = SpecOf(arguments[i]);
  }
  calls::SetFormats(call);
  return call;
}

void StoreShape(const calls::TensorSpec& spec, PortaclTensor* tensor) {
  const calls::Dims strides = spec.Strides();
  tensor->rank = static_cast<int32_t>(spec.shape.size());
  std::copy(spec.shape.begin(), spec.shape.end(), tensor->shape);
  std::copy(strides.begin(), strides.end(), tensor->strides);
}

void DescribeOutputs(int32_t number, PortaclArgument* arguments) {
  Call call = CallOf(number, arguments);
  std::map<int, aclDataType> dtypes;
  std::map<int, std::vector<calls::Dims>> shapes;
  for (const int i : call.schema().tensors) {
    if (arguments[i].given == 0 || call.argument(i).tensors.empty()) continue;
    dtypes[i] = call.tensor(i).dtype;  // outputs that exist are not changed
    shapes[i] = {call.tensor(i).shape};
  }
  tool::DescribeOutputs(call, dtypes, shapes);
  for (const int i : call.schema().tensors) {
    if (!IsWanted(arguments[i])) continue;
    arguments[i].tensors->dtype = call.tensor(i).dtype;
    StoreShape(call.tensor(i), arguments[i].tensors);
  }
}

// Keeps the library's sentence, without the process identifier and the time before it.
int32_t Failed(int32_t status) {
  const char* message = aclGetRecentErrMsg();
  t_message = message == nullptr ? "" : message;
  const size_t kind = t_message.find("AclNN_");
  const size_t sentence = t_message.find("): ");
  if (kind != std::string::npos && sentence != std::string::npos) t_message.erase(0, sentence + 3);
  return status;
}

// Both phases, with objects and a workspace that are created once.
class Prepared {
 public:
  Prepared(Call call, const PortaclArgument* arguments)
      : call_(std::move(call)), arguments_(arguments), objects_(call_.schema(), call_.arguments()) {}
  Prepared(const Prepared&) = delete;
  ~Prepared() { Free(); }

  int32_t Run() {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    // A run leaves its tensors with room for its result alone.
    if (call_.schema().data_dependent != 0) objects_ = calls::CallObjects(call_.schema(), call_.arguments());
    if (const aclnnStatus status = call_.entry().plan(objects_.values(), &bytes, &executor)) return Failed(status);
    if (const aclError status = Reserve(bytes)) {
      Failed(status);
      aclDestroyAclOpExecutor(executor);
      return status;
    }
    if (const aclnnStatus status = call_.entry().run(workspace_, bytes, executor, nullptr)) return Failed(status);
    if (const aclError status = aclrtSynchronizeStream(nullptr)) return Failed(status);
    if (call_.schema().data_dependent != 0) StoreShapes();
    return 0;
  }

 private:
  void StoreShapes() const {
    Call call = call_;
    calls::ReadShapes(objects_, call);
    for (const int i : call.schema().tensors) {
      if (call.schema().args[static_cast<size_t>(i)].data_dependent) StoreShape(call.tensor(i), arguments_[i].tensors);
    }
  }
  aclError Reserve(uint64_t bytes) {
    if (bytes <= bytes_) return ACL_SUCCESS;
    Free();
    const aclError status = aclrtMalloc(&workspace_, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == ACL_SUCCESS) bytes_ = bytes;
    return status;
  }
  void Free() {
    if (workspace_ != nullptr) aclrtFree(workspace_);
    workspace_ = nullptr;
    bytes_ = 0;
  }

  Call call_;
  const PortaclArgument* arguments_;
  calls::CallObjects objects_;
  void* workspace_ = nullptr;
  uint64_t bytes_ = 0;
};

int32_t Repeat(Prepared& prepared, int64_t times) {
  int32_t device = 0;
  if (aclrtGetDevice(&device) != ACL_SUCCESS) {
    aclGetRecentErrMsg();  // removes the report of the missing device
    if (const aclError status = aclrtSetDevice(0)) return Failed(status);
  }
  for (int64_t i = 0; i < times; ++i) {
    if (const int32_t status = prepared.Run()) return status;
  }
  return 0;
}

template <class F>
int32_t Guarded(F&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    t_message = error.what();
    return kNoRule;
  }
}

}  // namespace
}  // namespace portacl::binding

using namespace portacl;

const char* PortaclOperators() {
  try {
    static const std::string text = tool::OperatorsAsJson().dump();
    return text.c_str();
  } catch (const std::exception&) {
    return nullptr;
  }
}

int32_t PortaclDescribeOutputs(int32_t number, PortaclArgument* arguments) {
  return binding::Guarded([&] {
    binding::DescribeOutputs(number, arguments);
    return 0;
  });
}

int32_t PortaclCall(int32_t number, const PortaclArgument* arguments) {
  return binding::Guarded([&] {
    binding::Prepared prepared(binding::CallOf(number, arguments), arguments);
    return binding::Repeat(prepared, 1);
  });
}

void* PortaclPrepare(int32_t number, const PortaclArgument* arguments) {
  binding::Prepared* prepared = nullptr;
  binding::Guarded([&] {
    prepared = new binding::Prepared(binding::CallOf(number, arguments), arguments);
    return 0;
  });
  return prepared;
}

int32_t PortaclRepeat(void* prepared, int64_t times) {
  return binding::Guarded([&] { return binding::Repeat(*static_cast<binding::Prepared*>(prepared), times); });
}

void PortaclRelease(void* prepared) { delete static_cast<binding::Prepared*>(prepared); }

int32_t PortaclTakeRefusal(const char** name) {
  const exec::LastRefusal last = exec::TakeRefusal();
  if (name != nullptr) *name = last.api;
  return static_cast<int32_t>(last.refusal);
}

const char* PortaclMessage() { return binding::t_message.c_str(); }
