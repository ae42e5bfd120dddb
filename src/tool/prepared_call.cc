// SPDX-License-Identifier: Apache-2.0
#include "tool/prepared_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/dtype.h"
#include "tool/attribute.h"
#include "tool/elements.h"
#include "tool/error.h"
#include "tool/name_search.h"
#include "tool/npy.h"
#include "tool/npy_writer.h"
#include "tool/output_rules.h"
#include "tool/schema_text.h"

namespace portacl::tool {
namespace {

constexpr std::string_view kRandom = "random:";

// Splits NAME=VALUE and finds the argument.
std::pair<int, std::string> ReadWord(const exec::Schema& schema, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos)
    throw UsageError(fmt::format("expected NAME=VALUE, got '{}'; 'portacl ops {}' lists the names", word, schema.api));
  const std::string name = word.substr(0, equals);
  const int index = schema.Find(name);
  if (index < 0) {
    throw UsageError(
        fmt::format("{} has no argument '{}'{}", schema.api, name, DidYouMean(name, ArgumentNames(schema))));
  }
  return {index, word.substr(equals + 1)};
}

void CheckCopied(aclError status) {
  const char* message = status == ACL_SUCCESS ? nullptr : aclGetRecentErrMsg();
  if (status != ACL_SUCCESS) throw Failure(fmt::format("aclrtMemcpy returned {}: {}", status, message ? message : ""));
}

}  // namespace

aclDataType ReadDtype(const std::string& text) {
  const aclDataType dtype = DtypeOf(text);
  if (IsNumber(dtype)) return dtype;
  throw UsageError(
      fmt::format("--dtype: expected a dtype of numbers, got '{}'{}", text, DidYouMean(text, DtypeNames())));
}

calls::Dims ParseDims(const std::string& what, const std::string& text) {
  std::string commas = text;
  for (char& c : commas) c = c == 'x' ? ',' : c;
  constexpr int64_t kMaxElements = int64_t{1} << 48;  // more than any machine holds; products still fit int64
  calls::Dims dims;
  int64_t elements = 1;
  for (const std::string& part : SplitList(commas)) {
    int64_t size = 0;
    if (!ParseInteger(part, &size) || size < 0) {
      throw UsageError(fmt::format("{}: expected sizes such as 2,3, got '{}'", what, text));
    }
    if (size > kMaxElements / elements) throw UsageError(fmt::format("{}: '{}' has too many elements", what, text));
    elements *= std::max<int64_t>(size, 1);
    dims.push_back(size);
  }
  return dims;
}

PreparedCall::PreparedCall(const exec::OperatorEntry& entry, const CallOptions& options) : call_(entry) {
  ReadOptions(options);
  ReadWords(options.words);
  RequireAll();
  const auto size = static_cast<int>(call_.schema().args.size());
  for (int index = 0; index < size; ++index) {
    const auto found = given_.find(index);
    const bool is_tensor = exec::IsTensor(call_.schema().args[static_cast<size_t>(index)].kind);
    call_.argument(index).null = found == given_.end();
    if (is_tensor) ReadTensors(index, found == given_.end() ? "" : found->second);
    if (!is_tensor && found != given_.end()) ReadArgument(index, found->second);
  }
  calls::SetFormats(call_);
  DescribeOutputs(call_, dtype_of_, shapes_of_);
}

void PreparedCall::ReadOptions(const CallOptions& options) {
  for (const std::string& text : options.dtypes) {
    if (text.find('=') == std::string::npos) {
      dtype_ = ReadDtype(text);
      if (!IsFloating(dtype_))
        throw UsageError(fmt::format("--dtype {}: write NAME={} to say which tensor", text, text));
    } else {
      const auto [index, name] = ReadWord(call_.schema(), text);
      dtype_of_[index] = ReadDtype(name);
    }
  }
  for (const std::string& text : options.shapes) {
    const auto [index, dims] = ReadWord(call_.schema(), text);
    const bool is_list = call_.schema().args[static_cast<size_t>(index)].kind == exec::ValueKind::kTensorList;
    const bool are_many = is_list && dims.find('x') != std::string::npos;
    std::vector<calls::Dims>& shapes = shapes_of_[index];
    shapes.clear();
    for (const std::string& sizes : are_many ? SplitList(dims) : std::vector{dims})
      shapes.push_back(ParseDims("--shape " + text, sizes));
  }
}

void PreparedCall::ReadWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const auto [index, text] = ReadWord(call_.schema(), word);
    if (!given_.emplace(index, text).second) {
      throw UsageError(fmt::format("argument '{}' is given twice", word.substr(0, word.find('='))));
    }
  }
}

void PreparedCall::RequireAll() const {
  const auto& args = call_.schema().args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].optional || args[i].role == exec::Role::kOutput || given_.count(static_cast<int>(i)) != 0) continue;
    throw UsageError(
        fmt::format("{} needs {}=VALUE: {}", call_.schema().api, args[i].name, ExpectedText(args[i].kind)));
  }
}

void PreparedCall::ReadArgument(int index, const std::string& text) {
  ReadAttribute(call_.schema().args[static_cast<size_t>(index)], text, &call_.argument(index));
}

