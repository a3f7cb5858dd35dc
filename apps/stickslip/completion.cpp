// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip completion SHELL: words for Tab in bash, zsh and fish, and the manual page. All are written from the
// declaration of the verbs and their options, so that they cannot lag behind it.
#include "verbs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::app {
namespace {

constexpr const char* kCompletionExamples =
    "Prints a script for the shell, or the manual page (troff), on standard output.\n"
    "\n"
    "Examples:\n"
    "  stickslip completion bash > ~/.local/share/bash-completion/completions/stickslip\n"
    "  stickslip completion zsh > ~/.zfunc/_stickslip           with ~/.zfunc in fpath\n"
    "  stickslip completion fish > ~/.config/fish/completions/stickslip.fish\n"
    "  stickslip completion man > stickslip.1; man ./stickslip.1\n"
    "\n"
    "Exit codes: 0 done, 2 bad input.";

// A verb, or a verb of a verb ("study status").
struct Verb {
  std::string name;
  const CLI::App* app;
};

std::vector<Verb> verbs_of(const CLI::App& app, const std::string& before = "") {
  std::vector<Verb> list;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    list.push_back({before + verb->get_name(), verb});
    for (Verb& below : verbs_of(*verb, before + verb->get_name() + " ")) list.push_back(std::move(below));
  }
  return list;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string first_verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return joined(names);
}

std::string bash_script(const CLI::App& app) {
  std::string text =
      "# bash completion for stickslip\n"
      "_stickslip() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} below=${COMP_WORDS[2]} words=\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      first_verbs(app) +
      " --help --version --plugin' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$verb\" in\n";
  for (const Verb& verb : verbs_of(app)) {
    if (verb.name.find(' ') != std::string::npos) continue;
    text += "    " + verb.name + ") words='" + joined(options_of(*verb.app)) + "'\n";
    const auto below = verbs_of(*verb.app);
    if (!below.empty()) {
      text += "      ((COMP_CWORD == 2)) && words+=' " + first_verbs(*verb.app) + "'\n      case \"$below\" in\n";
      for (const Verb& one : below)
        text += "        " + one.name + ") words='" + joined(options_of(*one.app)) + "' ;;\n";
      text += "      esac\n";
    }
    text += "      ;;\n";
  }
  text +=
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "}\n"
      "complete -o filenames -F _stickslip stickslip\n";
  return text;
}

// Brackets, colons and quotes mean something to zsh's _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void add_zsh_options(std::string& text, const CLI::App& app, const char* indent) {
  text += "_arguments -S";
  for (const CLI::Option* option : app.get_options()) {
    const bool takes_value = option->get_items_expected_max() > 0;
    for (const std::string& name : option->get_lnames())
      text += fmt::format(" \\\n{}'*--{}{}[{}]{}'", indent, name, takes_value ? "=" : "",
                          zsh_text(option->get_description()), takes_value ? ":value:_files" : "");
  }
  text += fmt::format(" \\\n{}'*:file:_files'", indent);
}

std::string zsh_script(const CLI::App& app) {
  std::string text = "#compdef stickslip\n_stickslip() {\n  local -a verbs\n  verbs=(\n";
  for (const Verb& verb : verbs_of(app))
    if (verb.name.find(' ') == std::string::npos)
      text += fmt::format("    '{}:{}'\n", verb.name, zsh_text(verb.app->get_description()));
  text += "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n  case \"$words[2]\" in\n";
  for (const Verb& verb : verbs_of(app)) {
    if (verb.name.find(' ') != std::string::npos) continue;
    text += "    " + verb.name + ") ";
    add_zsh_options(text, *verb.app, "      ");
    text += " ;;\n";
  }
  text += "  esac\n}\n_stickslip \"$@\"\n";
  return text;
}

std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# fish completion for stickslip\n";
  for (const Verb& verb : verbs_of(app)) {
    if (verb.name.find(' ') != std::string::npos) continue;
    text += fmt::format("complete -c stickslip -n __fish_use_subcommand -a {} -d '{}'\n", verb.name,
                        fish_text(verb.app->get_description()));
    for (const CLI::Option* option : verb.app->get_options())
      for (const std::string& name : option->get_lnames())
        text +=
            fmt::format("complete -c stickslip -n '__fish_seen_subcommand_from {}' -l {} -d '{}'{}\n", verb.name, name,
                        fish_text(option->get_description()), option->get_items_expected_max() > 0 ? " -r" : "");
  }
  return text;
}

// A line of troff that begins with a dot or a quote would be a command; a backslash and a hyphen are not themselves.
std::string troff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_begins = c == '\n';
  }
  return out;
}

void add_man_options(std::string& text, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    text += ".TP\n.B " + troff(name.substr(0, name.find('{'))) + "\n" + troff(option->get_description()) + "\n";
  }
}

std::string man_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH STICKSLIP 1 \"\" \"stickslip {}\" \"User Commands\"\n"
      ".SH NAME\nstickslip \\- simulate, analyse and design bodies in frictional contact\n"
      ".SH SYNOPSIS\n.B stickslip\n.I VERB\n[\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      STICKSLIP_VERSION, troff(app.get_description()));
  add_man_options(text, app);
  text += ".SH VERBS\n";
  for (const Verb& verb : verbs_of(app)) {
    text += ".SS stickslip " + troff(verb.name) + "\n" + troff(verb.app->get_description()) + ".\n";
    add_man_options(text, *verb.app);
    if (const std::string footer = verb.app->get_footer(); !footer.empty())
      text += ".PP\n.nf\n" + troff(footer) + "\n.fi\n";
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Print completion for a shell, or the manual page");
  verb->footer(kCompletionExamples);
  verb->add_option("SHELL", *shell, "bash, zsh, fish or man")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  verb->callback([shell, &app, &exit_code] {
    fmt::print("{}", *shell == "bash"   ? bash_script(app)
                     : *shell == "zsh"  ? zsh_script(app)
                     : *shell == "fish" ? fish_script(app)
                                        : man_page(app));
    exit_code = kDone;
  });
}

}  // namespace stickslip::app
