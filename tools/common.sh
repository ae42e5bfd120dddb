# SPDX-License-Identifier: Apache-2.0
# Shared functions of ./demo, ./test and .ci/run: packages, the choice of cmake, and counts of test results. To be
# sourced in bash.

runtime_packages=(g++ cmake ninja-build libhwy-dev libfmt-dev libeigen3-dev nlohmann-json3-dev libcli11-dev
                  libgloo-dev libbackward-cpp-dev libdw-dev)
demo_packages=(python3-numpy)
test_packages=(libgtest-dev python3 python3-numpy binutils pkg-config dpkg-dev)
ci_packages=(ccache mold clang-19 clang-format-19 libclang-rt-19-dev g++-aarch64-linux-gnu qemu-user python3-venv)
arm64_packages=(libhwy-dev:arm64 libgtest-dev:arm64)

passed=0
before=0       # number of these that passed in an earlier run with the same inputs (run_once.py)
failed=0
skipped=0
failures=()    # failed checks and the end of their output, for the last lines of the run
left_out=()    # skipped checks, and the reasons
time_limit=0   # seconds after which no further part of the run begins; 0: none

part=""
part_began=0
part_used=0

# Seconds of processor time that the programs of this run have used so far.
used_seconds() { awk -v tick="$(getconf CLK_TCK)" '{print int(($16 + $17) / tick)}' "/proc/$$/stat"; }

# Ends a part of the run, prints its time, and begins the next.
say() {
  local used
  used=$(used_seconds)
  if [[ -n $part ]]; then
    printf '\n%6d s, of processors %6d s: %s\n' $((SECONDS - part_began)) $((used - part_used)) "$part"
  fi
  part=$*
  part_began=$SECONDS
  part_used=$used
  if [[ -n $part ]]; then printf '\n== %s\n' "$part"; fi
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    echo "this needs root, and there is no sudo: $*" >&2
    return 1
  fi
}

is_installed() {
  local name=${1%%:*} architecture
  architecture=$(dpkg --print-architecture)
  [[ $1 == *:* ]] && architecture=${1#*:}
  dpkg-query -W -f '${Status} ${Architecture}\n' "$name" 2> /dev/null |
    grep -qE "^install ok installed ($architecture|all)$"
}

# Whether the system's packages are new enough to build with: those of Debian 12 and 13, and of Ubuntu from 24.04 on, have the same names.
can_build() (
  source /etc/os-release
  case $ID in
    debian) [[ ${VERSION_ID:-99} -ge 12 ]] ;;    # testing has no number
    ubuntu) [[ ${VERSION_ID%%.*} -ge 24 ]] ;;
  esac
)

