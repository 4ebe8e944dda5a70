// A student's file of predictions: one `name = number` on each line, `?` for what is not predicted yet,
// comments from # on. What a line says wrongly is reported by its number, and the others count.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "course/problem.h"
#include "emulator/core/observations.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

/// Lines that are reported one by one; of those after them the number alone.
inline constexpr std::size_t kMaxUnreadLines = 10;
/// The largest number that is taken for a prediction.
inline constexpr double kMaxPrediction = 1e9;

struct PredictionFile {
  std::map<std::string, double> numbers;     ///< by the name of the prediction; of a ? none
  std::vector<result::SourceRemark> unread;  ///< what says nothing that could be graded
};

/// Whatever `text` holds.
PredictionFile read_predictions(const std::string& file_name, const std::string& text,
                                const std::vector<course::Prediction>& wanted);

/// Beside `predicted`, what `observations` of its case count. The place of a wrong one is in `kernels`.
/// Throws std::runtime_error where that count is no number.
result::PredictionResult judge_prediction(const course::Prediction& one, std::optional<double> predicted,
                                          const emulator::Observations& observations,
                                          const SourceText& kernels);

}  // namespace lockstep::judge
