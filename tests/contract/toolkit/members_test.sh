#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# members_test.sh <toolkit> <scratch folder> <folder with lib*.txt> <C++ compiler>: members of C++ classes, called by a
# program with the toolkit's declarations and by one with its own, with each of the two forms of std::string. The names
# that the programs bind are those that the libraries export.
set -euo pipefail
root=$1 scratch=$2 lists=$3 cxx=$4
source_file=$(dirname "${BASH_SOURCE[0]}")/members_client.cc

rm -rf "$scratch"
mkdir -p "$scratch"
unset LD_LIBRARY_PATH
source "$root/set_env.sh"
for declarations in "" -DOWN_DECLARATIONS; do
  for form in 0 1; do
    program="$scratch/members$declarations$form"
    "$cxx" -std=c++11 -O1 -Wall -Wextra -Werror $declarations -D_GLIBCXX_USE_CXX11_ABI=$form "-I$ASCEND_HOME_PATH/include" "$source_file" -o "$program" \
      "-L$ASCEND_HOME_PATH/lib64" -lop_common -lnnopbase -lgraph -lascendcl
    "$program"
    nm -D --undefined-only "$program" | grep -oE '_ZN\w*(aclTensor|aclScalar|aclArray|AscendString)\w*' | sed s/C2EPKc/C1EPKc/ | sort -u > "$program.bound"
    grep -hE '^_Z' "$lists/libnnopbase.txt" "$lists/libgraph.txt" | grep -v C2EPKc | sort -u | diff - "$program.bound"
  done
done
