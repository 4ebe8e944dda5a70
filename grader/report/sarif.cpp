#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/notes.h"
#include "report/printable.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

using result::ExerciseResult;
using result::Place;
using result::Report;
using result::Verdict;
using Json = nlohmann::ordered_json;

/// What a note is about in general. Of each, code scanning shows all three texts.
struct Rule {
  const char* id;  ///< as rule_of says it
  const char* title;
  const char* description;
  const char* help;
};

constexpr std::array kRules{
    Rule{"wrong-answer", "An output differs from what is expected",
         "At least one element of an output is not what the exercise asks for, or an input was changed.",
         "Run the smallest case that fails with --case, which shows its inputs, and work it out by hand."},
    Rule{
        "race", "Two accesses that nothing orders",
        "Two threads access the same bytes, at least one of them writes, and no barrier, atomic operation or "
        "stream orders the two.",
        "Put a barrier between the two lines that all threads of the block reach, or let each thread use "
        "memory of its own."},
    Rule{"out-of-bounds", "An address outside its allocation",
         "An address lies outside of what was allocated, or is no multiple of the width of the access.",
         "Keep threads without an element away by a condition, and look at the index."},
    Rule{"uninitialised-read", "A value that nothing has written",
         "A value is used that was read from memory which nothing had written.",
         "Write the memory before, or do not read it: what is only allocated holds anything."},
    Rule{"bad-sync", "A barrier, shuffle or vote that its threads do not meet together",
         "Threads wait where others never come, or work was used that nobody had waited for.",
         "Move the barrier out of the condition or loop that not all of its threads go through."},
    Rule{"launch-failed", "A launch that the device refuses",
         "The launch asks for what no device has, such as no block at all or more than 1024 threads per "
         "block.",
         "Compare the launch's arguments with the limits of the device."},
    Rule{"unchecked-error", "A CUDA error that was not passed on",
         "A CUDA call failed, and the function returned cudaSuccess or went on.",
         "Return the error of every CUDA call."},
    Rule{"leak", "Something was made and not released",
         "Memory, streams, events or registrations were still there when the function returned.",
         "Release what was made, also on the way out after an error."},
    Rule{"crashed", "The program or a kernel ended early",
         "A signal, exit, a trap or a failed assertion ended it.",
         "Look at the line that is named, and at the case's inputs, which --case shows."},
    Rule{"time-limit", "The time limit was reached", "A call did not end in time, or never would.",
         "What lets the loop end, and does it happen in every case?"},
    Rule{"memory-limit", "The memory limit was reached", "A call used more memory than it may.",
         "Allocate once, as much as the case needs, and release it."},
    Rule{"compile-error", "The compiler does not accept the file",
         "The file does not compile, does not define what the exercise asks for, or is missing.",
         "Fix the first error: later ones often follow from it."},
    Rule{"too-many-changes", "More lines were changed than may be",
         "The program was to be repaired, and was written anew.",
         "Start from the program again (./lockstep reset) and change what is wrong alone."},
    Rule{"inefficient", "A technique gate failed",
         "The result is right, and the memory system or the device is not used as the lesson teaches.",
         "./lockstep profile shows what every line costs, and draws what a warp accesses with --trace."},
    Rule{"too-slow", "The speed is below what the exercise asks for",
         "Measured on this GPU, the speed is certainly below the exercise's limit.",
         "./lockstep profile shows where the time goes."},
    Rule{"inconclusive", "The speed is not certain",
         "After all rounds the interval of the speed still holds the limit.",
         "Grade again when nothing else runs on the GPU."},
    Rule{"review", "A speed that no GPU has", "The measured speed is above what this GPU can do.",
         "Somebody has to look at the file."},
    Rule{"unread-line", "A line of predictions that could not be read",
         "The line holds no prediction that could be graded.", "Write a name of the file, =, and a number."},
    Rule{"remark", "Worth knowing",
         "The code is right, and would rather do it otherwise. It costs no points.",
         "Read the lecture's section on it."},
};

std::size_t index_of(const char* id) {
  const auto rule =
      std::ranges::find_if(kRules, [id](const Rule& one) { return std::string_view(one.id) == id; });
  return static_cast<std::size_t>(rule - kRules.begin());
}

