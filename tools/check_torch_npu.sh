#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_torch_npu.sh [ranks|rest]: torch_npu as pip installs it, on the wheel that check_wheel.sh left, or on a new one: the
# package's tests, and a short training on both devices, whose results must agree. ranks: only the tests that start
# several processes; rest: all others. The virtual environment stays next to the compiler cache for later runs. If pip
# cannot install the packages, the check says so and exits with 77. PORTACL_TORCH_NPU_PYTHON: an interpreter that already
# has torch, torch_npu and numpy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
source tools/torch_npu_venv.sh
source tools/wheel.sh
which=${1:-all}

python=${PORTACL_TORCH_NPU_PYTHON:-}
if [[ -z $python ]]; then
  read -r torch torch_npu <<< "$(list_pairs | tail -n 1)"
  venv=$(venv_of "$torch_npu")
  python=$venv/bin/python
  if ! has_pair "$venv" && ! make_venv "$venv" "$torch" "$torch_npu"; then
    echo "torch_npu is not tested: pip cannot install it ($why)"
    exit 77
  fi
fi
use_wheel

ranks=(python/tests/test_distributed.py python/tests/test_npu_setup.py)
list_tests() {
  [[ $which == rest ]] || printf '%s\n' "${ranks[@]}"
  [[ $which != ranks ]] || return 0
  # These need no PyTorch, and are tests of ctest.
  printf '%s\n' python/tests/test_*.py | grep -vxF -f <(printf '%s\n' "${ranks[@]}" python/tests/test_{run,doctor,bad_setups,versions,stubs}.py python/tests/test_acl*.py)
}

if [[ $which != ranks ]]; then
  say "the names that its libraries bind, and what the documentation shows"
  "$python" tests/contract/toolkit/plugin_names_test.py build/wheel_site/portacl/toolkit/lib64
  PATH=$(dirname "$python"):$PATH "$python" tools/check_docs.py build docs/pytorch.md docs/pytorch.zh-CN.md
fi

say "the package's tests"
# Runs as many at a time as there are cores: most of them wait for processes that import PyTorch.
run_test() {
  local output status=0
  output=$(timeout 600 "$python" "$1" 2>&1) || status=$?
  printf '%s\n%s\n' "$1" "$output"
  return "$status"
}
export -f run_test
export python
list_tests | xargs -P "$(nproc)" -n 1 bash -c 'run_test "$@"' -

say "a short training, on the CPU and on the NPU"
timeout 600 "$python" -m portacl examples/ctc_digits/train.py --device both --steps 40
