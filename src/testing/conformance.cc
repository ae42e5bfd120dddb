// SPDX-License-Identifier: Apache-2.0
// How a call is run and compared, see conformance.h.
#include "testing/conformance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "calls/views.h"
#include "testing/call_memory.h"
#include "testing/device_array.h"
#include "testing/right_answer.h"
#include "testing/sample_size.h"
#include "testing/target_loop.h"
#include "testing/thread_count.h"

namespace portacl::testing {

using calls::Call;
using calls::ElementBytes;
using calls::ElementOffsets;
using calls::TensorSpec;

namespace {

// The content at each address that tensors of the call have, up to the end of their views.
std::map<void*, Bytes> ReadBlocks(Call& call) {
  std::map<void*, size_t> sizes;
  for (const Operand& operand : OperandsOf(call)) {
    if (operand.tensor->data == nullptr) continue;
    size_t& size = sizes[operand.tensor->data];
    size = std::max(size, BytesOf(*operand.tensor));
  }
  std::map<void*, Bytes> blocks;
  for (const auto& [data, size] : sizes) blocks[data] = ReadMemory(data, size);
  return blocks;
}

// The elements of a view, row-major.
Bytes Gather(const TensorSpec& tensor, const std::map<void*, Bytes>& blocks) {
  Bytes elements;
  if (tensor.data == nullptr) return elements;
  const size_t size = ElementBytes(tensor.dtype);
  const Bytes& block = blocks.at(tensor.data);
  if (!tensor.strides && tensor.offset == 0) {
    const auto count = static_cast<size_t>(calls::ElementCount(tensor.shape));
    return Bytes(block.begin(), block.begin() + static_cast<ptrdiff_t>(count * size));
  }
  for (const size_t at : ElementOffsets(tensor)) elements.insert(elements.end(), &block[at], &block[at] + size);
  return elements;
}

void Run(const Call& call, const GuardSide* guard) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const char* (*const message)() = aclGetRecentErrMsg;
  ASSERT_EQ(call.Plan(&bytes, &executor), exec::kSuccess) << message();
  std::unique_ptr<GuardedBuffer> guarded;
  std::unique_ptr<DeviceArray<std::byte>> plain;
  void* workspace = nullptr;
  if (bytes != 0 && guard != nullptr) {
    guarded = std::make_unique<GuardedBuffer>(bytes, *guard);
    workspace = guarded->begin();
  } else if (bytes != 0) {
    plain = std::make_unique<DeviceArray<std::byte>>(bytes);
    workspace = plain->data();
  }
  ASSERT_EQ(call.entry().run(workspace, bytes, executor, nullptr), exec::kSuccess) << message();
  ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_TRUE(guarded == nullptr || guarded->Intact()) << "workspace";
}

// The same elements as in a call with views, but contiguous and in separate memory.
class ContiguousCall {
 public:
  explicit ContiguousCall(Call& call, const std::map<void*, Bytes>& blocks) : call_(call) {
    for (const Operand& operand : OperandsOf(call)) elements_[operand.argument] = Gather(*operand.tensor, blocks);
    for (const Operand& operand : OperandsOf(call_)) operand.tensor->strides.reset(), operand.tensor->offset = 0;
    call_.AllocateData();
    for (const int argument : call_.schema().tensors) {  // tensors of lists are not moved
      if (call_.schema().args[static_cast<size_t>(argument)].kind != exec::ValueKind::kTensorList) continue;
      call_.argument(argument) = call.argument(argument);
      const exec::Arg& arg = call_.schema().args[static_cast<size_t>(argument)];
      if (!arg.written()) continue;
      written_lists_[argument] = ListBefore(call_.argument(argument), arg.role == exec::Role::kInOut);
      elements_[argument] = {};
    }
  }

  // Returns the final content of each output.
  std::map<int, Bytes> Run() {
    for (const Operand& operand : OperandsOf(call_)) {
      if (operand.tensor->data == nullptr || (has_run_ && !operand.is_written)) continue;
      // An element that is not written becomes visible, here or in the call with views.
      Bytes content = elements_.at(operand.argument);
      const exec::Arg& arg = call_.schema().args[static_cast<size_t>(operand.argument)];
      if (arg.role == exec::Role::kOutput && !arg.data_dependent) {
        std::fill(content.begin(), content.end(), kUnwritten);
      }
      WriteMemory(operand.tensor->data, content);
    }
    has_run_ = true;
    for (const auto& [list, before] : written_lists_) FillList(call_.argument(list), before);
    portacl::testing::Run(call_, nullptr);
    std::map<int, Bytes> outputs;
    for (const auto& [list, before] : written_lists_) outputs[list] = TakeList(call_.argument(list), before);
    for (const Operand& operand : OperandsOf(call_)) {
      if (operand.is_written) outputs[operand.argument] = ReadMemory(operand.tensor->data, BytesOf(*operand.tensor));
    }
    return outputs;
  }

