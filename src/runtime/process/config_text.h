// SPDX-License-Identifier: Apache-2.0
// The settings in the JSON text that aclInit is given.
#pragma once

#include <optional>
#include <string>

namespace portacl::process {

struct Setting {
  std::string text;  // of a text its characters, of another value what a message shows
  bool is_text = false;
};

struct ConfigSettings {
  std::optional<Setting> report_mode;     // "err_msg_mode"
  std::optional<Setting> default_device;  // "default_device" in "defaultDevice"
};

// False: this is no JSON text.
bool ReadConfigText(const std::string& text, ConfigSettings* settings);

}  // namespace portacl::process
