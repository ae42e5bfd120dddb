// SPDX-License-Identifier: Apache-2.0
//
// What lanes written for x86 alone include. GCC 12 takes the undefined registers of its own intrinsics for mistakes
// (bug 105593), where they are inlined.
#pragma once

#include <hwy/base.h>

#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