  Call& call() { return call_; }
  const std::map<int, Bytes>& elements() const { return elements_; }

 private:
  Call call_;
  std::map<int, Bytes> elements_;
  std::map<int, std::vector<Bytes>> written_lists_;
  bool has_run_ = false;
};

bool IsContiguous(Call& call) {
  std::set<const void*> seen;
  for (const Operand& operand : OperandsOf(call)) {
    if (operand.tensor->strides || operand.tensor->offset != 0) return false;
    if (operand.tensor->data != nullptr && !seen.insert(operand.tensor->data).second) return false;
  }
  return true;
}

// Describes where a block differs from the expected content.
std::string Difference(Call& call, void* data, const Bytes& want, const Bytes& got) {
  const auto at = static_cast<size_t>(std::mismatch(want.begin(), want.end(), got.begin()).first - want.begin());
  std::string text = "byte " + std::to_string(at) + " of memory";
  for (const Operand& operand : OperandsOf(call)) {
    if (operand.tensor->data != data) continue;
    const std::string name = call.schema().args[static_cast<size_t>(operand.argument)].name;
    text += " of '" + name + "'";
    if (!operand.is_written) continue;
    const std::vector<size_t> offsets = ElementOffsets(*operand.tensor);
    const size_t size = ElementBytes(operand.tensor->dtype);
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (at < offsets[i] || at >= offsets[i] + size) continue;
      return "element " + std::to_string(i) + " of '" + name + "': contiguous operands give " +
             calls::DescribeElement(operand.tensor->dtype, &want[offsets[i]]) + ", got " +
             calls::DescribeElement(operand.tensor->dtype, &got[offsets[i]]);
    }
  }
  return text + ", which is no element of an output, changed";
}

bool SharesAddresses(const TensorSpec& tensor) {
  const std::vector<size_t> offsets = ElementOffsets(tensor);
  return std::set<size_t>(offsets.begin(), offsets.end()).size() != offsets.size();
}

// Elements of inputs are added in the order of their strides, so that results may round differently.
bool IsReduced(Call& call, const Operand& out) {
  const auto& steps = call.schema().steps;
  if (std::none_of(steps.begin(), steps.end(), [](const exec::Step& step) {
        return step.shape == exec::ShapeWord::kReducedBroadcastOf || step.shape == exec::ShapeWord::kReducedAlong;
      }))
    return false;
  int64_t most = 0;
  for (const Operand& operand : OperandsOf(call)) most = std::max(most, calls::ElementCount(operand.tensor->shape));
  return calls::ElementCount(out.tensor->shape) < most;
}

// The call with its operands as they are in memory, run repeatedly.
class CallInItsViews {
 public:
  CallInItsViews(Call& call, const std::map<void*, Bytes>& before, const GuardSide* guard)
      : call_(call), guard_(guard), before_(before) {
    for (const Operand& operand : OperandsOf(call)) {
      if (!operand.is_written || operand.tensor->data == nullptr) continue;
      written_.push_back({operand, ElementOffsets(*operand.tensor)});
      is_written_.insert(operand.tensor->data);
    }
  }

  // The memory holds `before`, or the results of the last run. `outputs`: the results with contiguous operands.
  void ExpectSameBits(const std::map<int, Bytes>& outputs, RightAnswer& answer) {
    for (void* const data : is_written_) WriteMemory(data, before_.at(data));
    Run(call_, guard_);
    const std::map<void*, Bytes> after = ReadBlocks(call_);
    std::map<void*, Bytes> want;
    std::map<void*, std::vector<bool>> settled;
    for (void* const data : is_written_) {
      want[data] = before_.at(data);
      settled[data].resize(want[data].size());
    }
    for (const Written& out : written_) {
      const int argument = out.operand.argument;
      const Bytes& got = after.at(out.operand.tensor->data);
      const bool is_reduced = IsReduced(call_, out.operand) && !SharesAddresses(*out.operand.tensor);
      const Bytes elements = is_reduced ? Gather(*out.operand.tensor, after) : outputs.at(argument);
      if (is_reduced) {
        ASSERT_TRUE(answer.Judge(argument, elements));
      }
      Scatter(out, elements, got, want.at(out.operand.tensor->data), settled.at(out.operand.tensor->data));
    }
    for (const auto& [data, content] : after) {
      const Bytes& wanted = is_written_.contains(data) ? want.at(data) : before_.at(data);
      ASSERT_TRUE(content == wanted) << Difference(call_, data, wanted, content);
    }
  }

