// Which file --submission means for an exercise.
#pragma once

#include <filesystem>

#include "course/catalogue.h"

namespace lockstep::judge {

/// The file itself, topic.cu in a folder, or NN-topic/topic.cu in a tree such as solutions/. Returns the path
/// that was expected even when it does not exist.
std::filesystem::path resolve_submission(const course::Exercise& exercise, const std::filesystem::path& path);

}  // namespace lockstep::judge
