// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of an operator with its float64 reference.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calls/oracle.h"
#include "tool/prepared_call.h"

namespace portacl::tool {

// The element of an output that uses the largest part of its error limit.
struct WorstElement {
  std::string name;            // name of the output
  std::vector<int64_t> index;  // empty for a scalar, and if the output has no elements
  double got = 0;
  double exact = 0;
  std::optional<calls::Deviation> deviation;  // nullopt for an output without elements

  bool good() const { return !deviation || deviation->good(); }
};

class Verifier {
 public:
  // Must be created before the operator runs, as it may overwrite its inputs.
  explicit Verifier(PreparedCall& prepared);

  // To be called after Fetch(): returns one row per output. `progress` receives the completed fraction. Throws Failure
  // if the operator has no reference.
  std::vector<WorstElement> Compare(const std::function<void(double)>& progress);

 private:
  PreparedCall& prepared_;
  calls::Call described_;  // the oracle reads its attributes and shapes
  std::vector<std::vector<double>> inputs_;
  std::vector<std::vector<std::byte>> input_bytes_;
};

}  // namespace portacl::tool