 private:
  struct Written {
    Operand operand;
    std::vector<size_t> offsets;  // offsets of its elements
  };

  // Puts the expected elements into the previous content of the memory. If several elements share an address, also
  // those of different outputs, it takes the one that was found.
  static void Scatter(const Written& out, const Bytes& elements, const Bytes& after, Bytes& block,
                      std::vector<bool>& settled) {
    const size_t size = ElementBytes(out.operand.tensor->dtype);
    for (size_t i = 0; i < out.offsets.size(); ++i) {
      const size_t at = out.offsets[i];
      const bool came = std::memcmp(&after[at], &elements[i * size], size) == 0;
      if (settled[at] && !came) continue;
      std::memcpy(&block[at], &elements[i * size], size);
      settled[at] = came;
    }
  }

  Call& call_;
  const GuardSide* guard_;
  const std::map<void*, Bytes>& before_;
  std::vector<Written> written_;
  std::set<void*> is_written_;
};

double ExpectConformanceOf(Call& call, const GuardSide* guard) {
  SCOPED_TRACE(DescribeCall(call));
  calls::CompleteContents(call);
  const std::map<void*, Bytes> before = ReadBlocks(call);
  ContiguousCall contiguous(call, before);
  RightAnswer answer(contiguous.call(), contiguous.elements());
  const bool has_views = guard != nullptr || !IsContiguous(call);
  CallInItsViews in_its_views(call, before, guard);
  ForEachTarget([&] {
    const std::map<int, Bytes> outputs = contiguous.Run();
    for (const auto& [argument, elements] : outputs) ASSERT_TRUE(answer.Judge(argument, elements));
    if (has_views) in_its_views.ExpectSameBits(outputs, answer);
  });
  return answer.ShareOfNotNearest();
}

void SetAttributes(Call& call, const std::map<std::string, double>& attributes) {
  for (const auto& [name, value] : attributes) {
    call.argument(name).real = value;
    call.argument(name).integer = std::isfinite(value) ? static_cast<int64_t>(value) : 0;
    call.argument(name).integers = {call.argument(name).integer};
  }
}

bool IsNear(double want, double got, double relative) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  return want == got || (std::isfinite(got) && std::abs(got - want) <= relative * std::abs(want));
}

}  // namespace

std::vector<Operand> OperandsOf(Call& call) {
  std::vector<Operand> operands;
  for (const int argument : call.schema().tensors) {
    const exec::Arg& arg = call.schema().args[static_cast<size_t>(argument)];
    if (arg.kind != exec::ValueKind::kTensor || call.argument(argument).null) continue;
    operands.push_back({argument, &call.tensor(argument), arg.written(), arg.data_dependent});
  }
  return operands;
}

double ExpectConformance(Call& call) { return ExpectConformanceOf(call, nullptr); }

void ExpectConformanceAtGuard(Call& call, GuardSide side, Random& random) {
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  for (TensorSpec* const tensor : call.Tensors()) {
    const size_t bytes = BytesOf(*tensor);
    if (bytes == 0) continue;
    buffers.push_back(std::make_unique<GuardedBuffer>(bytes, side));
    tensor->data = buffers.back()->begin();
  }
  calls::DrawContents(call, random, 0);
  ExpectConformanceOf(call, &side);
  for (const auto& buffer : buffers) EXPECT_TRUE(buffer->Intact()) << DescribeCall(call);
}

double ExpectRight(Call call, double special) {
  Random random;
  call.AllocateData();
  calls::DrawContents(call, random, special);
  return ExpectConformance(call);
}

