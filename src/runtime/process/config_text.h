// SPDX-License-Identifier: Apache-2.0
// The settings in the JSON text that is passed to aclInit.
#pragma once

#include <optional>
#include <string>

namespace portacl::process {

struct Setting {
  std::string text;  // the characters of a string; for another value, the text that a message shows
  bool is_text = false;
};

struct ConfigSettings {
  std::optional<Setting> report_mode;     // "err_msg_mode"
  std::optional<Setting> default_device;  // "default_device" in "defaultDevice"
};

// Returns false when the text is not JSON.
bool ReadConfigText(const std::string& text, ConfigSettings* settings);

}  // namespace portacl::process
