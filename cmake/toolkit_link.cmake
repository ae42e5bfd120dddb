# SPDX-License-Identifier: Apache-2.0
# Run after a build: creates `link` to `toolkit`, the tree that was built. A toolkit that was built only for this
# machine's instruction set does not replace one with all instruction sets.
if(EXISTS "${toolkit}/share/info/this_machine_alone" AND EXISTS "${link}/set_env.sh" AND NOT EXISTS "${link}/share/info/this_machine_alone")
  return()
endif()
if(NOT IS_SYMLINK "${link}")
  file(REMOVE_RECURSE "${link}")
endif()
cmake_path(GET link PARENT_PATH folder)
file(MAKE_DIRECTORY "${folder}")
file(RELATIVE_PATH relative "${folder}" "${toolkit}")
file(CREATE_LINK "${relative}" "${link}" SYMBOLIC)
