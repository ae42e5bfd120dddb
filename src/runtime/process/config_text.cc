// SPDX-License-Identifier: Apache-2.0
// Values are processed while they are parsed: a tree of them would take memory even to be destroyed, and stack for each
// level.
#include "runtime/process/config_text.h"

#include <cstddef>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/float_mode.h"

namespace portacl::process {
namespace {

// The functions that the parser calls; returning false ends the parsing.
class ConfigReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ConfigReader(ConfigSettings* settings) : settings_(*settings) {}

  bool null() override { return Keep("null"); }
  bool boolean(bool value) override { return Keep(value ? "true" : "false"); }
  bool number_integer(int64_t value) override { return Keep(std::to_string(value)); }
  bool number_unsigned(uint64_t value) override { return Keep(std::to_string(value)); }
  bool number_float(double, const std::string& text) override { return Keep(text); }
  bool string(std::string& text) override { return Keep(std::move(text), true); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return Enter("an object"); }
  bool end_object() override { return Leave(); }
  bool start_array(size_t) override { return Enter("an array"); }
  bool end_array() override { return Leave(); }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

  bool key(std::string& name) override {
    if (level_ == 1) section_ = std::move(name);
    if (level_ == 2) name_ = std::move(name);
    return true;
  }

 private:
  bool Keep(std::string text, bool is_text = false) {
    // A repeated name overrides the earlier ones.
    if (level_ == 1 && section_ == "err_msg_mode") settings_.report_mode = {std::move(text), is_text};
    if (level_ == 1 && section_ == "defaultDevice") settings_.default_device.reset();
    if (level_ == 2 && section_ == "defaultDevice" && name_ == "default_device")
      settings_.default_device = {std::move(text), is_text};
    return true;
  }
  bool Enter(const char* what) {
    Keep(what);
    name_.clear();  // values of an array have no names
    ++level_;
    return true;
  }
  bool Leave() {
    --level_;
    return true;
  }

  ConfigSettings& settings_;
  size_t level_ = 0;
  std::string section_;  // the name at the first level of nesting
  std::string name_;     // the name at the second level
};

}  // namespace

bool ReadConfigText(const std::string& text, ConfigSettings* settings) {
  const DefaultFloatMode mode;  // the text may contain fractions, whose conversion depends on the mode
  ConfigReader reader(settings);
  return nlohmann::json::sax_parse(text, &reader);
}

}  // namespace portacl::process
