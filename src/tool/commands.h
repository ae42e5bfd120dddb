// SPDX-License-Identifier: Apache-2.0
// The commands. Each prints its result to the standard output and returns the exit code, or throws UsageError or
// Failure (error.h).
#pragma once

#include <optional>
#include <string>

#include "tool/prepared_call.h"

namespace portacl::tool {

inline constexpr double kBenchSeconds = 0.2;  // for each measurement, if an operator is given

struct Options {
  bool json = false;
  std::string soc;                // SoC to imitate; empty: that of PORTACL_SOC
  std::string target;             // operator; file of `missing` and `trace`
  CallOptions call;               // of `run`
  int64_t repeat = 0;             // of `run`: measured calls; 0: as many as take 0.1 s
  bool verify = false;            // of `run`
  bool names = false;             // of `ops`
  std::optional<double> seconds;  // of `bench`: for each measurement
  std::string size;               // of `bench`: L2, L3, DRAM or all; empty: all if an operator is given, else L2
  std::string dtype;              // of `bench`: a dtype or all; empty: all if an operator is given, else the first
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

// Applies --soc; must be called before the library reads the SoC.
void ChooseSoc(const std::string& name);

}  // namespace portacl::tool