/// Section 3.11.5 of the standard has braces doubled, as single ones hold a place for an argument, and 3.11.6
/// makes a link of [text](address): whatever a submission says is neither.
Json message(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '{' || c == '}') escaped += c;
    if (c == '(' && escaped.ends_with(']')) escaped += ' ';
    escaped += c;
  }
  return {{"text", escaped}};
}

Json rules() {
  Json list = Json::array();
  for (const Rule& rule : kRules)
    list.push_back({{"id", rule.id},
                    {"shortDescription", message(rule.title)},
                    {"fullDescription", message(rule.description)},
                    {"help", message(rule.help)}});
  return list;
}

/// A file's path as a URI reference: relative, or absolute with a scheme. All bytes are escaped but those
/// that RFC 3986, section 2.3, calls unreserved, and so is the colon, which would make a scheme of what is
/// before.
std::string uri_of(const std::string& file) {
  const std::string path = std::filesystem::path(text::shown_path(file)).lexically_normal().string();
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool is_unreserved = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                               std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += is_unreserved ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json location(const ExerciseResult& result, const Place& place) {
  Json region = {{"startLine", place.line}};
  if (!place.text.empty()) region["snippet"] = {{"text", printable(place.text)}};
  Json json = {{"physicalLocation",
                {{"artifactLocation", {{"uri", uri_of(result.submission)}}}, {"region", std::move(region)}}}};
  if (!place.part.empty()) json["message"] = message(place.part);
  return json;
}

Json of_note(const ExerciseResult& result, const Note& note) {
  std::vector<Place> places = places_in_submission(result, note);
  if (places.empty()) places.push_back({.file = "", .line = 1, .text = ""});
  Json json = {{"ruleId", rule_of(note)},
               {"ruleIndex", index_of(rule_of(note))},
               {"level", name_of(level_of(note))},
               {"message", message(message_of(note))},
               {"locations", Json::array({location(result, places.front())})}};
  Json related = Json::array();  // "unique", by section 3.27.22
  for (std::size_t i = 1; i < places.size(); ++i) {
    Json one = location(result, places[i]);
    if (std::ranges::find(related, one) == related.end()) related.push_back(std::move(one));
  }
  if (!related.empty()) json["relatedLocations"] = std::move(related);
  json["properties"] = {{"exercise", printable(result.name)}};
  return json;
}

Json notification(const char* level, std::string_view text) {
  return {{"level", level}, {"message", message(text)}};
}

Json exercise_properties(const ExerciseResult& result) {
  return {{"name", printable(result.name)},
          {"submission", printable(result.submission)},
          {"verdict", name_of(result.verdict)},
          {"points", result.points},
          {"maxPoints", result.max_points}};
}

}  // namespace

std::string render_sarif(const Report& report) {
  Json results = Json::array(), notifications = Json::array(), exercises = Json::array();
  for (const std::string& warning : report.warnings)
    notifications.push_back(notification("warning", warning));
  bool is_successful = true;
  double points = 0, max_points = 0;
  for (const ExerciseResult& result : report.exercises) {
    for (const Note& note : notes_on(result)) {
      if (note.kind != Note::Kind::verdict || note.verdict != Verdict::grader_error) {
        results.push_back(of_note(result, note));
        continue;
      }
      is_successful = false;
      notifications.push_back(notification("error", result.name + ": " + message_of(note)));
    }
    exercises.push_back(exercise_properties(result));
    points += result.points;
    max_points += result.max_points;
  }
  const Json invocation = {{"executionSuccessful", is_successful},
                           {"toolExecutionNotifications", std::move(notifications)}};
  const Json run = {{"tool", {{"driver", {{"name", "Lockstep"}, {"rules", rules()}}}}},
                    {"invocations", Json::array({invocation})},
                    {"results", std::move(results)},
                    {"properties",
                     {{"device", printable(report.device.name)},
                      {"seed", report.seed.empty() ? Json(nullptr) : Json(printable(report.seed))},
                      {"points", points},
                      {"maxPoints", max_points},
                      {"exercises", std::move(exercises)}}}};
  const Json log = {
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({run})}};
  return log.dump(2) + '\n';
}

}  // namespace lockstep::report
