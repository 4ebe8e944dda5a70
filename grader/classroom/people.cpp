#include "classroom/people.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <tuple>

#include "classroom/shown.h"

namespace lockstep::classroom {
namespace {

/// In small letters, as far as ASCII and Latin-1 have them: U+00C0 to U+00DE are C3 80 to C3 9E in UTF-8.
std::string small_letters(std::string_view text) {
  std::string small(text);
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto byte = static_cast<unsigned char>(small[i]);
    const bool is_latin = i > 0 && small[i - 1] == '\xC3' && byte >= 0x80 && byte <= 0x9E && byte != 0x97;
    if ((byte >= 'A' && byte <= 'Z') || is_latin) small[i] = static_cast<char>(byte + 0x20);
  }
  return small;
}

/// Letters and digits of a name, last name first, as Canvas makes files' names of sortable ones.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : small_letters(name)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80) letters += c;
  }
  return letters;
}

/// Whether that is the roster's name, as "Last, First" runs together, or as "First Last" turned round at any
/// of its spaces.
bool runs_together_as(const std::string& name, const std::string& wanted) {
  if (name.find(',') != std::string::npos) return letters_of(name) == wanted;
  for (std::size_t space = name.find(' '); space != std::string::npos; space = name.find(' ', space + 1))
    if (letters_of(name.substr(space)) + letters_of(name.substr(0, space)) == wanted) return true;
  return false;
}

bool has_same_name(const Person& person, const Student& student) {
  if (student.name.empty()) return false;
  if (!person.name.empty()) return compared_name(person.name) == compared_name(student.name);
  return !person.run_together.empty() && runs_together_as(student.name, letters_of(person.run_together));
}

struct Key {
  const char* name;
  std::function<bool(const Student&)> agrees;
};

}  // namespace

std::string compared_name(std::string_view name) {
  std::string turned(name);
  if (const std::size_t comma = turned.find(','); comma != std::string::npos)
    turned = turned.substr(comma + 1) + ' ' + turned.substr(0, comma);
  std::string compared;
  for (const char c : small_letters(turned)) {
    if (c != ' ' && c != '\t') {
      compared += c;
    } else if (!compared.empty() && compared.back() != ' ') {
      compared += ' ';
    }
  }
  if (compared.ends_with(' ')) compared.pop_back();
  return compared;
}

std::string Person::shown() const {
  std::vector<std::string> parts;
  const auto add = [&parts](const char* what, const std::string& value) {
    if (!value.empty()) parts.push_back(what + classroom::shown(value));
  };
  add("sid ", sid);
  add("", email);
  add("number ", number);
  const std::string& known = !name.empty() ? name : !run_together.empty() ? run_together : id;
  const std::string who = classroom::shown(known);
  if (who.empty())
    return parts.empty() ? "somebody without a name" : fmt::format("{}", fmt::join(parts, ", "));
  return parts.empty() ? who : fmt::format("{} ({})", who, fmt::join(parts, ", "));
}

Joined join(const Person& person, const std::vector<Student>& roster) {
  std::vector<Key> keys;
  if (!person.id.empty())
    keys.push_back({"id", [&](const Student& student) { return student.id == person.id; }});
  if (!person.sid.empty())
    keys.push_back({"sid", [&](const Student& student) {
                      return (student.sid.empty() ? student.id : student.sid) == person.sid;
                    }});
  if (!person.email.empty())
    keys.push_back({"email", [&](const Student& student) {
                      const std::string email = small_letters(person.email);
                      return small_letters(student.email) == email || small_letters(student.id) == email;
                    }});
  if (!person.number.empty())
    keys.push_back({"number", [&](const Student& student) {
                      return student.number == person.number ||
                             (student.number.empty() && student.id == person.number &&
                              has_same_name(person, student));
                    }});
  keys.push_back({"name", [&](const Student& student) { return has_same_name(person, student); }});

  // Who is named by all keys that name anybody.
  std::set<const Student*> named, agreed;
  std::vector<const char*> hows;
  for (const Key& key : keys) {
    std::set<const Student*> by_key;
    for (const Student& student : roster)
      if (key.agrees(student)) by_key.insert(&student);
    if (by_key.empty()) continue;
    std::set<const Student*> both;
    for (const Student* student : by_key)
      if (agreed.contains(student)) both.insert(student);
    agreed = hows.empty() ? by_key : both;
    named.insert(by_key.begin(), by_key.end());
    hows.emplace_back(key.name);
  }
  if (agreed.size() == 1) {
    const Student& student = **agreed.begin();
    for (const auto& [what, theirs, ours] : {std::tuple("sid", &person.sid, &student.sid),
                                             std::tuple("number", &person.number, &student.number)})
      if (!theirs->empty() && !ours->empty() && *theirs != *ours)
        return {.candidates = {student.id},
                .problem = fmt::format("agrees with {} of the roster by {}, which has another {}",
                                       shown(student.id), fmt::join(hows, " and "), what)};
    const bool has_to_be_said = person.id.empty();
    return {.id = student.id,
            .name = student.name,
            .is_in_roster = true,
            .how = has_to_be_said ? fmt::format("{}", fmt::join(hows, " and ")) : "",
            .problem = ""};
  }
  if (!named.empty()) {
    Joined nobody;
    for (const Student* student : named) nobody.candidates.push_back(student->id);
    std::sort(nobody.candidates.begin(), nobody.candidates.end());
    std::vector<std::string> ids;
    for (const std::string& id : nobody.candidates) ids.push_back(shown(id));
    constexpr std::size_t kMaxShown = 5;
    if (ids.size() > kMaxShown) ids.resize(kMaxShown);
    nobody.problem = fmt::format("may be {} of the roster", fmt::join(ids, " or "));
    return nobody;
  }
  std::string id = person.id;
  for (const std::string* other :
       {&person.sid, &person.email, &person.number, &person.name, &person.run_together})
    if (id.empty()) id = *other;
  if (id.empty()) return {.problem = "has no name that is known"};
  const auto is_taken = [&id](const Student& student) { return student.id == id; };
  if (std::any_of(roster.begin(), roster.end(), is_taken))
    return {.candidates = {id},
            .problem = fmt::format("is called like {} of the roster, and has another name", shown(id))};
  return {.id = id, .name = person.name};
}

}  // namespace lockstep::classroom
