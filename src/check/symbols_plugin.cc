// SPDX-License-Identifier: Apache-2.0
// Finds source lines with backward-cpp, which uses libdw.
#define BACKWARD_HAS_DW 1
#include <backward.hpp>
#include <cstdio>

#include "check/symbols.h"

void PortaclDescribeAddress(void* address, portacl::check::SourceLine* line) {
  *line = {};
  try {
    // Never destroyed: reports are still made when the process has destroyed its static objects.
    static auto& resolver = *new backward::TraceResolver;
    static bool loaded = false;
    backward::StackTrace none;
    if (!loaded) resolver.load_stacktrace(none);
    loaded = true;
    // A return address may belong to the next line.
    backward::ResolvedTrace trace(backward::Trace(static_cast<char*>(address) - 1, 0));
    trace = resolver.resolve(trace);
    std::snprintf(line->function, sizeof(line->function), "%s", trace.object_function.c_str());
    if (!trace.source.function.empty())
      std::snprintf(line->function, sizeof(line->function), "%s", trace.source.function.c_str());
    std::snprintf(line->file, sizeof(line->file), "%s", trace.source.filename.c_str());
    line->line = static_cast<int>(trace.source.line);
  } catch (...) {
    // The fields found so far are kept.
  }
}