// An input is a file; an output is the file to save it to, and may be omitted; an in-out tensor is IN or IN,OUT.
void PreparedCall::ReadTensors(int index, const std::string& text) {
  const exec::Arg& arg = call_.schema().args[static_cast<size_t>(index)];
  const bool given = given_.count(index) != 0;
  calls::ArgumentSpec& spec = call_.argument(index);
  spec.null = arg.optional && !given;
  const bool is_list = arg.kind == exec::ValueKind::kTensorList;
  std::vector<std::string> parts = {text};
  if (is_list || (arg.role == exec::Role::kInOut && text.rfind(kRandom, 0) != 0)) parts = SplitList(text);
  if (is_list && !given) parts.resize(TiedLength(index));
  if (!is_list && parts.size() > 2)
    throw UsageError(fmt::format("argument '{}': expected IN.npy or IN.npy,OUT.npy, got '{}'", arg.name, text));
  spec.tensors.resize(is_list ? parts.size() : 1);
  if (spec.null) {
    spec.tensors.front().null = true;
    return;
  }
  for (size_t element = 0; element < spec.tensors.size(); ++element) {
    HostTensor& tensor = tensors_.emplace_back();
    tensor.argument = index;
    tensor.element = element;
    tensor.name = is_list ? fmt::format("{}[{}]", arg.name, element) : arg.name;
    if (arg.role == exec::Role::kOutput) {
      tensor.output_path = parts[element];
    } else {
      if (!is_list && arg.role == exec::Role::kInOut && parts.size() == 2) tensor.output_path = parts[1];
      AddInput(index, element, parts.empty() ? "" : parts[element]);
    }
    if (tensor.output_path.rfind(kRandom, 0) == 0) {
      throw UsageError(
          fmt::format("argument '{}': expected a file to write, got '{}'; --shape {}=SIZES gives the shape of an "
                      "output",
                      tensor.name, tensor.output_path, arg.name));
    }
  }
}

// The length of an output list that the user does not give: that of its shapes, or of the input list to which a step
// ties it.
size_t PreparedCall::TiedLength(int index) {
  const auto shapes = shapes_of_.find(index);
  if (shapes != shapes_of_.end() && shapes->second.size() > 1) return shapes->second.size();
  const auto names = [](const exec::Step& step, int list) {
    return std::ranges::any_of(step.refs, [&](const exec::Ref& ref) { return ref.index == list; });
  };
  for (const exec::Step& step : call_.schema().steps) {
    if (step.word != exec::Word::kSameSize || !names(step, index)) continue;
    for (const int other : call_.schema().tensors) {
      if (other != index && names(step, other)) return call_.argument(other).tensors.size();
    }
  }
  return 1;
}

aclDataType PreparedCall::WantedDtype(int index, aclDataType dtype) const {
  const auto own = dtype_of_.find(index);
  if (own != dtype_of_.end()) return own->second;
  return dtype_ != ACL_DT_UNDEFINED && IsFloating(dtype) ? dtype_ : dtype;
}

void PreparedCall::AddInput(int index, size_t element, const std::string& source) {
  HostTensor& tensor = tensors_.back();
  calls::TensorSpec& spec = call_.argument(index).tensors[element];
  if (source.rfind(kRandom, 0) == 0) {
    spec.shape = ParseDims(fmt::format("argument '{}'", tensor.name), source.substr(kRandom.size()));
    spec.dtype = WantedDtype(index, ACL_FLOAT);
    tensor.bytes = RandomElements(spec.dtype, static_cast<size_t>(calls::ElementCount(spec.shape)));
    return;
  }
  if (source.empty())
    throw UsageError(fmt::format("argument '{}': expected a .npy file or random:SIZES, got nothing", tensor.name));
  try {
    npy::Array array = npy::Read(source);
    const aclDataType dtype = DtypeOfNpy(array);
    tensor.bytes.resize(array.bytes.size());
    if (!array.bytes.empty()) std::memcpy(tensor.bytes.data(), array.bytes.data(), array.bytes.size());
    spec.shape = std::move(array.shape);
    spec.dtype = WantedDtype(index, dtype);
    tensor.bytes = Converted(dtype, tensor.bytes, spec.dtype);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Failure(fmt::format("{}: {}", source, error.what()));
  }
}

void PreparedCall::Allocate() {
  call_.AllocateData();
  Refill();
}

void PreparedCall::Refill() {
  for (const HostTensor& tensor : tensors_) {
    if (arg(tensor).role == exec::Role::kOutput || tensor.bytes.empty()) continue;
    void* device = spec(tensor).data;
    CheckCopied(
        aclrtMemcpy(device, tensor.bytes.size(), tensor.bytes.data(), tensor.bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }
}

void PreparedCall::Fetch() {
  for (HostTensor& tensor : tensors_) {
    if (!arg(tensor).written()) continue;
    const calls::TensorSpec& described = spec(tensor);
    tensor.bytes.resize(static_cast<size_t>(calls::ElementCount(described.shape)) * aclDataTypeSize(described.dtype));
    if (tensor.bytes.empty()) continue;
    CheckCopied(aclrtMemcpy(tensor.bytes.data(), tensor.bytes.size(), described.data, tensor.bytes.size(),
                            ACL_MEMCPY_DEVICE_TO_HOST));
  }
}

void PreparedCall::Save() {
  for (const HostTensor& tensor : tensors_) {
    if (tensor.output_path.empty()) continue;
    try {
      const calls::TensorSpec& described = spec(tensor);
      npy::Write(tensor.output_path, ToNpy(described.dtype, described.shape, tensor.bytes));
    } catch (const Failure&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw Failure(fmt::format("{}: {}", tensor.output_path, error.what()));
    }
  }
}

size_t PreparedCall::Bytes() {
  size_t bytes = 0;
  for (const calls::TensorSpec* tensor : call_.Tensors()) {
    bytes += static_cast<size_t>(calls::ElementCount(tensor->shape)) * aclDataTypeSize(tensor->dtype);
  }
  return bytes;
}

}  // namespace portacl::tool
