// SPDX-License-Identifier: Apache-2.0
// The command line as described to CLI11: main() parses it, and tools/tool_reference.cc generates the manual from it.
#pragma once

#include <CLI/CLI.hpp>

#include "tool/commands.h"

namespace portacl::tool {

using Command = int (*)(const Options& options);

// Adds every command and option. Parsing fills `options` and `chosen`, which must outlive `app`.
void DescribeCommandLine(CLI::App* app, Options* options, Command* chosen);

// Parses and runs; prints an error as one line. Returns the exit code: 0, 1 for a failure, 2 for wrong usage.
int Main(int count, char** arguments);

}  // namespace portacl::tool
