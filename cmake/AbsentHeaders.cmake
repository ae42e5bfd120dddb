# SPDX-License-Identifier: Apache-2.0
# Programs include headers of operators that they never call. client_headers.txt lists those that ggml-cann, Jittor and
# AsNumpy include, sorted. Where no room has such a header, an empty one is written: these programs then build, and one
# that calls the operator still fails to compile. Some headers have two names, of which one includes the other.
file(STRINGS cmake/client_headers.txt client_headers REGEX "^aclnn_")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/client_headers.txt)

get_property(room_headers GLOBAL PROPERTY PORTACL_ROOM_HEADERS)
set(present "")
foreach(header IN LISTS room_headers)
  cmake_path(GET header FILENAME name)
  list(APPEND present "${name}")
endforeach()
list(REMOVE_ITEM client_headers ${present})

set(aclnn_isneginf.h aclnn_is_neg_inf.h)
set(aclnn_isposinf.h aclnn_is_pos_inf.h)

set(PORTACL_ABSENT_HEADERS "")
foreach(name IN LISTS client_headers)
  string(TOUPPER "ACLNNOP_${name}_" guard)
  string(REPLACE "." "_" guard "${guard}")
  set(header "${CMAKE_BINARY_DIR}/absent/aclnnop/${name}")
  if(DEFINED ${name})
    file(CONFIGURE OUTPUT "${header}" CONTENT "// SPDX-License-Identifier: Apache-2.0
// Another name of a header.
#include \"aclnnop/${${name}}\"
")
    list(APPEND PORTACL_ABSENT_HEADERS "${header}")
    continue()
  endif()
  file(CONFIGURE OUTPUT "${header}" CONTENT "// SPDX-License-Identifier: Apache-2.0
// Declares nothing: its operators are not part of this version. For programs that include it and do not call them.
#ifndef ${guard}
#define ${guard}

#include \"aclnn/acl_meta.h\"
#include \"aclnn/aclnn_base.h\"
#include \"aclnnop/aclnn_util.h\"

#endif  // ${guard}
")
  list(APPEND PORTACL_ABSENT_HEADERS "${header}")
endforeach()
