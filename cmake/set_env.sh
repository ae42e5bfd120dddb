# SPDX-License-Identifier: Apache-2.0
# Source this file, from any folder, to use the toolkit that contains it:  source <toolkit>/set_env.sh
# Works without cd, which may print, and through links to this file.
_portacl_root="$(command dirname -- "$(command readlink -f -- "${BASH_SOURCE[0]:-$0}")")"

# _portacl_prepend <variable> <folder>: prepends the folder once, without an empty element, which would mean the current
# folder.
_portacl_prepend() {
  case ":${!1:-}:" in
    *":$2:"*) ;;
    *) export "$1=$2${!1:+:${!1}}" ;;
  esac
}
_portacl_prepend LD_LIBRARY_PATH "$_portacl_root/lib64"
_portacl_prepend PYTHONPATH "$_portacl_root/python/site-packages"
_portacl_prepend PATH "$_portacl_root/tools/profiler/bin"
_portacl_prepend PATH "$_portacl_root/bin"
_portacl_prepend CMAKE_PREFIX_PATH "$_portacl_root/lib64/cmake"
export ASCEND_HOME_PATH="$_portacl_root"
export ASCEND_TOOLKIT_HOME="$_portacl_root"
export ASCEND_OPP_PATH="$_portacl_root/opp"
export ASCEND_AICPU_PATH="$_portacl_root"
export TOOLCHAIN_HOME="$_portacl_root/toolkit"
unset -f _portacl_prepend
unset _portacl_root
