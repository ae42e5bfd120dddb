#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# npu_smi_test.sh <toolkit> <scratch folder>: `npu-smi info` of the toolkit prints the SoC where build scripts read it,
# for every imitated SoC and from any folder; all other commands are refused.
set -euo pipefail
root=$(cd "$1" && pwd -P) scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
ln -s "$root" "$scratch/toolkit"
unset LD_LIBRARY_PATH PORTACL_SOC PORTACL_DEVICES ASCEND_RT_VISIBLE_DEVICES
source "$scratch/toolkit/set_env.sh"
cd "$scratch"

expect() {
  if [[ "$2" != "$3" ]]; then
    echo "$1: want '$3', got '$2'"
    exit 1
  fi
}
field() { npu-smi info | awk 'NR == 7 { print $3 }'; }
expect "name by default" "$(field)" 910B1
for soc in Ascend910_9391 Ascend910A Ascend310P3 Ascend310B1 Ascend950PR_9599 Ascend910B4; do
  expect "name with PORTACL_SOC=$soc" "$(PORTACL_SOC=$soc field)" "${soc#Ascend}"
done
expect "name of a family" "$(PORTACL_SOC=Ascend310P field)" 310P3
expect "devices" "$(PORTACL_DEVICES=3 npu-smi info | grep -c 910B1)" 3
expect "widths of lines" "$(PORTACL_DEVICES=12 npu-smi info | awk '{ print length }' | sort -u | wc -l)" 1
for arguments in '' 'watch' 'info -t board'; do
  # shellcheck disable=SC2086
  if npu-smi $arguments > output.txt 2> errors.txt; then
    echo "npu-smi $arguments: want a refusal"
    exit 1
  fi
  expect "output of 'npu-smi $arguments'" "$(cat output.txt)" ""
  grep -q '^usage:' errors.txt
done
