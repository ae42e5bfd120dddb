// SPDX-License-Identifier: Apache-2.0
// Marks what one shared library of the toolkit lends the next; everything else stays hidden.
#pragma once

#define PORTACL_LEND __attribute__((visibility("default")))
