#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_fuzzers.sh <seconds> [--keep] [OPERATOR...]
#   runs the fuzzers of the `fuzz` preset: each operator for some seconds, beginning with the one that was fuzzed least often, on
#   each instruction set of this machine in turn, one process on each core, until this many seconds of processor time are used.
#   OPERATOR...  only these, and no other fuzzers
#   --keep       then stores the few inputs with the largest coverage in tests/fuzz/corpus.txt: a line for each operator, its inputs
#                in base64
#
# An input of an operator is one call; build/fuzz/tried counts them.
# Inputs that a fuzzer has found stay in build/fuzz/found/; the last lines of the output describe them and how to repeat
# them, also when only these lines are kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1
keep=false
shift
if [[ ${1:-} == --keep ]]; then keep=true; shift; fi
kept_inputs=3    # for each operator
kept_file=tests/fuzz/corpus.txt

binaries=build/fuzz/fuzz
found=build/fuzz/found
history=build/fuzz/history    # one line for each run: its subject
tried=build/fuzz/tried        # and after it: subject, instruction set, number of inputs
kept=build/fuzz/kept          # the inputs kept in the repository, as files
findings=build/fuzz/findings  # the findings of this run
cores=$(nproc)
rm -rf "$kept"
mkdir -p "$found" "$kept"
touch "$history" "$tried"
: > "$findings"

targets=()
for target in AVX3 AVX2 SSE4; do
  # The library falls back to its own choice for a name that this machine lacks.
  if PORTACL_TARGET=$target "$binaries/operator_fuzz" -runs=0 2>&1 | grep -x "PORTACL_TARGET=$target" > /dev/null; then
    targets+=("$target")
  fi
done
if [[ ${#targets[@]} -eq 0 ]]; then
  echo "operator_fuzz runs on no instruction set"
  exit 1
fi

# The operators, and the fuzzers for other inputs.
subjects=("$@")
[[ $# -gt 0 ]] || mapfile -t subjects < <(build/fuzz/bin/portacl ops --json | python3 -c '
import json, sys
print(*[operator["operator"] for operator in json.load(sys.stdin)], "api_fuzz", "hccl_fuzz", "npy_fuzz", "elf_fuzz", sep="\n")')

slice=$((seconds / ${#subjects[@]}))  # seconds for one run of an operator
slice=$((slice < 1 ? 1 : slice > 5 ? 5 : slice))

while read -r subject inputs; do
  mkdir -p "$kept/$subject"
  for input in $inputs; do base64 -d <<< "$input" > "$kept/$subject/${input//\//-}"; done
done < <(cat "$kept_file" 2> /dev/null)

count_kept() { find "$kept/$1" -type f 2> /dev/null | wc -l; }

for subject in "${subjects[@]}"; do echo "$subject $(count_kept "$subject")"; done > build/fuzz/subjects

# The subjects that were fuzzed least often in this folder, then those with the fewest kept inputs, then any.
least_fuzzed() {
  awk -v history="$history" 'BEGIN { while ((getline subject < history) > 0) ++runs[subject] } { print runs[$1] + 0, $2, $1 }' \
    build/fuzz/subjects | shuf | sort -s -n -k 1,1 -k 2,2 | sed -n '1s/.* //p'
}

# fuzz <subject> <target>
fuzz() {
  local subject=$1 target=$2 fuzzer=$1 what input result=""
  [[ $subject == aclnn* ]] && fuzzer=operator_fuzz
  local corpus=build/fuzz/corpus/$subject log=build/fuzz/$subject-$target.log
  local folders=("$corpus")
  mkdir -p "$corpus"
  [[ -d $kept/$subject ]] && folders+=("$kept/$subject")
  local settings=("PORTACL_TARGET=$target")
  [[ $fuzzer == operator_fuzz ]] && settings+=("PORTACL_FUZZ_OPERATOR=$subject")
  if ! env "${settings[@]}" "$binaries/$fuzzer" "${folders[@]}" -max_total_time="$slice" -timeout=60 -print_final_stats=1 \
      -artifact_prefix="$found/" > "$log" 2>&1; then
    result=$(tail -n 60 "$log")$'\n'
    what=$(grep -E 'FINDING:|^  (call|last message):|ERROR:|runtime error:' "$log" | cut -c 1-500 || true)
    input=$(sed -n 's/^Base64: //p' "$log")
    printf '%s\n' "$subject, $target: $what" \
      "repeat with: base64 -d <<< '$input' > finding; ${settings[*]} $binaries/$fuzzer finding" >> "$findings"
  fi
  local inputs
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$subject $target $inputs" >> "$tried"
  printf '%s\n' "$result$subject, $target: $inputs inputs"
}

runs=0
while ((SECONDS < seconds / cores)); do
  if ((runs >= cores)); then wait -n; fi
  subject=$(least_fuzzed)
  echo "$subject" >> "$history"
  fuzz "$subject" "${targets[runs % ${#targets[@]}]}" &
  runs=$((runs + 1))
done
wait
echo "$runs runs of $slice seconds; fewest for a subject: $(for subject in "${subjects[@]}"; do grep -cx "$subject" "$history" || true; done | sort -n | head -n 1)"
awk 'FNR == NR { inputs[$1] = 0; next } $1 in inputs { inputs[$1] += $3; all += $3 }
  END { for (subject in inputs) if (fewest == "" || inputs[subject] < inputs[fewest]) fewest = subject
        printf "%d inputs in this folder; fewest: %d of %s\n", all, inputs[fewest], fewest }' build/fuzz/subjects "$tried"

if $keep; then
  rm -f build/fuzz/corpus.txt
  # Lines of subjects that this run left out stay.
  [[ $# -eq 0 ]] || awk 'FNR == NR { named[$1]; next } !($1 in named)' build/fuzz/subjects "$kept_file" > build/fuzz/corpus.txt
  for subject in "${subjects[@]}"; do
    fuzzer=$subject
    [[ $subject == aclnn* ]] && fuzzer=operator_fuzz
    rm -rf build/fuzz/merged
    mkdir -p build/fuzz/merged "$kept/$subject" "build/fuzz/corpus/$subject"
    PORTACL_FUZZ_OPERATOR=$subject "$binaries/$fuzzer" -set_cover_merge=1 -max_len=256 build/fuzz/merged "build/fuzz/corpus/$subject" \
      "$kept/$subject" > "build/fuzz/$subject-merge.log" 2>&1
    # The inputs are written in the order in which they were chosen: each adds the most coverage to those before it.
    mapfile -t inputs < <(find build/fuzz/merged -type f -size +0 -printf '%T@ %p\n' | sort -n | head -n "$kept_inputs" | cut -d ' ' -f 2)
    [[ ${#inputs[@]} -eq 0 ]] || echo "$subject" $(for input in "${inputs[@]}"; do base64 -w 0 "$input"; echo; done)
  done >> build/fuzz/corpus.txt
  mv build/fuzz/corpus.txt "$kept_file"
fi
if [[ -s $findings ]]; then
  cat "$findings"
  exit 1
fi
