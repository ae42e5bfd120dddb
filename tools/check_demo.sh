#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_demo.sh: runs ./demo, and its toolkit in an emulator of an older processor, where it must refuse with one
# sentence.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
./demo
test -s build/demo/digits.svg

lesser=Nehalem    # without AVX
if ! grep -qE 'HWY_AVX' build/native/toolkit/share/info/this_machine_alone; then
  echo "this machine has nothing that $lesser lacks"
  exit 77
fi
said=$(qemu-x86_64 -cpu "$lesser" build/native/toolkit/bin/portacl run aclnnLogit input=random:3,4 eps=-1 2>&1 || true)
echo "$said"
[[ $(wc -l <<< "$said") -eq 1 && $said == *"expected a processor with AVX"*"./demo built this toolkit"* ]]

echo "no wheel is made of it"
scratch=$PWD/build/check_demo
rm -rf "$scratch"
! cmake -S . -B "$scratch" -DSKBUILD=2 -DSKBUILD_PLATLIB_DIR="$scratch" -DPORTACL_PREBUILT_TOOLKIT=build/native/toolkit > "$scratch.log" 2>&1
tr -s ' \n' ' ' < "$scratch.log" | grep -F "this machine's instruction set alone" > /dev/null    # CMake breaks the line where the path ends it
