// SPDX-License-Identifier: Apache-2.0
// Text whose copies share it, for C++. Its members are in libgraph.
#ifndef PORTACL_INCLUDE_ACLNN_OPDEV_ASCEND_STRING_H_
#define PORTACL_INCLUDE_ACLNN_OPDEV_ASCEND_STRING_H_

#ifdef __cplusplus

#include <memory>
#include <string>

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  /// Copies `name`; NULL is no text.
  AscendString(const char* name);  // NOLINT(google-explicit-constructor): as declared by clients
  /// The text; "" without one. Valid as long as some copy of the object.
  const char* GetString() const;
  bool operator<(const AscendString& other) const;

 private:
  std::shared_ptr<std::string> name_;
};

}  // namespace ge

#endif  // __cplusplus

#endif  // PORTACL_INCLUDE_ACLNN_OPDEV_ASCEND_STRING_H_
