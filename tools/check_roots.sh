#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_roots.sh [FOLDER]: installs the wheels of dist/ in bare systems and uses them there: Debian 11, 12 and 13 for x86-64, Debian 11 for 64-bit Arm.
# FOLDER (build/roots) keeps the systems for later runs. Not part of continuous integration: it needs root, debootstrap, qemu-user, a network, and the
# wheels of tools/build_wheels.sh. Training runs on Debian 12, which has the Python 3.11 of tools/check_torch_npu.sh, once that has installed PyTorch.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
roots=$(realpath -m "${1:-build/roots}")
torch=${XDG_CACHE_HOME:-$HOME/.cache}/portacl/torch_npu-2.13.0/lib/python3.11/site-packages

[[ $EUID -eq 0 ]] || { echo "this needs root" >&2; exit 1; }
need_packages debootstrap qemu-user
mkdir -p "$roots"

# inside <root> <command...>: runs it in a system that sees the processes, the devices, the source tree and PyTorch, in mounts of its own.
inside() {
  mkdir -p "$1/src" "$1/torch"
  unshare --mount bash -euc '
    root=$1 source=$2 torch=$3
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$source" "$root/src"
    if [[ -d $torch ]]; then mount --bind "$torch" "$root/torch"; fi
    exec chroot "$root" "${@:4}"' - "$1" "$PWD" "$torch" "${@:2}"
}

# use_wheel <root>: from pip to a first result, and the command.
use_wheel() {
  cp dist/portacl-*_x86_64.whl "$1/tmp"
  cat > "$1/tmp/first.py" << 'END'
import numpy as np, portacl
x, dy = np.float32([0.1, 0.2, 0.3, 0.4]), np.float32([1, 2, 3, 4])
print(portacl.run("aclnnLogitGrad", x=x, dy=dy, eps=-1.0).round(3))
END
  inside "$1" bash -euc '
    cd /tmp
    python3 --version
    rm -rf venv
    python3 -m venv --system-site-packages venv
    TIMEFORMAT="%R s from pip to the first result"
    time { venv/bin/pip install --quiet --no-deps portacl-*.whl && venv/bin/python first.py | tee first.txt; }
    grep -qx "\[11.111 12.5   14.286 16.667\]" first.txt
    venv/bin/portacl run Softmax self=random:64,100 dim=-1 --verify
    if venv/bin/python -c "import numpy; numpy.ndarray.__dlpack__" 2> /dev/null; then
      venv/bin/python /src/python/tests/test_run.py
    else
      echo "the tests of the package need a newer NumPy than $(venv/bin/python -c "import numpy; print(numpy.__version__)")"
    fi'
}

train() {
  inside "$1" env PYTHONPATH=/torch PYTHONDONTWRITEBYTECODE=1 /tmp/venv/bin/python /src/examples/ctc_digits/train.py --device both --steps 40
}

for suite in bullseye bookworm trixie; do
  root=$roots/$suite
  if [[ ! -e $root/usr/bin/pip3 ]]; then
    say "installing $suite"
    debootstrap --variant=minbase --include=python3,python3-numpy,python3-pip,python3-venv "$suite" "$root" > "$roots/$suite.log"
  fi
  check "the wheel on $suite" use_wheel "$root"
done
if [[ -d $torch ]]; then
  check "training on bookworm" train "$roots/bookworm"
else
  skip "training on bookworm" "there is no $torch"
fi

# Only unpacked: an emulator of programs finds the libraries there.
root=$roots/bullseye-arm64
if [[ ! -e $root/lib/ld-linux-aarch64.so.1 ]]; then
  say "unpacking bullseye for 64-bit Arm"
  debootstrap --foreign --arch=arm64 --variant=minbase bullseye "$root" > "$roots/bullseye-arm64.log"
fi
use_arm_wheel() {
  rm -rf "$root/wheel"
  python3 -m zipfile -e dist/portacl-*_aarch64.whl "$root/wheel"
  chmod +x "$root/wheel/portacl/toolkit/bin/portacl"
  qemu-aarch64 -L "$root" "$root/wheel/portacl/toolkit/bin/portacl" run Softmax self=random:8,10 dim=-1 --verify
}
check "the wheel on bullseye for 64-bit Arm" use_arm_wheel
summary
