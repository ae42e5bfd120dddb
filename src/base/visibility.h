// SPDX-License-Identifier: Apache-2.0
// Attributes of symbols for the compiler.
#pragma once

// Marks what one shared library of the toolkit exports to the next; everything else stays hidden.
#define PORTACL_EXPORT __attribute__((visibility("default")))

// For thread-local variables: found without a call to the loader, which would take time, and may take memory in a
// thread's first call and end the process when there is none. They share a small space that the loader keeps for
// libraries that are loaded late, so they stay pointers and numbers.
#define PORTACL_HOT_THREAD_LOCAL __attribute__((tls_model("initial-exec")))