# Installs the named Debian packages that are missing; if none is missing, it needs neither root nor network.
need_packages() {
  if ! command -v dpkg-query > /dev/null; then
    echo "Not Debian or Ubuntu: if the build fails, install GCC 12 or newer, CMake 3.25, Ninja, Highway, fmt, Eigen, nlohmann-json and CLI11."
    return
  fi
  if ! can_build; then
    echo "This system's packages are too old to build with: use Debian 12, Ubuntu 24.04 or newer, or install the wheel, which needs no build." >&2
    return 1
  fi
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "all packages present"
    return
  fi
  say "installing ${missing[*]}"
  if [[ " ${missing[*]} " == *:arm64* ]] && ! dpkg --print-foreign-architectures | grep -qx arm64; then
    as_root dpkg --add-architecture arm64
  fi
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# Uses the first cmake in PATH if it starts and is new enough, otherwise the system's.
choose_cmake() {
  local version
  version=$(cmake --version 2> /dev/null | sed -n 's/^cmake version //p')
  if [[ -z $version || $(printf '3.25\n%s\n' "$version" | sort -V | head -n 1) != 3.25 ]]; then
    PATH=/usr/bin:$PATH
  fi
  ninja --version > /dev/null 2>&1 || PATH=/usr/bin:$PATH
  echo "cmake: $(command -v cmake), $(cmake --version | head -n 1)"
}

# Files that were compiled before, in this or another folder, are not compiled again.
use_ccache() {
  command -v ccache > /dev/null || return 0
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros
  ccache --show-stats | head -n 2
}

# Tests that have passed are not run again while all their inputs are the same (tools/run_once.py). PORTACL_TEST_CACHE:
# the folder for their results; if it is set but empty, every test runs.
use_test_cache() {
  export PORTACL_TEST_CACHE=${PORTACL_TEST_CACHE-${XDG_CACHE_HOME:-$HOME/.cache}/portacl/tests}
  [[ -n $PORTACL_TEST_CACHE ]] || return 0
  mkdir -p "$PORTACL_TEST_CACHE"
  find "$PORTACL_TEST_CACHE" -type f -mtime +30 -delete
}

# Uses the first python3 in PATH if it has NumPy, otherwise Debian's.
choose_python() {
  python3 -c 'import numpy' 2> /dev/null || PATH=/usr/bin:$PATH
  echo "python3: $(command -v python3), $(python3 --version)"
}

# fail <what> [the end of its output]
fail() {
  echo "FAILED: $1"
  failed=$((failed + 1))
  failures+=("FAILED: $1" "${@:2}")
}

# skip <what> <why>
skip() {
  echo "skipped: $1: $2"
  skipped=$((skipped + 1))
  left_out+=("skipped: $1: $2")
}

# begin <part>: begins a part of the run, unless the time limit has passed.
begin() {
  say "$1"
  ((time_limit == 0 || SECONDS < time_limit)) && return 0
  skip "$1" "left out, as $time_limit s have passed"
  return 1
}

# build <preset> [cmake option...]: a build that fails counts as one failure.
build() {
  local preset=$1
  shift
  begin "building '$preset'" || return 1
  if ! { cmake --preset "$preset" "$@" > /dev/null && cmake --build --preset "$preset" --parallel "$(nproc)"; }; then
    fail "building '$preset'"
    return 1
  fi
}

# A count from the results file of ctest: tests, failures, disabled or skipped.
count_of() { sed -nE '/<testsuite /,/>/ s/.*\<'"$2"'="([0-9]+)".*/\1/p' "$1"; }

# The failed tests in the results file of ctest, each with the end of its output.
failures_of() {
  python3 - "$1" << 'END'
import sys
from xml.etree import ElementTree

for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    if test.find("failure") is not None:
        print(f"{test.get('name')}:", *test.findtext("system-out", "").splitlines()[-25:], sep="\n  ")
END
}

# The skipped tests in such a file, one on each line.
skipped_of() {
  python3 - "$1" << 'END'
import sys
from xml.etree import ElementTree

for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    if test.find("skipped") is not None or test.get("status") in ("disabled", "notrun"):
        print(test.get("name"), *test.findtext("system-out", "").splitlines()[-1:], sep=": ")
END
}

# run_tests <preset> <name of this run> [ctest option...]: runs the tests and adds the results to `passed`, `failed` and `skipped`.
run_tests() {
  local preset=$1 run=$2 results broken idle
  shift 2
  results=$PWD/build/$preset/results-$run.xml
  rm -f "$results"
  begin "testing '$preset' ($run)" || return 0
  # One more than the number of cores, because many tests wait.
  ctest --preset "$preset" --parallel $(($(nproc) + 1)) --output-junit "$results" "$@" || true
  if [[ ! -s $results ]]; then
    fail "testing '$preset' ($run): ctest left no results"
    return
  fi
  broken=$(count_of "$results" failures)
  if [[ $broken -gt 0 ]]; then
    failed=$((failed + broken))
    failures+=("FAILED in '$preset' ($run):" "$(failures_of "$results")")
  fi
  idle=$(($(count_of "$results" disabled) + $(count_of "$results" skipped)))
  if [[ $idle -gt 0 ]]; then
    skipped=$((skipped + idle))
    left_out+=("skipped in '$preset' ($run):" "$(skipped_of "$results")")
  fi
  before=$((before + $(grep -c 'passed before: program, data' "$results" || true)))
  passed=$((passed + $(count_of "$results" tests) - broken - idle))
}

# check <name> <command...>: a check that is not a ctest entry; counts as one test. Exit status 77: it could not be run,
# and its last line gives the reason.
check() {
  local name=$1 log="build/check.log" status=0
  shift
  begin "$name" || return 0
  mkdir -p build
  "$@" 2>&1 | tee "$log" || status=$?
  case $status in
    0) passed=$((passed + 1)) ;;
    77) skip "$name" "$(tail -n 1 "$log")" ;;
    *) fail "$name" "$(tail -n 25 "$log")" ;;
  esac
}

# Prints failed and skipped checks; the last line of a run, and its exit status.
summary() {
  say ""
  printf '\n'
  if [[ $skipped -gt 0 ]]; then printf '%s\n' "${left_out[@]}" ""; fi
  if [[ $failed -gt 0 ]]; then printf '%s\n' "${failures[@]}" ""; fi
  if [[ $before -gt 0 ]]; then printf '%d of the tests had passed before and did not run again\n' "$before"; fi
  printf '%d s in all, of processors %d s\n' "$SECONDS" "$(used_seconds)"
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [[ $failed -eq 0 && $passed -gt 0 ]]
}
