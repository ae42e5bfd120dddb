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
  std::vector<std::string> dtypes;  // DTYPE, for all floating input tensors, or NAME=DTYPE
  std::vector<std::string> shapes;  // NAME=2,3, for a list 2x3,5x3: the shapes of an output that no rule determines
};

// The host side of one tensor of the call.
struct HostTensor {
  int argument = -1;
  size_t element = 0;            // index in a list of tensors
  std::string name;              // "x", "tensors[1]"
  std::vector<std::byte> bytes;  // row-major; for an output valid after Fetch()
  std::string output_path;       // file to save it to; empty: not saved
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

  // Allocates device memory for every tensor and copies the inputs there.
  void Allocate();
  // Copies the inputs to the device again: an in-place operator may have changed one.
  void Refill();
  // Copies the outputs to the host.
  void Fetch();
  // Writes the output files.
  void Save();

  // Bytes of all tensors, each counted once: the smallest possible memory traffic of a call.
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
  std::map<int, std::string> given_;  // text of each argument
  std::map<int, aclDataType> dtype_of_;
  aclDataType dtype_ = ACL_DT_UNDEFINED;
  std::map<int, std::vector<calls::Dims>> shapes_of_;
  std::vector<HostTensor> tensors_;
};

// Parses the name of a numeric dtype; throws UsageError.
aclDataType ReadDtype(const std::string& text);

// Parses "2,3" or "2x3"; throws a UsageError that starts with `what`.
calls::Dims ParseDims(const std::string& what, const std::string& text);

}  // namespace portacl::tool