double ExpectRight(const exec::OperatorEntry& entry, aclDataType dtype,
                   const std::map<std::string, std::vector<double>>& operands,
                   const std::map<std::string, double>& attributes) {
  size_t most = 0;
  for (const auto& [name, values] : operands) most = std::max(most, values.size());
  Call call = calls::MakeCallOfShape(entry, {static_cast<int64_t>(most)}, nullptr, dtype);
  SetAttributes(call, attributes);
  call.AllocateData();
  for (const Operand& operand : OperandsOf(call)) {
    if (operand.tensor->data != nullptr) WriteMemory(operand.tensor->data, Bytes(BytesOf(*operand.tensor)));
  }
  for (const auto& [name, values] : operands) {
    const TensorSpec& tensor = call.tensor(name);
    EXPECT_EQ(calls::ElementCount(tensor.shape), std::ssize(values)) << name << " of " << DescribeCall(call);
    WriteMemory(tensor.data, calls::Encode(tensor.dtype, values));
  }
  return ExpectConformance(call);
}

void ExpectExample(const exec::OperatorEntry& entry, const std::map<std::string, Example>& tensors,
                   const std::map<std::string, double>& attributes, double relative,
                   const std::map<std::string, std::vector<int64_t>>& arrays) {
  Call call = calls::MakeValidCall(entry);
  SetAttributes(call, attributes);
  for (const exec::Arg& arg : entry.schema->args) {
    if (arg.optional) call.argument(arg.name).null = !attributes.contains(arg.name) && !tensors.contains(arg.name);
  }
  for (const auto& [name, values] : arrays) {
    call.argument(name).null = false;
    call.argument(name).integers = values;
  }
  for (const auto& [name, example] : tensors) {
    call.tensor(name).dtype = example.dtype;
    call.tensor(name).shape = example.shape;
  }
  SCOPED_TRACE(DescribeCall(call));
  call.AllocateData();
  for (const auto& [name, example] : tensors) {
    const TensorSpec& tensor = call.tensor(name);
    const bool is_read = call.schema().args[static_cast<size_t>(call.schema().Find(name))].role == exec::Role::kInput;
    if (is_read && tensor.data != nullptr)
      WriteMemory(tensor.data, calls::Encode(calls::PartDtype(example.dtype), example.values));
  }
  ForEachTarget([&] {
    for (const Operand& operand : OperandsOf(call)) {
      const bool is_output = call.schema().args[static_cast<size_t>(operand.argument)].role == exec::Role::kOutput;
      if (is_output && operand.tensor->data != nullptr)
        WriteMemory(operand.tensor->data, Bytes(BytesOf(*operand.tensor), kUnwritten));
    }
    Run(call, nullptr);
    for (const Operand& operand : OperandsOf(call)) {
      const std::string name = call.schema().args[static_cast<size_t>(operand.argument)].name;
      const auto example = tensors.find(name);
      if (!operand.is_written || example == tensors.end() || operand.tensor->data == nullptr) continue;
      const std::vector<double>& want = example->second.values;
      const std::vector<double> got = calls::Decode(calls::PartDtype(operand.tensor->dtype),
                                                    ReadMemory(operand.tensor->data, BytesOf(*operand.tensor)));
      ASSERT_EQ(got.size(), want.size()) << name;
      for (size_t i = 0; i < want.size(); ++i) {
        EXPECT_TRUE(IsNear(want[i], got[i], relative))
            << "element " << i << " of '" << name << "': want " << want[i] << ", got " << got[i];
      }
    }
  });
}

void ExpectConformanceOfThreads(Call& call, std::initializer_list<int> thread_counts) {
  SCOPED_TRACE(DescribeCall(call));
  calls::CompleteContents(call);
  const std::map<void*, Bytes> before = ReadBlocks(call);
  ContiguousCall contiguous(call, before);
  RightAnswer answer(contiguous.call(), contiguous.elements());
  CallInItsViews in_its_views(call, before, nullptr);
  std::map<int, Bytes> first;
  for (const int threads : thread_counts) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const ThreadCount count(threads);
    const std::map<int, Bytes> outputs = contiguous.Run();
    if (first.empty()) {
      first = outputs;
      for (const auto& [argument, elements] : outputs) ASSERT_TRUE(answer.Judge(argument, elements));
    }
    ASSERT_TRUE(outputs == first);
    if (!IsContiguous(call)) in_its_views.ExpectSameBits(first, answer);
  }
}

}  // namespace portacl::testing
