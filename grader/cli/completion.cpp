// `lockstep completion`: a script by which a shell completes commands, options, their words and the names of
// exercises. All of it comes from the command line that CLI11 parses and from the catalogue.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/choice.h"
#include "cli/command.h"
#include "cli/selection.h"
#include "course/catalogue.h"

namespace lockstep::cli {
namespace {

enum class Shell { bash, zsh, fish };

/// What may stand there, and what it means.
struct Word {
  std::string text, meaning;
};

enum class Takes { nothing, words, exercise, study, file, other };

struct OptionWords {
  std::vector<std::string> names;  ///< with their dashes; of an argument none
  std::string meaning;
  Takes takes = Takes::other;
  std::vector<std::string> words;
};

struct CommandWords {
  Word name;
  std::vector<OptionWords> options;
};

bool is_argument(const OptionWords& option) { return option.names.empty(); }

Takes what_takes(const CLI::Option& option, const std::vector<std::string>& words) {
  const std::string name = option.get_name(), type = option.get_type_name();
  if (name == "exercise" || name == "--exercises") return Takes::exercise;
  if (option.get_items_expected_max() == 0) return Takes::nothing;
  if (!words.empty()) return Takes::words;
  for (const char* file : {"FILE", "FOLDER", "PATH", "SUBMISSIONS"})
    if (type == file) return Takes::file;
  return Takes::other;
}

OptionWords words_on(CLI::Option& option) {
  OptionWords result{.meaning = option.get_description(), .words = words_of(option)};
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.takes = what_takes(option, result.words);
  return result;
}

std::vector<CommandWords> commands_of(CLI::App& app) {
  std::vector<CommandWords> commands;
  for (CLI::App* command : app.get_subcommands([](CLI::App* one) { return !one->get_group().empty(); })) {
    CommandWords& words = commands.emplace_back();
    words.name = {command->get_name(), command->get_description()};
    for (CLI::Option* option : command->get_options([](CLI::Option*) { return true; }))
      words.options.push_back(words_on(*option));
    // Its arguments are those of a program, which CLI11 does not know.
    if (command->get_name() == "study") words.options.push_back({.takes = Takes::study});
  }
  return commands;
}

std::vector<Word> exercises() {
  std::vector<Word> words;
  for (const course::Exercise& exercise : course::catalogue())
    words.push_back({exercise.problem.name, exercise.problem.title});
  return words;
}

std::vector<Word> studies() {
  std::vector<Word> words;
  for (const course::Exercise* exercise : exercises_with_study())
    words.push_back({exercise->problem.name, exercise->problem.title});
  return words;
}

/// What may follow an option, or stand where an argument does.
std::vector<Word> words_after(const OptionWords& option) {
  if (option.takes == Takes::exercise) return exercises();
  if (option.takes == Takes::study) return studies();
  std::vector<Word> words;
  for (const std::string& word : option.words) words.push_back({word, ""});
  return words;
}

/// What may stand where the command's arguments do: its options, and what it takes besides them.
std::vector<Word> words_behind(const CommandWords& command) {
  std::vector<Word> words;
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) words.push_back({name, option.meaning});
    if (!is_argument(option)) continue;
    for (Word& word : words_after(option)) words.push_back(std::move(word));
  }
  return words;
}

/// Whether the next word is the option's value. A flag that can have one takes it behind a = alone.
bool has_value(const OptionWords& option) { return !is_argument(option) && option.takes != Takes::nothing; }

/// In single quotes, in which `escape` stands for one.
std::string quoted(const std::string& text, const char* escape) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(escape) : std::string(1, c);
  return result + '\'';
}

constexpr const char* kQuoteInShell = "'\\''";

/// What the scripts of bash and zsh are made of. In both a `case` of COMMAND and the word before the one to
/// complete gives the words behind an option, and COMMAND with any word those of the command.
struct Cases {
  std::vector<Word> commands;
  std::string after_options, of_commands;
};

/// `separator` stands between COMMAND and the word before; `choices` writes words as the shell has them.
Cases cases_of(const std::vector<CommandWords>& commands, char separator,
               const std::function<std::string(const std::vector<Word>&)>& choices) {
  Cases cases;
  const auto line = [&](const CommandWords& command, const std::string& before,
                        const std::vector<Word>& words) {
    return fmt::format("    {}{}{}) choices={} ;;\n", command.name.text, separator, before, choices(words));
  };
  for (const CommandWords& command : commands) {
    cases.commands.push_back(command.name);
    for (const OptionWords& option : command.options) {
      if (!has_value(option)) continue;
      for (const std::string& name : option.names)
        cases.after_options += line(command, name, words_after(option));
    }
    cases.of_commands += line(command, "*", words_behind(command));
  }
  return cases;
}

