#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# set_env_test.sh <toolkit> <scratch folder>: the toolkit's script can be sourced from any folder, through a link and
# twice, under `set -eu`, whatever `cd` prints, and sets the right values.
set -euo pipefail
root=$(cd "$1" && pwd -P) scratch=$2
unset LD_LIBRARY_PATH PYTHONPATH CMAKE_PREFIX_PATH
cd /
source "$root/set_env.sh"
cd "$root/.."
source "$(basename "$root")/set_env.sh"

expect() {
  if [[ "$2" != "$3" ]]; then
    echo "$1: want $3, got $2"
    exit 1
  fi
}
expect ASCEND_HOME_PATH "$ASCEND_HOME_PATH" "$root"
expect ASCEND_TOOLKIT_HOME "$ASCEND_TOOLKIT_HOME" "$root"
expect ASCEND_OPP_PATH "$ASCEND_OPP_PATH" "$root/opp"
expect ASCEND_AICPU_PATH "$ASCEND_AICPU_PATH" "$root"
expect TOOLCHAIN_HOME "$TOOLCHAIN_HOME" "$root/toolkit"
expect LD_LIBRARY_PATH "$LD_LIBRARY_PATH" "$root/lib64"
expect PYTHONPATH "$PYTHONPATH" "$root/python/site-packages"
expect CMAKE_PREFIX_PATH "$CMAKE_PREFIX_PATH" "$root/lib64/cmake"
expect "start of PATH" "${PATH%%:*}" "$root/bin"

# Runs `set up; source <path>` in a new shell, in the folder above the toolkit.
home_after() { (cd "$root/.." && env -u ASCEND_HOME_PATH bash -euc "$1; source '$2'; printf %s \"\$ASCEND_HOME_PATH\""); }
relative=$(basename "$root")/set_env.sh
expect "root with CDPATH" "$(home_after "CDPATH=$root/.." "$relative")" "$root"
expect "root where cd is a function" "$(home_after 'cd() { builtin cd "$@" && echo "now in $PWD"; }' "$relative")" "$root"
rm -rf "$scratch"
mkdir -p "$scratch"
ln -s "$root/set_env.sh" "$scratch/to the script"
ln -s "to the script" "$scratch/link"
ln -s "$root" "$scratch/toolkit"
expect "root through links to the script" "$(home_after : "$scratch/link")" "$root"
expect "root through a link to the toolkit" "$(home_after : "$scratch/toolkit/set_env.sh")" "$root"

for folder in include/acl include/aclnn include/aclnnop/level2 lib64 devlib acllib/lib64 fwkacllib/include opp runtime compiler; do
  [[ -d "$root/$folder" ]] || { echo "$folder is missing"; exit 1; }
done
for library in "$root"/lib64/lib*.so; do
  [[ -f "$library" ]] || { echo "$library is not a file"; exit 1; }
done
grep -q '^Version=' "$root/share/info/runtime/version.info"
