#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cmake_package.sh <toolkit> <scratch folder> <source folder> <cmake>: builds the examples as a separate CMake project,
# which finds the toolkit only through set_env.sh.
set -euo pipefail
root=$1 scratch=$2 source=$3 cmake=$4

rm -rf "$scratch"
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH
source "$root/set_env.sh"
"$cmake" -S "$source/examples" -B "$scratch"
"$cmake" --build "$scratch"
"$scratch/logit_grad" | tee "$scratch/output.txt"
grep -q 'result\[2\] is: 14.2857' "$scratch/output.txt"
