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

// The list of verbs of a command, as _describe takes it.
std::string zsh_verbs(const CLI::App& app, const char* indent) {
  std::string text = "verbs=(\n";
  for (const Verb& verb : verbs_of(app))
    if (verb.name.find(' ') == std::string::npos)
      text += fmt::format("{}  '{}:{}'\n", indent, verb.name, zsh_text(verb.app->get_description()));
  return text + indent + ")\n";
}

std::string zsh_script(const CLI::App& app) {
  std::string text = "#compdef stickslip\n_stickslip() {\n  local -a verbs\n  " + zsh_verbs(app, "  ");
  text += "  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n  case \"$words[2]\" in\n";
  for (const Verb& verb : verbs_of(app)) {
    if (verb.name.find(' ') != std::string::npos) continue;
    text += "    " + verb.name + ") ";
    if (const auto below = verbs_of(*verb.app); !below.empty()) {
      text += "\n      " + zsh_verbs(*verb.app, "      ") + "      case \"$words[3]\" in\n";
      for (const Verb& one : below) {
        text += "        " + one.name + ") ";
        add_zsh_options(text, *one.app, "          ");
        text += "; return ;;\n";
      }
      text += "      esac\n      ((CURRENT == 3)) && _describe verb verbs\n      ";
    }
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
  // Verbs are told by their place: "export" is one of the command and one of "study".
  std::string text =
      "# fish completion for stickslip\n"
      "function __stickslip_words\n"
      "  set -l words (commandline -opc)\n"
      "  test \"$words[2..]\" = \"$argv\"\n"
      "end\n"
      "function __stickslip_verb\n"
      "  set -l words (commandline -opc)\n"
      "  set -l last (math (count $argv) + 1)\n"
      "  test (count $words) -ge $last; and test \"$words[2..$last]\" = \"$argv\"\n"
      "end\n";
  for (const Verb& verb : verbs_of(app)) {
    const std::size_t blank = verb.name.find(' ');
    const std::string before = blank == std::string::npos ? "" : " " + verb.name.substr(0, blank);
    text += fmt::format("complete -c stickslip -n '{}' -a {} -d '{}'\n",
                        before.empty() ? "__fish_use_subcommand" : "__stickslip_words" + before,
                        verb.name.substr(blank == std::string::npos ? 0 : blank + 1),
                        fish_text(verb.app->get_description()));
    for (const CLI::Option* option : verb.app->get_options())
      for (const std::string& name : option->get_lnames())
        text += fmt::format("complete -c stickslip -n '__stickslip_verb {}' -l {} -d '{}'{}\n", verb.name, name,
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
