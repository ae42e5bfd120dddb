# SPDX-License-Identifier: Apache-2.0
# Cross-compilation for 64-bit Arm on Debian: the distribution's cross compiler, arm64 multiarch packages and qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Libraries come from /usr/lib/aarch64-linux-gnu; those of the build machine must not be found instead.
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/cmake)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# The tests inherit QEMU_CPU, so that one build runs as NEON and as SVE of any length.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
