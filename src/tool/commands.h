// SPDX-License-Identifier: Apache-2.0
// The commands. Each prints its result to the standard output and throws UsageError or Failure (error.h); what it
// returns is the exit code.
#pragma once

#include <optional>
#include <string>

#include "tool/prepared_call.h"

namespace portacl::tool {

inline constexpr double kBenchSeconds = 0.2;  // for each measurement of what is named

struct Options {
  bool json = false;
  std::string soc;                // product to imitate instead of PORTACL_SOC's; empty: that one
  std::string target;             // operator; file of `missing` and `trace`
  CallOptions call;               // of `run`
  int64_t repeat = 0;             // of `run`: calls that are timed; 0: a tenth of a second of them
  bool verify = false;            // of `run`
  bool names = false;             // of `ops`
  std::optional<double> seconds;  // of `bench`: for each measurement
  std::string size;               // of `bench`: L2, L3, DRAM or all; empty: all of named operators, else L2
  std::string dtype;              // of `bench`: a dtype or all; empty: all of named operators, else the first
  int64_t ranks = 2;              // of `bench hccl`
  double search_seconds = 1;      // of `accuracy`: for each dtype
};

int Info(const Options& options);
int Ops(const Options& options);
int Run(const Options& options);
int Bench(const Options& options);
int BenchHccl(const Options& options);     // with that target
int BenchRuntime(const Options& options);  // with that target
int Accuracy(const Options& options);
int Missing(const Options& options);
int ShowTrace(const Options& options);
int Version(const Options& options);

// Makes --soc count. Before anything asks the library for the SoC.
void ChooseSoc(const std::string& name);

}  // namespace portacl::tool
