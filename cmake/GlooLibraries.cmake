# SPDX-License-Identifier: Apache-2.0
# For wheels, which cannot require packages of the system: copies the libraries that libportacl_gloo.so needs next to it, with their licences.
#
#   portacl_bundle_gloo(<path of libportacl_gloo.so>)
function(portacl_bundle_gloo plugin)
  install(CODE "set(plugin \"${plugin}\")")
  install(CODE [[
    set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib64/portacl")
    file(GET_RUNTIME_DEPENDENCIES MODULES "${plugin}" RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing
      PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so" "^ld-linux")
    if(needed)    # otherwise Gloo is compiled in
      file(MAKE_DIRECTORY "${folder}")
    endif()
    foreach(library IN LISTS needed)
      cmake_path(GET library FILENAME name)
      file(REAL_PATH "${library}" file)
      file(COPY_FILE "${file}" "${folder}/${name}")
    endforeach()
    foreach(package libgloo0 libhiredis0.14 libibverbs1 libnl-3-200 libnl-route-3-200)
      if(needed AND EXISTS "/usr/share/doc/${package}/copyright")
        file(MAKE_DIRECTORY "${folder}/copyright")
        file(COPY_FILE "/usr/share/doc/${package}/copyright" "${folder}/copyright/${package}")
      endif()
    endforeach()
  ]])
endfunction()
