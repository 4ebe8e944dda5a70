// Which file --submission means for an exercise.
#pragma once

#include <filesystem>

#include "build/submission_source.h"
#include "course/catalogue.h"

namespace lockstep::judge {

/// The file itself, topic.cu in a folder, or NN-topic/topic.cu in a tree such as solutions/. Returns what was
/// expected even when it does not exist. `path` may be a link; below it none is followed.
build::SubmissionFile resolve_submission(const course::Exercise& exercise, const std::filesystem::path& path);

}  // namespace lockstep::judge
