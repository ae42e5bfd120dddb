#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# link_line.sh <toolkit> <scratch folder> <compile line>: compiles the example as a client does and checks what it prints.
set -euo pipefail
root=$1 scratch=$2 line=$3

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset LD_LIBRARY_PATH
source "$root/set_env.sh"
echo "$line"
eval "$line -o example"
./example | tee output.txt

# Compares four gradients; the last digit depends on the operator's rounding.
awk 'BEGIN { split("11.11111 12.5 14.28571 16.66667", want, " ") }
     { got = $3; n = NR; d = got - want[n]; if (d < 0) d = -d; if (d > 1e-4) { print "line " n ": want " want[n]; bad = 1 } }
     END { if (NR != 4) { print NR " lines instead of 4"; bad = 1 } exit bad }' output.txt
