// What every problem.cpp must obey, so that a mistake in an exercise is found when it is written and not by a
// student.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/problem.h"

namespace lockstep::course {

/// The topic of a folder: "block-scan" of "09-block-scan". Empty when the name is not NN-topic.
std::string topic_of(std::string_view folder_name);

/// A topic as an identifier and as a file's stem: "block_scan" of "block-scan".
std::string identifier_of(std::string_view topic);

/// One sentence for each rule that the problem breaks; none when it is sound.
std::vector<std::string> broken_rules(const Problem& problem, std::string_view folder_name);

}  // namespace lockstep::course
