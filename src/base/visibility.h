// SPDX-License-Identifier: Apache-2.0
// Attributes of symbols.
#pragma once

// Marks the symbols that one shared library of the toolkit exports to another; all others are hidden.
#define PORTACL_EXPORT __attribute__((visibility("default")))

// For thread-local variables that are accessed without a call to the loader. Such a call would take time; in a thread's
// first access it may also allocate memory, and ends the process when there is none. These variables share a small
// space that the loader reserves for libraries loaded late, so they are only pointers and integers.
#define PORTACL_HOT_THREAD_LOCAL __attribute__((tls_model("initial-exec")))
