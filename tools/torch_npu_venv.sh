# SPDX-License-Identifier: Apache-2.0
# Virtual environments with a pair of torch and torch-npu, next to the compiler cache, where later runs find them. To be
# sourced in bash, after common.sh.

# The supported pairs, the newest last; each line: version of torch, version of torch-npu.
list_pairs() {
  PYTHONPATH=python/portacl PYTHONDONTWRITEBYTECODE=1 python3 -c '
import versions
for pair in versions.PAIRS: print(*pair[:2])'
}

# venv_of TORCH_NPU [INTERPRETER]: the folder.
venv_of() {
  local suffix=
  [[ ${2:-python3} == python3 ]] || suffix=-$(basename "$2")
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/portacl/torch_npu-$1$suffix"
}

# Whether the packages are in a virtual environment. Without the toolkit's libraries, `import torch` would try to load
# torch_npu, and fail.
has_pair() {
  TORCH_DEVICE_BACKEND_AUTOLOAD=0 "$1/bin/python" -c 'import torch, numpy, yaml, importlib.util as u; assert u.find_spec("torch_npu")' 2> /dev/null
}

# make_venv VENV TORCH TORCH_NPU [INTERPRETER]: installs the pair there. If pip cannot, `why` is the reason.
make_venv() {
  local venv=$1 torch=$2 torch_npu=$3 log=$1.log
  say "installing torch $torch and torch-npu $torch_npu into $venv"
  rm -rf "$venv"
  mkdir -p "${venv%/*}"
  "${4:-python3}" -m venv "$venv"
  # Up to 2.10, the plug-in demands a build of torch (X+cpu) that the package index does not have.
  if ! { "$venv/bin/python" -m pip install --quiet "torch==$torch" numpy packaging pyyaml 'importlib-metadata; python_version < "3.10"' &&
    "$venv/bin/python" -m pip install --quiet --no-deps "torch-npu==$torch_npu"; } 2> "$log"; then
    why=$(grep -m 1 '^ERROR' "$log" || echo "see $log")
    rm -rf "$venv"
    return 1
  fi
  rm -f "$log"
}
