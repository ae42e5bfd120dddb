#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_fuzzers.sh <seconds>: runs each fuzzer of the `fuzz` preset for its share of the time. What one finds stays in
# build/fuzz/found/, with the command that repeats it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1

fuzzers=(build/fuzz/fuzz/*)
if [[ ! -x ${fuzzers[0]} ]]; then
  echo "there is no fuzzer in build/fuzz/fuzz"
  exit 1
fi
share=$((seconds / ${#fuzzers[@]} + 1))
mkdir -p build/fuzz/found
bad=0
for fuzzer in "${fuzzers[@]}"; do
  name=$(basename "$fuzzer")
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  echo "$name: $share seconds"
  if ! "$fuzzer" "$corpus" -max_total_time="$share" -print_final_stats=1 -artifact_prefix=build/fuzz/found/ \
      > "build/fuzz/$name.log" 2>&1; then
    bad=1
    tail -n 60 "build/fuzz/$name.log"
    echo "repeat with: $fuzzer <the file in build/fuzz/found/>"
  fi
  grep -E '^stat::number_of_executed_units|^Done' "build/fuzz/$name.log" || true
done
exit "$bad"
