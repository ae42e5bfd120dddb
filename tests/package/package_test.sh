#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# package_test.sh <build folder> <scratch folder> <source folder> <cmake> <cpack>: the Debian package is built, contains
# exactly the right files, and works from wherever it is unpacked. This does not need root.
set -euo pipefail
build=$1 scratch=$2 source=$3 cmake=$4 cpack=$5

rm -rf "$scratch"
mkdir -p "$scratch"
(umask 077 && "$cpack" --config "$build/CPackConfig.cmake" -B "$scratch/cpack")
packages=("$scratch"/cpack/*.deb)
[[ ${#packages[@]} -eq 1 ]]
package=${packages[0]}

expect() {
  if [[ "$2" != "$3" ]]; then
    printf '%s:\nwant %s\ngot  %s\n' "$1" "$3" "$2"
    exit 1
  fi
}
field() { dpkg-deb -f "$package" "$1"; }
expect "architecture" "$(field Architecture)" "$(dpkg --print-architecture)"
expect "version" "$(field Version)" "$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/CPackConfig.cmake")"
gloo= dw=
if [[ -f $build/lib64/portacl/libportacl_gloo.so ]]; then gloo="libgloo0 "; fi
if [[ -f $build/lib64/portacl/libportacl_symbols.so ]]; then dw="libdw1 "; fi
expect "packages it depends on" "$(field Depends | tr ',' '\n' | awk '{ print $1 }' | sort | tr '\n' ' ')" \
  "libc6 ${dw}libgcc-s1 ${gloo}libstdc++6 "
expect "files that are not root's" "$(dpkg-deb -c "$package" | awk '$2 != "root/root"')" ""
expect "files that others cannot read or may change" \
  "$(dpkg-deb -c "$package" | grep -vE '^(d|-)rwxr-xr-x |^-rw-r--r-- |^l' || true)" ""
expect "scripts that run at installation" "$(dpkg-deb -I "$package" | grep -E '(preinst|postinst|prerm|postrm)' || true)" ""

root=$scratch/root
dpkg-deb -x "$package" "$root"
expect "files outside of the toolkit" "$(cd "$root" && find . -path ./usr/lib/portacl -prune -o ! -type d -print | sort)" \
"./usr/bin/portacl
./usr/lib/cmake/portacl
./usr/lib/pkgconfig/portacl.pc
./usr/share/bash-completion/completions/portacl
./usr/share/doc/portacl/changelog.gz
./usr/share/doc/portacl/copyright
./usr/share/man/man1/portacl.1.gz"
expect "links that lead nowhere" "$(find "$root" -xtype l)" ""

# The package contains the same tree as every installation.
"$cmake" --install "$build" --prefix "$scratch/installed"
rm -r "$scratch"/installed/share/{man,bash-completion,doc}
tree() { (cd "$1" && find . -printf '%p %y %l\n' | sort); }
diff <(tree "$scratch/installed") <(tree "$root/usr/lib/portacl")

bash "$(dirname "$0")/use_package.sh" "$root" "$scratch/use" "$source" "$cmake"
