#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_roots.sh [FOLDER]: installs the wheels of dist/ in bare systems and uses them there. For x86-64: Debian 11, 12 and 13, and Ubuntu 18.04, whose
# glibc 2.27 is older than what the wheel asks for. For 64-bit Arm, emulated by qemu-user: Debian 11, and Debian 12 with PyTorch. On Debian 12 it also
# runs the commands of Dockerfile and docs/ci.md. FOLDER (build/roots) keeps the systems for later runs. Not part of continuous integration: it needs
# root, Linux 6.7 or newer for the emulation, a network, and the wheels of tools/build_wheels.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
roots=$(realpath -m "${1:-build/roots}")
least_operators=100    # of those that operator_calls finds

[[ $EUID -eq 0 ]] || { echo "this needs root" >&2; exit 1; }
need_packages debootstrap qemu-user-static
mkdir -p "$roots"

# inside <root> <command...>: runs it in a system that sees the processes, the devices, the network and the source tree, in mounts of its own. In a
# user namespace, programs for another processor start an emulator without a change to this machine's settings.
inside() {
  mkdir -p "$1/src" "$1/wheels"
  unshare --user --map-root-user --mount bash -euc '
    root=$1 source=$2
    if [[ $root == *-arm64 ]]; then
      mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
      magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
      mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
      printf %s ":aarch64:M::$magic:$mask:/usr/bin/qemu-aarch64-static:F" > /proc/sys/fs/binfmt_misc/register
    fi
    mount --rbind /proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount --bind "$source" "$root/src"
    for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
      if [[ -e $file && -d $root${file%/*} ]]; then
        touch "$root$file"
        mount --bind "$file" "$root$file"
      fi
    done
    if [[ -d ${PIP_FIND_LINKS:-} ]]; then
      mount --bind "$PIP_FIND_LINKS" "$root/wheels"
      export PIP_FIND_LINKS=/wheels
    fi
    exec chroot "$root" "${@:3}"' - "$1" "$PWD" "${@:2}"
}

# unpack <suite> <architecture> <mirror> <packages>: a system whose packages are only unpacked, as their scripts would need all users.
unpack() {
  local root=$roots/$1
  [[ $2 == amd64 ]] || root+=-$2
  [[ -e $root/unpacked ]] && return
  say "unpacking $1 for $2"
  rm -rf "$root"
  debootstrap --foreign --arch="$2" --variant=minbase ${4:+"--include=$4"} "$1" "$root" "$3" > "$root.log"
  [[ -L $root/proc ]] && rm "$root/proc"
  mkdir -p "$root/proc"
  for package in "$root"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$root" --keep-directory-symlink
  done
  cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"    # PyTorch asks for the name of the user
  touch "$root/unpacked"
}

# operator_calls <file>: writes a call of each operator that takes random tensors of one shape and simple attributes, and holds on this machine.
operator_calls() {
  python3 - "$roots/host/portacl/toolkit/bin/portacl" > "$1" << 'END'
import json, subprocess, sys

tool = sys.argv[1]
values = {"tensor": "random:6,6", "scalar": "0.5", "double": "0.5", "float": "0.5", "int64": "0", "int32": "0", "int8": "0", "bool": "false"}
for operator in json.loads(subprocess.check_output([tool, "ops", "--json"])):
    given = [each for each in operator["arguments"] if each["role"] != "out" and not each["optional"]]
    call = ["run", operator["operator"], "--verify", "--repeat", "1", *(f"{each['name']}={values.get(each['kind'], '')}" for each in given)]
    if subprocess.run([tool, *call], capture_output=True).returncode == 0:
        print(*call)
END
  echo "$(wc -l < "$1") calls of operators"
  [[ $(wc -l < "$1") -ge $least_operators ]]
}

# unpack_wheel <machine> <folder>: for systems whose Python is too old or missing.
unpack_wheel() {
  rm -rf "$2"
  python3 -m zipfile -e dist/portacl-*"_$1.whl" "$2"
  chmod +x "$2/portacl/toolkit/bin/portacl"
}

# verify <root> <program> [count]: the calls of operators, or the first ones, against their references; every symbol is looked up at the start.
verify() {
  head -n "${3:-1000}" "$roots/calls" > "$1/tmp/calls"
  inside "$1" env LD_BIND_NOW=1 bash -euc '
    cd /tmp
    while read -r call; do
      "$1" $call > out 2>&1 || { echo "$call"; cat out; exit 1; }
    done < calls
    echo "$(wc -l < calls) operators hold on $("$1" info | grep "^instruction set" || uname -m)"' - "$2"
}

# use_wheel <root> <machine> <option of pip...>: from pip to a first result, and the command.
use_wheel() {
  cp dist/portacl-*"_$2.whl" "$1/tmp"
  sed -n '/^import numpy as np, portacl$/,/^print/p' README.md > "$1/tmp/first.py"
  inside "$1" bash -euc '
    cd /tmp
    python3 --version
    rm -rf venv
    python3 -m venv --system-site-packages --without-pip venv
    TIMEFORMAT="%R s from pip to the first result"
    time { venv/bin/python -m pip install --quiet "$@" portacl-*.whl && venv/bin/python first.py | tee first.txt; }
    grep -qx "\[11.111 12.5   14.286 16.667\]" first.txt
    venv/bin/portacl run Softmax self=random:64,100 dim=-1 --verify
    if ! venv/bin/python -c "import numpy; numpy.ndarray.__dlpack__" 2> /dev/null; then
      echo "skipped: the tests of the package, which need a newer NumPy than $(venv/bin/python -c "import numpy; print(numpy.__version__)")"
    elif [[ $(uname -m) == x86_64 ]]; then
      venv/bin/python /src/python/tests/test_run.py
    fi' - "${@:3}"
}

# The commands of the Dockerfile, with the wheels at the place that it copies them to; a virtual environment is the image's Python.
run_dockerfile() {
  local root=$1
  mkdir -p "$root/tmp/wheels"
  cp dist/*.whl "$root/tmp/wheels"
  {
    echo 'rm -rf /tmp/image && python3 -m venv /tmp/image && export PATH=/tmp/image/bin:$PATH'
    sed -n 's/^RUN //p' Dockerfile
    sed -nE 's/^ENTRYPOINT \["([a-z]+)"\]$/\1 run Softmax self=random:4,5 dim=-1 --verify/p' Dockerfile
  } | tee "$root/tmp/dockerfile.sh"
  inside "$root" bash -eu /tmp/dockerfile.sh
}

# The steps of the workflow in docs/ci.md, in a repository that has the wheel and a test; then its program in C++, with the wheel's toolkit. PyTorch's
# index is not asked where PIP_FIND_LINKS has its build for the CPU.
run_ci_page() {
  local root=$1 index=none
  if compgen -G "${PIP_FIND_LINKS:-}/torch-*+cpu-*.whl" > /dev/null; then index=' --index-url [^ ]*'; fi
  rm -rf "$root/tmp/repository"
  mkdir -p "$root/tmp/repository/wheels" "$root/tmp/repository/examples"
  cp dist/*.whl "$root/tmp/repository/wheels"
  cp examples/*.cpp "$root/tmp/repository/examples"    # without the tests of the other examples, which need data/
  cat > "$root/tmp/repository/test_npu.py" << 'END'
import torch


def test_sum():
    x = torch.tensor([1.0, 2.0], device="npu")
    assert (x + x).tolist() == [2, 4]
END
  {
    echo 'cd /tmp/repository && python3 -m venv ../job && export PATH=/tmp/job/bin:$PATH'
    sed -n 's/^ *- run: //p' docs/ci.md | sed "s,$index,,"
    sed -n '/^toolkit=/,/^```$/p' docs/ci.md | grep -v '```' | sed 's/PYTHONPATH=python //'
  } | tee "$root/tmp/ci.sh"
  inside "$root" bash -eu /tmp/ci.sh
}

# x + x on "npu" of 64-bit Arm, with the newest build of PyTorch for its CPUs in the package index. pip installs it outside of the system, which is
# faster than under the emulator.
run_arm_pair() {
  local root=$1 options=(--quiet --only-binary :all: --python-version 3.11 --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64
                         --platform manylinux2014_aarch64 --target "$1/pair")
  if [[ ! -d $root/pair ]]; then
    python3 -m pip install "${options[@]}" --no-deps torch==2.10.0 torch-npu==2.10.0.post4
    python3 -m pip install "${options[@]}" --upgrade numpy pyyaml packaging filelock typing-extensions sympy networkx jinja2 fsspec
  fi
  PYTHONPATH=/pair use_wheel "$root" aarch64 --no-deps
  inside "$root" env PYTHONPATH=/pair PYTHONDONTWRITEBYTECODE=1 /tmp/venv/bin/python -c '
import platform, torch
x = torch.tensor([1.0, 2.0], device="npu", requires_grad=True)
y = x + x
y.sum().backward()
print(platform.machine(), torch.__version__, y, x.grad)
assert y.tolist() == [2, 4] and x.grad.tolist() == [2, 2]
assert not list((__import__("pathlib").Path.home() / ".cache/portacl").glob("fallback-*.so")), "an operator was compiled"'
}

debian=http://deb.debian.org/debian
ubuntu=http://archive.ubuntu.com/ubuntu
unpack_wheel x86_64 "$roots/host"
check "calls of operators" operator_calls "$roots/calls"

for suite in bullseye bookworm trixie; do
  root=$roots/$suite
  if [[ ! -e $root/usr/bin/pip3 ]]; then
    say "installing $suite"
    debootstrap --variant=minbase --include=python3,python3-numpy,python3-pip,python3-venv,g++ "$suite" "$root" "$debian" > "$roots/$suite.log"
  fi
  check "the wheel on $suite" use_wheel "$root" x86_64 --no-deps
  check "the operators on $suite" verify "$root" /tmp/venv/bin/portacl
done
check "the commands of Dockerfile" run_dockerfile "$roots/bookworm"
check "the commands of docs/ci.md" run_ci_page "$roots/bookworm"
check "training on bookworm" inside "$roots/bookworm" /tmp/job/bin/python /src/examples/ctc_digits/train.py --device both --steps 40

unpack bionic amd64 "$ubuntu" ""
unpack_wheel x86_64 "$roots/bionic/wheel"
check "the operators on Ubuntu 18.04" verify "$roots/bionic" /wheel/portacl/toolkit/bin/portacl

unpack bullseye arm64 "$debian" python3,python3-pip,python3-venv
unpack bookworm arm64 "$debian" python3,python3-pip,python3-venv,libgomp1
check "the wheel on bullseye for 64-bit Arm" use_wheel "$roots/bullseye-arm64" aarch64
check "the operators on bullseye for 64-bit Arm" verify "$roots/bullseye-arm64" /tmp/venv/bin/portacl 100
check "PyTorch on bookworm for 64-bit Arm" run_arm_pair "$roots/bookworm-arm64"
summary
