// SPDX-License-Identifier: Apache-2.0
#include "tool/error_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/set_target.h"
#include "base/target.h"
#include "calls/element.h"
#include "calls/views.h"
#include "tool/elements.h"
#include "tool/error.h"
#include "tool/schema_text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

constexpr int64_t kElements = 1 << 16;  // every bit pattern of a 16-bit dtype
constexpr int kMinCalls = 12;

bool Has16Bits(aclDataType dtype) { return IsFloating(dtype) && calls::ElementBytes(dtype) == 2; }

// The operands of an output element if every input has one element or as many as the output; otherwise the call.
std::string InputsText(calls::Call& call, calls::OracleCall& reference, size_t element, size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const exec::Arg& arg = call.schema().args[i];
    if (arg.role == exec::Role::kOutput) continue;
    if (exec::IsTensor(arg.kind)) {
      const aclDataType dtype = call.tensor(static_cast<int>(i)).dtype;
      const std::vector<std::byte>& bytes = reference.Bytes(static_cast<int>(i));
      const size_t size = calls::ElementBytes(dtype);
      if (bytes.size() != size && bytes.size() != count * size) {
        return fmt::format("element {} of {}", element, DescribeCall(call));
      }
      const std::byte* const at = bytes.data() + (bytes.size() == size ? 0 : element * size);
      words.push_back(fmt::format("{}={}", arg.name, calls::DescribeElement(dtype, at)));
    } else {
      const bool is_real = arg.kind == exec::ValueKind::kDouble || arg.kind == exec::ValueKind::kFloat;
      const calls::ArgumentSpec& spec = call.arguments()[i];
      words.push_back(is_real ? fmt::format("{}={}", arg.name, spec.real)
                              : fmt::format("{}={}", arg.name, spec.integer));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

ErrorSearch::ErrorSearch(const exec::OperatorEntry& entry, std::span<const int64_t> targets)
    : entry_(entry), targets_(targets) {}

void ErrorSearch::Run(double seconds, const std::function<void(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  std::vector<aclDataType> dtypes;
  for (const std::string& name : DtypesOn(*entry_.schema, CurrentSoc().family)) dtypes.push_back(DtypeOf(name));
  if (dtypes.empty()) dtypes = {ACL_FLOAT};
  bool any = false;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    worst_ = {};
    seeds_.clear();
    const auto start = Clock::now();
    for (int count = 0;; ++count) {
      const double part = std::chrono::duration<double>(Clock::now() - start).count() / seconds;
      if (count >= kMinCalls && part >= 1) break;
      progress((static_cast<double>(i) + std::min(part, 1.0)) / static_cast<double>(dtypes.size()));
      const bool is_small = count % 4 == 1;
      calls::Call call =
          is_small ? calls::MakeValidCall(entry_, &random_) : calls::MakeLargeCall(entry_, kElements, dtypes[i]);
      SampleAttributes(call);
      call.AllocateData();
      Fill(call, count % 4 == 0);
      any = Try(call) || any;
    }
  }
  if (!any) throw Failure(refusal_);
}

void ErrorSearch::SampleAttributes(calls::Call& call) {
  constexpr double kCommon[] = {-1, 0, 1, 0.5, 0.7, 0.05, 1.0 / 3, 1e-6, 0.125, 2.5};
  for (calls::ArgumentSpec& argument : call.arguments()) {
    argument.real = random_.Chance(0.7) ? random_.Pick(std::vector<double>(std::begin(kCommon), std::end(kCommon)))
                                        : random_.Real(-2, 2);
    if (argument.number == ACL_COMPLEX64) argument.imaginary = random_.Real(-2, 2);
  }
  for (const exec::Step& step : call.schema().steps) {
    if (step.word != exec::Word::kValueAtLeast) continue;
    calls::ArgumentSpec& argument = call.argument(step.refs[0].index);
    argument.real = std::max(argument.real, step.real_low);
  }
}

void ErrorSearch::Fill(calls::Call& call, bool patterns) {
  std::vector<std::pair<int, Kind>> kinds;
  std::vector<int> filled;  // tensors that FillTensor() fills
  int narrow = 0;
  for (const int index : call.schema().tensors) {
    const exec::Arg& arg = call.schema().args[static_cast<size_t>(index)];
    if (arg.role == exec::Role::kOutput || call.argument(index).null) continue;
    const calls::TensorSpec& tensor = call.tensor(index);
    if (!IsFloating(calls::PartDtype(tensor.dtype))) continue;
    Kind kind = static_cast<Kind>(random_.Between(1, 7));
    if (patterns && Has16Bits(tensor.dtype) && narrow++ == 0) kind = Kind::kPatterns;
    kinds.emplace_back(index, kind);
    if (kind != Kind::kSpecial) filled.push_back(index);
  }
  DrawContents(call, random_, random_.Real(0, 0.5), filled);
  for (const auto& [index, kind] : kinds) {
    for (const calls::TensorSpec& tensor : call.argument(index).tensors) FillTensor(tensor, index, kind);
  }
}

void ErrorSearch::FillTensor(const calls::TensorSpec& tensor, int argument, Kind kind) {
  const auto seed = std::find_if(seeds_.begin(), seeds_.end(), [&](const Seed& one) {
    return one.argument == argument && one.dtype == tensor.dtype;  // operands of other dtypes may occur in a call
  });
  if (kind == Kind::kNearWorst && seed == seeds_.end()) kind = Kind::kAnySize;
  if (kind == Kind::kSpecial || tensor.data == nullptr) return;
  const aclDataType dtype = calls::PartDtype(tensor.dtype);
  const size_t size = calls::ElementBytes(dtype);
  const size_t parts = calls::ElementBytes(tensor.dtype) / size;
  std::vector<std::byte> block = calls::ReadBlock(tensor);
  const int64_t reach = int64_t{1} << random_.Below(8 * static_cast<int64_t>(size) - 10);
  for (size_t i = 0; (i + 1) * size <= block.size(); ++i) {
    std::byte* const at = block.data() + i * size;
    uint64_t bits = random_.Bits();
    if (kind == Kind::kNearWorst) {
      bits = calls::ElementBits(dtype, seed->element.data() + i % parts * size) +
             static_cast<uint64_t>(random_.Between(-reach, reach));
    }
    if (kind == Kind::kPatterns) bits = i;
    double value = 0;
    switch (kind) {
      case Kind::kPatterns:
      case Kind::kAnyBits:
      case Kind::kNearWorst:
        std::memcpy(at, &bits, size);
        continue;
      case Kind::kUnit:
        value = random_.Real(0, 1);
        break;
      case Kind::kNegative:
        value = random_.Real(-8, 0);
        break;
      case Kind::kAnySize:
        value = std::exp2(random_.Real(-30, 30)) * (random_.Chance(0.5) ? 1 : -1);
        break;
      default:
        value = random_.Real(-4, 4);
    }
    calls::StoreElement(dtype, value, at);
  }
  aclrtMemcpy(tensor.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

bool ErrorSearch::Try(calls::Call& call) {
  calls::OracleCall reference(call);
  reference.ReadMemory();
  // Outputs may also be inputs, and are then restored.
  std::vector<std::pair<const calls::TensorSpec*, std::vector<std::byte>>> before;
  for (const calls::TensorSpec* tensor : call.Tensors()) {
    if (tensor->data != nullptr) before.emplace_back(tensor, calls::ReadBlock(*tensor));
  }
  const auto restore = [&] {
    for (const auto& [tensor, block] : before)
      aclrtMemcpy(tensor->data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
  };
  try {
    Launcher(call).Run();  // only a call that succeeds has a reference, which reads lists from memory
    restore();
    if (!calls::ComputeOracle(reference)) throw Failure(fmt::format("{} has no reference", entry_.schema->api));
    for (const int64_t target : targets_) {
      SetActiveTarget(target);
      Launcher(call).Run();
      Compare(call, reference);
      restore();
    }
  } catch (const Failure& failure) {
    refusal_ = failure.what();
    return false;
  }
  return true;
}

void ErrorSearch::Compare(calls::Call& call, calls::OracleCall& reference) {
  for (const int index : call.schema().tensors) {
    const exec::Arg& arg = call.schema().args[static_cast<size_t>(index)];
    if (!arg.written() || call.argument(index).null) continue;
    size_t element = 0;  // those of lists are counted through
    for (const calls::TensorSpec& tensor : call.argument(index).tensors) {
      if (tensor.data == nullptr) continue;
      const std::vector<std::byte> block = calls::ReadBlock(tensor);
      for (const size_t offset : calls::ElementOffsets(tensor))
        Keep(call, reference, index, element++, block.data() + offset);
    }
  }
}

void ErrorSearch::Keep(calls::Call& call, calls::OracleCall& reference, int argument, size_t element,
                       const std::byte* got) {
  const calls::Deviation deviation = reference.Judge(argument, element, got);
  const aclDataType dtype = call.tensor(argument).dtype;
  const int64_t target = ActiveTarget();
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const LargestError& one) {
    return one.deviation.bound == deviation.bound && one.dtype == dtype && one.target == target;
  });
  const bool is_new = row == rows_.end();
  if (is_new) row = rows_.insert(row, {target, dtype, deviation, 0, {}, {}});
  ++row->elements;
  if (!is_new && !(row->deviation < deviation)) return;
  row->deviation = deviation;
  size_t count = 0;
  for (const calls::TensorSpec& tensor : call.argument(argument).tensors)
    count += static_cast<size_t>(calls::ElementCount(tensor.shape));
  row->inputs = InputsText(call, reference, element, count);
  row->result =
      fmt::format("got {}, {}", calls::DescribeElement(dtype, got), reference.DescribeExact(argument, element));
  if (worst_.bound != nullptr && !(worst_ < deviation)) return;
  worst_ = deviation;
  seeds_.clear();
  for (const int index : call.schema().tensors) {
    const aclDataType seed_dtype = call.tensor(index).dtype;
    const size_t size = calls::ElementBytes(seed_dtype);
    const std::vector<std::byte>& bytes = reference.Bytes(index);
    if (bytes.empty() || bytes.size() / size != count) continue;
    const auto at = bytes.begin() + static_cast<ptrdiff_t>(element * size);
    seeds_.push_back({index, seed_dtype, std::vector<std::byte>(at, at + static_cast<ptrdiff_t>(size))});
  }
}

}  // namespace portacl::tool
