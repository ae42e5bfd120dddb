#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_package.sh: makes the Debian package from build/release, installs it, uses it, removes it, and checks that no
# files remain. For continuous integration: it needs root, and a machine without the package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
choose_cmake

if is_installed portacl; then
  echo "portacl is installed already; a check would remove it" >&2
  exit 1
fi
scratch=$PWD/build/package
rm -rf "$scratch"
cpack --config build/release/CPackConfig.cmake -B "$scratch"
packages=("$scratch"/*.deb)

files() { find /usr /etc /opt -xdev -path "$PWD" -prune -o -name '*.pyc' -prune -o -print | sort; }
files > "$scratch/before"
as_root dpkg -i "${packages[0]}"
trap 'as_root dpkg --purge portacl' EXIT
bash tests/package/use_package.sh "" "$scratch/use" "$PWD" cmake
trap - EXIT
as_root dpkg --purge portacl
files > "$scratch/after"
diff "$scratch/before" "$scratch/after"
echo "nothing is left behind"
