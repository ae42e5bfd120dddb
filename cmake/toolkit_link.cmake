# SPDX-License-Identifier: Apache-2.0
# Run after a build: `link` leads to `toolkit`, the tree that was built. One that this machine's instruction set alone was built for does not take the
# place of one with all.
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
