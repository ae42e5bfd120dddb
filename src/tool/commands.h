// SPDX-License-Identifier: Apache-2.0
// The commands. Each prints its result to the standard output and returns the exit code, or throws UsageError or
// Failure (error.h).
#pragma once

#include <optional>
#include <string>

#include "tool/prepared_call.h"

namespace portacl::tool {

inline constexpr double kBenchSeconds = 0.2;  // per measurement, if an operator is given

struct Options {
  bool json = false;
  std::string soc;                 // the SoC to emulate; empty: that of PORTACL_SOC
  std::string target;              // operator; file of `missing` and `trace`
  CallOptions call;                // for `run`
  int64_t repeat = 0;              // for `run`: number of measured calls; 0: as many as take 0.1 s
  bool verify = false;             // for `run`
  bool names = false;              // for `ops`
  std::optional<double> seconds;   // for `bench`: per measurement
  std::optional<int64_t> threads;  // for `bench`
  std::string size;                // for `bench`: L2, L3, DRAM or all; empty: all if an operator is given, otherwise L2
  std::string dtype;               // for `bench`: a dtype or all; empty: all with an operator, otherwise the first
  int64_t ranks = 2;               // for `bench hccl`
  double search_seconds = 1;       // for `accuracy`: per dtype
};

int Info(const Options& options);
int Ops(const Options& options);
int Run(const Options& options);
int Bench(const Options& options);
int BenchHccl(const Options& options);     // for the target hccl
int BenchRuntime(const Options& options);  // for the target runtime
int Accuracy(const Options& options);
int Missing(const Options& options);
int ShowTrace(const Options& options);
int Version(const Options& options);
int Doctor(const Options& options);

// Applies --soc; must be called before the library reads the SoC.
void ChooseSoc(const std::string& name);

}  // namespace portacl::tool
