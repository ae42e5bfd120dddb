#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# moved.sh <build folder> <scratch folder> <source folder> <cmake>: an installed toolkit works from any folder, also
# after it was moved to a folder whose name contains a space.
set -euo pipefail
build=$1 scratch=$2 source=$3 cmake=$4

rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/second place"
if grep -rIl "$scratch/first" "$scratch/second place"; then
  echo "these files still name the folder of installation"
  exit 1
fi
[[ $("$scratch/second place/bin/portacl" ops --names) == *aclnnLogitGrad* ]]
[[ -s "$scratch/second place/share/man/man1/portacl.1" ]]
[[ -s "$scratch/second place/share/bash-completion/completions/portacl" ]]
bash "$(dirname "$0")/cmake_package.sh" "$scratch/second place" "$scratch/project" "$source" "$cmake"
