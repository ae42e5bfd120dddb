# SPDX-License-Identifier: Apache-2.0
# The package's wheel, as users install it. To be sourced in bash, after common.sh.

wheel_builder=${XDG_CACHE_HOME:-$HOME/.cache}/portacl/wheel_builder    # next to the compiler cache, so that later runs need no network

# make_wheel: empties build/check_wheel and puts a wheel there, made from build/toolkit. If pip cannot install scikit-build-core, the script says so
# and exits with 77.
make_wheel() {
  local folder=$PWD/build/check_wheel python=$wheel_builder/bin/python lock
  rm -rf "$folder"
  mkdir -p "$folder" "${wheel_builder%/*}"
  exec {lock}> "$wheel_builder.lock"    # of other source trees that make a wheel at the same time
  flock "$lock"
  if ! "$python" -c 'import scikit_build_core' 2> /dev/null; then
    rm -rf "$wheel_builder"
    /usr/bin/python3 -m venv "$wheel_builder"
    if ! "$python" -m pip install --quiet 'scikit-build-core>=0.10' 2> "$folder/install.log"; then
      rm -rf "$wheel_builder"
      echo "no wheel is made: pip cannot install scikit-build-core ($(tail -n 1 "$folder/install.log"))"
      exit 77
    fi
  fi
  exec {lock}>&-
  # With CI, scikit-build-core waits longer for a cmake that a busy machine starts.
  CI=1 PORTACL_PREBUILT_TOOLKIT=$PWD/build/toolkit "$python" -m pip wheel --quiet --no-deps --no-build-isolation \
    --config-settings=build-dir="$folder/build" --wheel-dir "$folder" .
}

# use_wheel: installs the wheel of build/check_wheel into build/wheel_site, and names that in PYTHONPATH. Makes it first if there is none, or if a
# file that it packs is newer.
use_wheel() {
  local packed=(python/portacl python/acl python/_portacl_hook.py python/portacl-hook.pth pyproject.toml cmake build/toolkit/)
  local wheel
  wheel=$(find build/check_wheel -maxdepth 1 -name 'portacl-*.whl' 2> /dev/null || true)
  if [[ -z $wheel || ! -x $wheel_builder/bin/python || -n $(find "${packed[@]}" -newer "$wheel" ! -path '*__pycache__*' -print -quit) ]]; then
    choose_cmake
    make_wheel
  fi
  rm -rf build/wheel_site
  "$wheel_builder/bin/python" -m pip install --quiet --no-index --no-deps --target build/wheel_site build/check_wheel/portacl-*.whl
  export PYTHONPATH=$PWD/build/wheel_site PYTHONDONTWRITEBYTECODE=1
  unset PORTACL_TOOLKIT ASCEND_HOME_PATH LD_LIBRARY_PATH
}
