// Who handed something in, as a course system names them, and who of the roster that is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classroom/roster.h"

namespace lockstep::classroom {

/// What a course system says of who handed in; what it does not say is empty. Any bytes.
struct Person {
  std::string id;            ///< where the entry's name is the roster's id
  std::string name;          ///< in full
  std::string run_together;  ///< last and first name without spaces, as Canvas writes them
  std::string sid, email;
  std::string number;  ///< Moodle's of a participant, Canvas's of a user

  /// For an instructor, printable: "Anna (sid 5)".
  std::string shown() const;
};

/// Whose it is.
struct Joined {
  std::string id, name;
  bool is_in_roster = false;
  std::string how;                      ///< what agreed, such as "sid and name"; empty where nothing had to
  std::vector<std::string> candidates;  ///< ids of the roster that it may be, where nobody knows
  std::string problem;  ///< why nobody knows, a sentence's end: "may be anna or bob of …"; then no id
};

/// Joins by everything that both sides have: id, sid, email, number, name. Who is named by one and not by
/// another of them, or two students who are named alike, are a problem and never a choice. A number counts in
/// the place of an id only where the names agree. Who is not in the roster has what the system says for an
/// id.
Joined join(const Person& person, const std::vector<Student>& roster);

/// A name as names are compared: small letters, one space between words, and "Last, First" turned round.
std::string compared_name(std::string_view name);

}  // namespace lockstep::classroom