// --- bash ---

std::string bash_words(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return quoted(text, kQuoteInShell);
}

/// Files are what bash completes where this completes nothing.
std::string bash_script(const std::vector<CommandWords>& commands) {
  const Cases cases = cases_of(commands, ',', bash_words);
  return fmt::format(R"(# Completes ./lockstep in bash: source <(./lockstep completion bash)
_lockstep() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} choices=''
  # --device=gpu is three words of bash.
  if [[ $word == = ]]; then
    word=''
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
    choices={}
  else
    case ${{COMP_WORDS[1]}},$before in
{}{}    esac
  fi
  local IFS=$' \t\n'
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
}}
complete -o bashdefault -o default -F _lockstep lockstep
)",
                     bash_words(cases.commands), cases.after_options, cases.of_commands);
}

// --- zsh ---

/// For _describe, where a word ends at its first colon.
std::string zsh_words(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words)
    text += (text.empty() ? "" : " ") +
            quoted(word.meaning.empty() ? word.text : word.text + ":" + word.meaning, kQuoteInShell);
  return text;
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  const Cases cases =
      cases_of(commands, ':', [](const std::vector<Word>& words) { return "(" + zsh_words(words) + ")"; });
  return fmt::format(R"(#compdef lockstep
# Completes ./lockstep in zsh: source <(./lockstep completion zsh)
_lockstep() {{
  local -a choices
  if ((CURRENT == 2)); then
    choices=({})
    _describe command choices
    return
  fi
  case $words[2]:$words[CURRENT-1] in
{}{}  esac
  (($#choices)) && _describe value choices || _files
}}
# Loaded from a folder of fpath this file is the function.
if [[ ${{funcstack[1]}} == _lockstep ]]; then
  _lockstep "$@"
else
  compdef _lockstep lockstep
fi
)",
                     zsh_words(cases.commands), cases.after_options, cases.of_commands);
}

// --- fish ---

std::string fish_quoted(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return quoted(escaped, "\\'");
}

std::string fish_line(const std::string& command, const std::string& rest, const std::string& meaning) {
  const std::string description = meaning.empty() ? "" : " -d " + fish_quoted(meaning);
  return fmt::format("complete -c lockstep -n '__fish_seen_subcommand_from {}'{}{}\n", command, rest,
                     description);
}

std::string fish_option(const std::string& command, const OptionWords& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  std::string words;
  for (const Word& word : words_after(option)) words += (words.empty() ? "" : " ") + word.text;
  if (option.takes == Takes::file) {
    text += " -r -F";
  } else if (!words.empty() && has_value(option)) {
    text += " -x -a " + fish_quoted(words);
  } else if (has_value(option)) {
    text += " -x";
  }
  return fish_line(command, text, option.meaning);
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string text =
      "# Completes ./lockstep in fish: ./lockstep completion fish | source\n"
      "complete -c lockstep -f\n";
  for (const CommandWords& command : commands) {
    text += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", command.name.text,
                        fish_quoted(command.name.meaning));
    for (const OptionWords& option : command.options) {
      if (!is_argument(option)) {
        text += fish_option(command.name.text, option);
        continue;
      }
      if (option.takes == Takes::file || option.takes == Takes::study)
        text += fish_line(command.name.text, " -F", "");
      if (option.takes == Takes::nothing || option.takes == Takes::other) continue;
      for (const Word& word : words_after(option))
        text += fish_line(command.name.text, " -a " + fish_quoted(word.text), word.meaning);
    }
  }
  return text;
}

int completion(CLI::App& app, Shell shell) {
  const std::vector<CommandWords> commands = commands_of(app);
  switch (shell) {
    case Shell::bash:
      std::cout << bash_script(commands);
      break;
    case Shell::zsh:
      std::cout << zsh_script(commands);
      break;
    case Shell::fish:
      std::cout << fish_script(commands);
      break;
  }
  return kPassed;
}

}  // namespace

void add_completion(CLI::App& app, int& status) {
  const auto shell = std::make_shared<Shell>();
  CLI::App* command = app.add_subcommand(
      "completion", "A script by which your shell completes commands, options and exercises");
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->transform(one_of<Shell>({{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}}))
      ->required()
      ->type_name("SHELL");
  command->footer(
      "\nExamples:  source <(./lockstep completion bash)\n"
      "           source <(./lockstep completion zsh)\n"
      "           ./lockstep completion fish | source");
  command->callback([&app, shell, &status] { status = completion(app, *shell); });
}

}  // namespace lockstep::cli
