#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds oneTBB from Debian's source package with -fsanitize=thread into build/onetbb-tsan, for the tsan preset. The
# packaged library is opaque to ThreadSanitizer: it gives false reports whose suppression would hide real races.
#
# Needs no root: the package lists of the sources live in a folder of ours, derived from the machine's own entries.
# Exit status 3: this machine offers no source package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix=$PWD/build/onetbb-tsan
work=$PWD/build/onetbb-source
version=$(dpkg-query -W -f '${source:Version}\n' libtbb-dev | sort -u | head -n 1)
if [[ -f $prefix/version && $(<"$prefix/version") == "$version" ]]; then
  echo "oneTBB $version with ThreadSanitizer: already in build/onetbb-tsan"
  exit 0
fi

rm -rf "$work" "$prefix"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u |
  while read -r uri release component; do
    echo "deb-src [signed-by=$keys] $uri $release $component"
  done > "$work/sources.list"
private=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
         -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= -qq)
cd "$work"
if ! apt-get "${private[@]}" update || ! apt-get "${private[@]}" source --download-only "onetbb=$version"; then
  echo "no source package onetbb $version can be had on this machine"
  exit 3
fi
dpkg-source --extract ./onetbb_*.dsc source

cmake -S source -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_CXX_FLAGS=-fsanitize=thread -DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=thread \
  -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBB_EXAMPLES=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON -DTBBMALLOC_BUILD=OFF
cmake --build build --target install
echo "$version" > "$prefix/version"
