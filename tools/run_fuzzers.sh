#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_fuzzers.sh <seconds>: runs the fuzzers of the `fuzz` preset, those of the operators once for each instruction set of this
# machine, an equal share of the time each. What one finds stays in build/fuzz/found/; the last lines say what it is and how to
# repeat it, also where only these lines are left.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1

found=build/fuzz/found
mkdir -p "$found"
runs=()
for target in AVX3 AVX2 SSE4; do
  # The library falls back to its own choice for a name that this machine lacks.
  if PORTACL_TARGET=$target build/fuzz/fuzz/operator_fuzz -runs=0 2>&1 | grep -x "PORTACL_TARGET=$target" > /dev/null; then
    runs+=("operator_fuzz $target")
  fi
done
if [[ ${#runs[@]} -eq 0 ]]; then
  echo "operator_fuzz runs on no instruction set"
  exit 1
fi
for fuzzer in api_fuzz npy_fuzz elf_fuzz; do
  runs+=("$fuzzer ${runs[0]#* }")
done

share=$((seconds / ${#runs[@]} + 1))
findings=""
for run in "${runs[@]}"; do
  read -r fuzzer target <<< "$run"
  corpus=build/fuzz/corpus/$fuzzer
  log=build/fuzz/$fuzzer-$target.log
  mkdir -p "$corpus"
  echo "$fuzzer, $target: $share seconds"
  if ! PORTACL_TARGET=$target "build/fuzz/fuzz/$fuzzer" "$corpus" -max_total_time="$share" -print_final_stats=1 \
      -artifact_prefix="$found/" > "$log" 2>&1; then
    tail -n 60 "$log"
    what=$(grep -E 'FINDING:|^  (call|last message):|ERROR:|runtime error:' "$log" | cut -c 1-500 || true)
    input=$(sed -n 's/^Base64: //p' "$log")
    findings+="$fuzzer, $target: $what"$'\n'
    findings+="repeat with: base64 -d <<< '$input' > finding; PORTACL_TARGET=$target build/fuzz/fuzz/$fuzzer finding"$'\n'
  fi
  grep -E '^stat::number_of_executed_units|^Done' "$log" || true
done
if [[ -n $findings ]]; then
  printf '%s' "$findings"
  exit 1
fi
