#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_pairs.sh [--python INTERPRETER] [--keep] [TORCH_NPU...]: each supported pair of torch and torch-npu, or those with
# the named plug-ins, in a new virtual environment, on the wheel that check_wheel.sh left, or on a new one: `--check`, the
# hook, the programs, the cross-section of PyTorch's operators, torchrun with two ranks. Prints the rows of the table in
# docs/pytorch_versions.md; logs are in build/pairs. An environment that was there before stays; with --keep all do, at
# 7 GB for a build of torch for CUDA.
#
# check_pairs.sh --at-hand [TORCH_NPU...]: the same in all virtual environments that are there, of any interpreter.
#
# check_pairs.sh --turn N: one pair that is not the newest, by turns, of those whose virtual environments are there. If
# none is, the check says so and exits with 77.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
source tools/torch_npu_venv.sh
source tools/wheel.sh

interpreter=python3 at_hand=false keep=false turn=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --python) interpreter=$2; shift 2 ;;
    --at-hand) at_hand=true; shift ;;
    --keep) keep=true; shift ;;
    --turn) turn=$2; shift 2 ;;
    *) sed -n '3,15s/^# \?//p' "$0"; exit 2 ;;
  esac
done
mapfile -t pairs < <(list_pairs)
if [[ -n $turn ]]; then
  older=()
  for pair in "${pairs[@]::${#pairs[@]}-1}"; do
    if has_pair "$(venv_of "${pair#* }" "$interpreter")"; then older+=("${pair#* }"); fi
  done
  if [[ ${#older[@]} -eq 0 ]]; then
    echo "no version of torch_npu but the newest is tested: tools/check_pairs.sh --keep makes virtual environments of others"
    exit 77
  fi
  set -- "${older[turn % ${#older[@]}]}"
fi

use_wheel
tests=python/tests
logs=build/pairs
mkdir -p "$logs"

# run NAME COMMAND...: one cell of the table.
run() {
  local log=$logs/${venv##*/}-$1.log status=0
  timeout 1200 "${@:2}" > "$log" 2>&1 || status=$?
  if [[ $status -eq 0 ]]; then
    row+=" yes |"
  else
    row+=" FAILED |"
    failed=$((failed + 1))
    echo "$1 with ${venv##*/} failed ($status), the end of $log:"
    tail -n 15 "$log"
  fi
}

# The versions of the plug-in, Python and its packages, and what torch was built for.
describe() {
  TORCH_DEVICE_BACKEND_AUTOLOAD=0 "$python" -c '
import platform, torch
print(f"{platform.python_version()} | {torch.__version__.partition(chr(43))[0]} for", "CUDA" if torch.version.cuda else "the CPU")'
}

check_pair() {
  local row
  python=$venv/bin/python
  row="| $torch_npu | $(describe) |"
  say "torch $torch with torch-npu $torch_npu, in $venv"
  run check "$python" -m portacl --check    # compiles the kernels, so that the hook has nothing to print
  run hook "$python" $tests/test_npu_hook.py
  run programs env OMP_NUM_THREADS=1 "$python" $tests/programs/run.py --check --steps 3
  run operators "$python" $tests/test_op_db.py
  run ranks env TORCH_DEVICE_BACKEND_AUTOLOAD=0 OMP_NUM_THREADS=1 "$python" -m torch.distributed.run --standalone --nproc-per-node=2 \
    $tests/distributed_ranks.py
  rows+=("$row $(date +%F) |")
}

rows=()
for pair in "${pairs[@]}"; do
  read -r torch torch_npu <<< "$pair"
  if [[ $# -gt 0 && " $* " != *" $torch_npu "* ]]; then continue; fi
  venv=$(venv_of "$torch_npu" "$interpreter") made=false
  if $at_hand; then
    for venv in "$(venv_of "$torch_npu")"{,-*}; do
      if has_pair "$venv"; then check_pair; fi
    done
    continue
  fi
  if ! has_pair "$venv"; then
    if ! make_venv "$venv" "$torch" "$torch_npu" "$interpreter"; then
      echo "torch_npu $torch_npu is not tested: pip cannot install it ($why)"
      skipped=$((skipped + 1))
      continue
    fi
    made=true
  fi
  check_pair
  if $made && ! $keep; then rm -rf "$venv"; fi
done

say ""
echo "| torch-npu | Python | torch | \`--check\` | hook | programs | operators | two ranks | date |"
echo "|---|---|---|---|---|---|---|---|---|"
if [[ ${#rows[@]} -gt 0 ]]; then printf '%s\n' "${rows[@]}"; fi
if [[ ${#rows[@]} -eq 0 ]]; then exit 77; fi
[[ $failed -eq 0 ]]
