// `lockstep lectures`: the lectures as a site, in the browser.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/program.h"
#include "cli/selection.h"
#include "course/problem_rules.h"

namespace lockstep::cli {
namespace {

struct LecturesArguments {
  std::string exercise;  ///< whose lecture is wanted; the first page when empty
  bool prints = false;   ///< the page's place, and opens nothing
};

/// The folder of the site: in a package it lies beside the programs, in a clone where it was built.
std::filesystem::path find_site() {
  const std::filesystem::path& root = course::course_root();
  for (const char* folder : {"site", "build/release/docs/html"}) {
    if (std::filesystem::exists(root / folder / "index.html")) return root / folder;
  }
  throw Failed(
      "the site is not built. ./lockstep lectures, the launcher, builds it; the pages can be read as " +
      (root / "lectures").string() + "/*.md as well.");
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Whether a browser was asked to show the page. Without a screen there is none to ask.
bool show_in_browser(const std::filesystem::path& page) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  return run_program({"xdg-open", page.string()}).status == 0;
}

int lectures(const LecturesArguments& arguments) {
  const course::Exercise* const exercise =
      arguments.exercise.empty() ? nullptr : &select_exercise(arguments.exercise);
  if (exercise != nullptr && exercise->root != course::course_root())
    throw WrongUse("the site has no page of a private course: read " + exercise->lecture.string());
  const std::filesystem::path site = find_site();
  std::filesystem::path page = site / "index.html";
  if (exercise != nullptr) {
    const std::string lecture = exercise->lecture.stem().string();
    page = site / ("lecture_" + course::identifier_of(course::topic_of(lecture)) + ".html");
  }
  if (arguments.prints) {
    std::cout << page.string() << '\n';
  } else if (show_in_browser(page)) {
    std::cout << "The browser opens " << page.string() << '\n';
  } else {
    std::cout << fmt::format(
        "Open this page in a browser: {}\n"
        "To read it on another machine, type `python3 -m http.server --directory '{}'` here, and open\n"
        "http://NAME-OF-THIS-MACHINE:8000/{} there.\n",
        page.string(), site.string(), page.filename().string());
  }
  return kPassed;
}

}  // namespace

void add_lectures(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<LecturesArguments>();
  CLI::App* command = app.add_subcommand("lectures", "The lectures as a site, in the browser");
  command->add_option("exercise", arguments->exercise,
                      "Topic, number or folder of one lecture, such as transpose");
  command->add_flag("--print", arguments->prints, "Print where the page lies, and open nothing");
  command->footer(
      "\nExamples:  ./lockstep lectures\n"
      "           ./lockstep lectures transpose");
  command->callback([arguments, &status] { status = lectures(*arguments); });
}

}  // namespace lockstep::cli
