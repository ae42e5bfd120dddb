// SPDX-License-Identifier: Apache-2.0
// A call of any operator from words NAME=VALUE: loads files, converts dtypes, and infers the outputs that the user does
// not describe from the schema.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "calls/call.h"

namespace portacl::tool {

struct CallOptions {
  std::vector<std::string> words;   // NAME=VALUE
  std::vector<std::string> dtypes;  // DTYPE, for all floating tensors that are read, or NAME=DTYPE
  std::vector<std::string> shapes;  // NAME=2,3: of an output that no rule describes
};

// The host's side of one tensor of the call.
struct HostTensor {
  int argument = -1;
  size_t element = 0;            // in a list of tensors
  std::string name;              // "x", "tensors[1]"
  std::vector<std::byte> bytes;  // row-major; of an output after Fetch()
  std::string output_path;       // where it is to be saved; empty: nowhere
};

class PreparedCall {
 public:
  // Throws UsageError for unknown or missing arguments, Failure for files that cannot be read.
  PreparedCall(const exec::OperatorEntry& entry, const CallOptions& options);

  calls::Call& call() { return call_; }
  std::vector<HostTensor>& tensors() { return tensors_; }
  const exec::Arg& arg(const HostTensor& tensor) const {
    return call_.schema().args[static_cast<size_t>(tensor.argument)];
  }
  calls::TensorSpec& spec(const HostTensor& tensor) { return call_.argument(tensor.argument).tensors[tensor.element]; }

  // Device memory for every tensor; what is read is copied there.
  void Allocate();
  // Copies the inputs to the device again: an operator may have changed one in place.
  void Refill();
  // Copies what the operator wrote to the host.
  void Fetch();
  // Writes the output files.
  void Save();

  // Bytes of all tensors, each once: the least memory traffic of a call.
  size_t Bytes();

 private:
  void ReadWords(const std::vector<std::string>& words);
  void ReadOptions(const CallOptions& options);
  void ReadArgument(int index, const std::string& text);
  void ReadTensors(int index, const std::string& text);
  void AddInput(int index, size_t element, const std::string& source);
  size_t TiedLength(int index);
  aclDataType WantedDtype(int index, aclDataType dtype) const;
  void RequireAll() const;

  calls::Call call_;
  std::map<int, std::string> given_;  // argument -> its text
  std::map<int, aclDataType> dtype_of_;
  aclDataType dtype_ = ACL_DT_UNDEFINED;
  std::map<int, calls::Dims> shape_of_;
  std::vector<HostTensor> tensors_;
};

// A dtype of numbers, by any of its names; throws UsageError.
aclDataType ReadDtype(const std::string& text);

// "2,3" or "2x3"; throws UsageError that begins with `what`.
calls::Dims ParseDims(const std::string& what, const std::string& text);

}  // namespace portacl::tool
