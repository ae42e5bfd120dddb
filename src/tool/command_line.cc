// SPDX-License-Identifier: Apache-2.0
#include "tool/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <sstream>
#include <string>

#include "tool/error.h"
#include "tool/name_search.h"
#include "tool/text.h"

namespace portacl::tool {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;

class Describer {
 public:
  Describer(CLI::App* app, Options* options, Command* chosen) : app_(app), options_(options), chosen_(chosen) {}

  void Describe() {
    app_->name("portacl");
    app_->description("Runs, measures and describes the aclnn operators of this Portacl.");
    app_->footer("Exit codes: 0 success, 1 failure, 2 wrong usage.");
    app_->set_version_flag("--version", PORTACL_VERSION, "Print the version");
    Add("info",
        "Device, instruction set, cores, caches, product, versions, and every variable with its value and source",
        Info);
    Soc(Operators(Add("ops", "Operators with their dtypes, limits and checks on an SoC", Ops)))
        ->add_flag("--names", options_->names,
                   "Print names only, one per line: of operators, or of OPERATOR's arguments");
    AddRun();
    CLI::App* bench =
        Soc(Operators(Add("bench",
                          "Speed of operators compared with a copy; without OPERATOR of all, within a minute. OPERATOR "
                          "may also be hccl or runtime",
                          Bench)));
    bench
        ->add_option("--seconds", options_->seconds,
                     "How long each measurement takes; default: 0.2, or 0.1 without OPERATOR")
        ->type_name("SECONDS");
    bench
        ->add_option("--size", options_->size,
                     "Size of the tensors: L2, L3, DRAM or all; default: all, or L2 without OPERATOR")
        ->type_name("SIZE");
    bench
        ->add_option("--dtype", options_->dtype,
                     "Dtype of the first tensor, such as bf16, or all; default: all, or the first without OPERATOR")
        ->type_name("DTYPE");
    bench
        ->add_option("--threads", options_->threads,
                     "Threads that may take part in one operator; default: PORTACL_NUM_THREADS, or the cores")
        ->type_name("COUNT");
    bench->add_option("--ranks", options_->ranks, "Processes of bench hccl")->type_name("COUNT")->capture_default_str();
    Soc(Operators(
            Add("accuracy",
                "The largest errors that a search finds on every instruction set, compared with the promised ones; "
                "exit code 1 when one is larger",
                Accuracy)))
        ->add_option("--seconds", options_->search_seconds, "Time of the search for each dtype")
        ->type_name("SECONDS")
        ->capture_default_str();
    Add("missing",
        "Names of CANN (acl*, aclnn*, ge::) that a program or library needs and Portacl lacks, or has in a library "
        "it does not name; exit code 1 when any",
        Missing)
        ->add_option("FILE", options_->target, "A program or a shared library for 64-bit Linux")
        ->required();
    Add("trace",
        "Table of a trace of PORTACL_TRACE by operator and shapes; draws its time line, FILE.svg in place of "
        "FILE.json",
        ShowTrace)
        ->add_option("FILE", options_->target, "A file that PORTACL_TRACE named")
        ->required();
    Add("version", "Version of Portacl and of the interface of CANN that it has", Version);
    Add("doctor",
        "What the Python package finds here: Python, PyTorch, its plug-in, a compiler, another CANN; what is wrong, "
        "and "
        "the command that mends it",
        Doctor);
  }

 private:
  CLI::App* Add(const char* name, const char* description, Command command) {
    CLI::App* added = app_->add_subcommand(name, description);
    added->add_flag("--json", options_->json, "Print JSON");
    added->callback([this_chosen = chosen_, command] { *this_chosen = command; });
    return added;
  }

  CLI::App* Operators(CLI::App* command) {
    command->add_option(
        "OPERATOR", options_->target,
        "Name of an operator, such as aclnnLogitGrad or logitgrad, or of a family, such as loss; default: all");
    return command;
  }

  CLI::App* Soc(CLI::App* command) {
    command->add_option("--soc", options_->soc, "Product to imitate, such as Ascend910B; default: PORTACL_SOC")
        ->type_name("PRODUCT");
    return command;
  }

  void AddRun() {
    CLI::App* run = Soc(Add("run", "Run an operator on .npy files, and print shapes, time and bytes a second", Run));
    run->add_option("OPERATOR", options_->target, "Name of an operator, such as aclnnLogitGrad or logitgrad")
        ->required();
    run->add_option(
           "values", options_->call.words,
           "An argument of the operator. Input tensor: FILE.npy, or random:2,3 for numbers in (0, 1). Output tensor: "
           "FILE.npy to save it, or left out. Input and output: IN.npy or IN.npy,OUT.npy. "
           "Lists: a,b,c. Attributes: a number, true, false, a text, a dtype")
        ->type_name("NAME=VALUE");
    run->add_option("--dtype", options_->call.dtypes,
                    "Round all floating inputs to this dtype, or set the dtype of one tensor")
        ->type_name("[NAME=]DTYPE")
        ->allow_extra_args(false);
    run->add_option("--shape", options_->call.shapes,
                    "Shape of an output that no rule gives, such as out=2,3; of a list out=2x3,5x3")
        ->type_name("NAME=SIZES")
        ->allow_extra_args(false);
    run->add_option("--repeat", options_->repeat, "Number of measured calls; default: as many as take 0.1 s")
        ->type_name("COUNT");
    run->add_flag(
        "--verify", options_->verify,
        "Compare with the float64 reference: the largest error in ULP and where it is; exit code 1 when it exceeds "
        "what the operator promises");
  }

  CLI::App* app_;
  Options* options_;
  Command* chosen_;
};

// Names an unexpected argument, and the most similar valid ones.
std::string Unexpected(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  const std::string extra = extras.empty() ? "" : extras.front();
  const std::vector<const CLI::App*> chosen = [&] {
    const auto list = app.get_subcommands();
    return std::vector<const CLI::App*>(list.begin(), list.end());
  }();
  std::vector<std::string> names;
  if (chosen.empty()) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
    return "unknown command '" + extra + "'" + DidYouMean(extra, names);
  }
  for (const CLI::Option* option : chosen.front()->get_options()) names.push_back(option->get_name());
  return chosen.front()->get_name() + ": unexpected '" + extra + "'" + DidYouMean(extra, names);
}

int ParseAndRun(int count, char** arguments) {
  CLI::App app;
  Options options;
  Command chosen = nullptr;
  DescribeCommandLine(&app, &options, &chosen);
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    const int code = app.exit(help, text, text);
    fmt::print("{}", text.str());
    return code;
  } catch (const CLI::ExtrasError&) {
    throw UsageError(Unexpected(app));
  } catch (const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    throw UsageError((commands.empty() ? "" : commands.front()->get_name() + ": ") + error.what());
  }
  if (chosen == nullptr) throw UsageError("expected a command; portacl --help lists them");
  return chosen(options);
}

int Complain(int code, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "portacl: %s\n", Printable(line).c_str());
  return code;
}

}  // namespace

void DescribeCommandLine(CLI::App* app, Options* options, Command* chosen) {
  Describer(app, options, chosen).Describe();
}

int Main(int count, char** arguments) {
  try {
    const int code = ParseAndRun(count, arguments);
    if (std::fflush(stdout) != 0) throw Failure(std::string("standard output: ") + std::strerror(errno));
    return code;
  } catch (const UsageError& error) {
    return Complain(kWrongUsage, error.what());
  } catch (const std::bad_alloc&) {
    return Complain(kFailure, "not enough memory");
  } catch (const std::exception& error) {
    return Complain(kFailure, error.what());
  }
}

}  // namespace portacl::tool
