// SPDX-License-Identifier: Apache-2.0
//
// Includes for lane code that is written for x86 alone. GCC 12 warns about the undefined registers of its own
// intrinsics where they are inlined (bug 105593).
#pragma once

#include <hwy/base.h>

#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
