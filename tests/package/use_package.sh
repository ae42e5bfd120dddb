#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# use_package.sh <root> <scratch folder> <source folder> <cmake>: uses the package unpacked in <root>; "" means that it
# is installed and must be found without any setting.
set -euo pipefail
root=$1 scratch=$2 source=$3 cmake=$4

rm -rf "$scratch"
mkdir -p "$scratch"
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH ASCEND_HOME_PATH
if [[ -n $root ]]; then
  export PATH=$root/usr/bin:$PATH PKG_CONFIG_PATH=$root/usr/lib/pkgconfig CMAKE_PREFIX_PATH=$root/usr
fi
[[ $(command -v portacl) == "$root/usr/bin/portacl" ]]
portacl version
portacl run aclnnLogitGrad x=random:2,3 dy=random:2,3 eps=-1 --verify

gzip -dc "$root/usr/share/man/man1/portacl.1.gz" | grep -q '^\.TH'
bash -euc 'source "$1"; complete -p portacl' - "$root/usr/share/bash-completion/completions/portacl"

# With find_package, the program finds the libraries without set_env.sh.
"$cmake" -S "$source/examples" -B "$scratch/cmake"
[[ $(sed -n 's/^portacl_DIR:PATH=//p' "$scratch/cmake/CMakeCache.txt") == "$root"/usr/lib/* ]]
"$cmake" --build "$scratch/cmake"
"$scratch/cmake/logit_grad" | grep 'result\[2\] is: 14.2857'

# With pkg-config, set_env.sh selects the toolkit that a program uses.
flags=$(pkg-config --cflags --libs portacl)
echo "$flags"
eval "g++ -std=c++11 '$source/examples/logit_grad.cpp' $flags -o '$scratch/logit_grad'"
source "$root/usr/lib/portacl/set_env.sh"
"$scratch/logit_grad" | grep 'result\[2\] is: 14.2857'
