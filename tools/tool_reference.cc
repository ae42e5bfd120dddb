// SPDX-License-Identifier: Apache-2.0
// Writes files that are generated from the tool's own description of its command line: the reference in docs/tool.md
// (between two marker lines), the man page and the completion for bash.
//
//   tool_reference FILE...            exit code 1 unless each file holds exactly that
//   tool_reference --write FILE...    writes them; the ending of a name (.md, .1, .bash) says what a file is
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tool/command_line.h"

namespace portacl::tool {
namespace {

constexpr std::string_view kBegin = "<!-- reference: begin (written by tools/tool_reference) -->\n";
constexpr std::string_view kEnd = "<!-- reference: end -->";

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool IsHelp(const CLI::Option& option) { return option.get_name() == "--help"; }
bool IsPositional(const CLI::Option& option) { return option.get_name().rfind('-', 0) != 0; }
bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
// Arguments without dashes come first, as on the command line.
std::vector<const CLI::Option*> OptionsOf(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  std::erase_if(options, [](const CLI::Option* option) { return IsHelp(*option); });
  std::stable_partition(options.begin(), options.end(),
                        [](const CLI::Option* option) { return IsPositional(*option); });
  return options;
}

bool IsRepeated(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

// "--soc PRODUCT", "OPERATOR", "NAME=VALUE..."
std::string Spelling(const CLI::Option& option) {
  if (!IsPositional(option)) {
    return option.get_name() + (TakesValue(option) ? " " + option.get_type_name() : "");
  }
  const bool typed = option.get_type_name() != "TEXT";
  return (typed ? option.get_type_name() : option.get_name()) + (IsRepeated(option) ? "..." : "");
}

// "portacl run OPERATOR [NAME=VALUE...] [options]"
std::string Synopsis(const CLI::App& command) {
  std::string text = "portacl " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    if (IsPositional(*option))
      text += " " + (option->get_required() ? Spelling(*option) : "[" + Spelling(*option) + "]");
  }
  return text + " [options]";
}

std::string Markdown(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : Commands(app)) {
    text += fmt::format("### `{}`\n\n{}.\n\n| argument | meaning |\n|---|---|\n", Synopsis(*command),
                        command->get_description());
    for (const CLI::Option* option : OptionsOf(*command)) {
      text += fmt::format("| `{}` | {} |\n", Spelling(*option), option->get_description());
    }
    text += "\n";
  }
  return text + app.get_footer() + "\n";
}

// Escapes text for roff: a backslash, a hyphen, and a point at the beginning of a line have special meanings there.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') escaped += '\\';
    if (c == '-') escaped += '\\';
    if (c == '.' && escaped.empty()) escaped += "\\&";
    escaped += c;
  }
  return escaped;
}

std::string ManPage(const CLI::App& app) {
  std::string text = ".\\\" SPDX-License-Identifier: Apache-2.0\n.\\\" Written by tools/tool_reference.\n";
  text += ".TH PORTACL 1\n.SH NAME\nportacl \\- the aclnn operators on the command line\n.SH SYNOPSIS\n";
  for (const CLI::App* command : Commands(app)) text += fmt::format(".B {}\n.br\n", Roff(Synopsis(*command)));
  text += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", Roff(app.get_description()));
  for (const CLI::App* command : Commands(app)) {
    text += fmt::format(".SS {}\n{}.\n", Roff(Synopsis(*command)), Roff(command->get_description()));
    for (const CLI::Option* option : OptionsOf(*command)) {
      text += fmt::format(".TP\n.B {}\n{}.\n", Roff(Spelling(*option)), Roff(option->get_description()));
    }
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n.SH ENVIRONMENT\n.B portacl info\nlists every variable.\n",
                            Roff(app.get_footer()));
}

std::string Completion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string options;
  for (const CLI::App* command : Commands(app)) {
    names.push_back(command->get_name());
    std::vector<std::string> flags;
    for (const CLI::Option* option : command->get_options()) {
      if (!IsPositional(*option)) flags.push_back(option->get_name());
    }
    options += fmt::format("    {}) options='{}' ;;\n", command->get_name(), fmt::join(flags, " "));
  }
  return fmt::format(R"sh(# SPDX-License-Identifier: Apache-2.0
# Completion of the command portacl for bash. Written by tools/tool_reference. Operators and their arguments are asked of the program.
_portacl() {{
  local tool=${{COMP_WORDS[0]}} command=${{COMP_WORDS[1]:-}} operator=${{COMP_WORDS[2]:-}} word=${{COMP_WORDS[COMP_CWORD]}} options=''
  case $command in
{}  esac
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $COMP_CWORD -eq 2 && $command =~ ^(run|ops|bench|accuracy)$ ]]; then
    COMPREPLY=($("$tool" ops --names 2> /dev/null | grep -iE "^(aclnn)?$word" 2> /dev/null))
  elif [[ $command == run && $word != *=* && ${{COMP_WORDS[COMP_CWORD-1]}} != = ]]; then
    COMPREPLY=($(compgen -W "$("$tool" ops "$operator" --names 2> /dev/null)" -- "$word"))
    compopt -o nospace 2> /dev/null
  else
    mapfile -t COMPREPLY < <(compgen -f -- "${{word#=}}")
  fi
}}
complete -o filenames -F _portacl portacl
)sh",
                     options, fmt::join(names, " "));
}

// The text that the file should have; empty when the name is unknown.
std::string Wanted(const CLI::App& app, const std::string& name, const std::string& text) {
  if (name.ends_with(".1")) return ManPage(app);
  if (name.ends_with(".bash")) return Completion(app);
  const size_t begin = text.find(kBegin);
  const size_t end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return text.substr(0, begin + kBegin.size()) + Markdown(app) + text.substr(end);
}

int Check(const std::vector<std::string>& arguments) {
  CLI::App app;
  Options options;
  Command chosen = nullptr;
  DescribeCommandLine(&app, &options, &chosen);
  const bool write = !arguments.empty() && arguments[0] == "--write";
  int wrong = 0;
  for (size_t i = write ? 1 : 0; i < arguments.size(); ++i) {
    std::ifstream file(arguments[i]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string wanted = Wanted(app, arguments[i], text);
    if (wanted.empty()) {
      std::cerr << arguments[i] << ": no marker lines for the reference\n";
      ++wrong;
    } else if (write) {
      std::ofstream(arguments[i]) << wanted;
    } else if (wanted != text) {
      std::cerr << arguments[i] << ": is old; tool_reference --write " << arguments[i] << " writes it\n";
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace portacl::tool

int main(int count, char** arguments) { return portacl::tool::Check({arguments + 1, arguments + count}); }
