#include "sample_reports.h"

#include <utility>

#include "report/finding_words.h"

namespace lockstep::test {

using namespace result;

namespace {

ExerciseResult transpose(Verdict verdict) {
  ExerciseResult result;
  result.name = "transpose";
  result.title = "Transpose a matrix";
  result.submission = "exercises/05-transpose/transpose.cu";
  result.verdict = verdict;
  result.max_points = 10;
  return result;
}

CaseResult passed_case(const char* name, double seconds) {
  CaseResult one;
  one.name = name;
  one.seconds = seconds;
  return one;
}

CaseResult failed_case(const char* name, Verdict verdict) {
  CaseResult one;
  one.name = name;
  one.verdict = verdict;
  return one;
}

/// A thread reads of the tile what another has written.
emulator::Finding race_of_tiles() {
  using emulator::Finding;
  Finding race = Finding::make(Finding::Cause::unordered_accesses);
  race.space = Finding::Space::shared;
  race.scope = Finding::Scope::block;
  race.access = Finding::Access::read;
  race.other_access = Finding::Access::write;
  race.other = Finding::Other::thread;
  race.block_shape = {32, 8, 1};
  race.other_number = 5 * 32 + 3;
  race.address = 652;
  race.other_line = {"transpose.cu", 22};
  return race;
}

}  // namespace

ExerciseResult wrong_answer() {
  ExerciseResult result = transpose(Verdict::wrong_answer);
  CaseResult failed = failed_case("33 x 65", Verdict::wrong_answer);
  failed.purpose = "more than one tile each way, and neither side a multiple of 32";
  failed.message = "2 082 of 2 145 elements of out are wrong.";
  failed.mismatches = {{"row 0, column 1", "65", "1"},
                       {"row 0, column 2", "130", "2"},
                       {"row 0, column 3", "195", "3"},
                       {"row 12, column 4", "272.5", "-0.015625"},
                       {"row 64, column 32", "nan", "2144"}};
  failed.wrong = 2082;
  failed.total = 2145;
  failed.guess = "the output is the input unchanged: the matrix was copied, or transposed twice";
  result.cases = {passed_case("1 x 1", 0.02), passed_case("32 x 32", 0.04), failed,
                  failed_case("1025 x 7", Verdict::wrong_answer),
                  failed_case("1003 x 1001", Verdict::time_limit)};
  result.next_step =
      "Work out on paper where element (0, 1) of a 2 x 3 matrix has to go, then look at the index that "
      "your kernel writes to. ./lockstep hint transpose gives a hint.";
  return result;
}

ExerciseResult of_puzzles() {
  ExerciseResult result;
  result.name = "first-kernels";
  result.submission = "exercises/02-first-kernels/first_kernels.cu";
  result.verdict = Verdict::wrong_answer;
  result.points = 2;
  result.max_points = 6;
  result.speed.counts = false;
  result.puzzles = {{"limit", "keep every element between two bounds", Verdict::passed, 2, 2, ""},
                    {"blend", "mix two vectors by a weight", Verdict::wrong_answer, 0, 2, ""},
                    {"slope", "subtract neighbours", Verdict::compile_error, 0, 2,
                     "first_kernels.cu does not define slope"}};
  CaseResult failed = failed_case("blend 33", Verdict::wrong_answer);
  failed.puzzle = "blend";
  failed.message = "33 of 33 elements of out are wrong";
  result.cases = {passed_case("limit 1", 0.1), passed_case("limit 33", 0.1), failed};
  for (std::size_t i = 0; i < 2; ++i) result.cases[i].puzzle = "limit";
  result.previous_passed = 1;
  GateResult gate;
  gate.puzzle = "limit";
  gate.name = "parallelism";
  gate.value = 1024;
  gate.limit = 8;
  gate.at_least = true;
  result.gates = {gate, gate};
  result.gates[1].puzzle = "blend";
  result.gates[1].verdict = Verdict::not_measured;
  result.next_step = "Give `b` the weight, and `a` 1 - weight.";
  return result;
}

ExerciseResult bug_hunt(std::uint64_t changed_lines) {
  const Verdict verdict = changed_lines <= 4 ? Verdict::passed : Verdict::too_many_changes;
  ExerciseResult result = transpose(verdict);
  result.cases = {passed_case("33 x 65", 0.5)};
  result.repair = {.changed_lines = changed_lines, .max_changed_lines = 4, .verdict = verdict};
  return result;
}

ExerciseResult of_predictions() {
  ExerciseResult result;
  result.name = "predictions";
  result.submission = "exercises/03-predictions/predictions.txt";
  result.verdict = Verdict::wrong_answer;
  result.points = 1.25;
  result.max_points = 5;
  result.speed.counts = false;
  const std::string sectors = "sectors per request";
  result.predictions = {
      {.name = "apart_sectors",
       .question = "How many sectors does one load of a warp take in apart_kernel?",
       .unit = sectors,
       .predicted = 4,
       .measured = 32,
       .places = {{"kernels.cu", 23, "  out[i] = in[8 * i];", ""}},
       .why = "Neighbouring lanes are 32 bytes apart."},
      {.name = "thirds_sectors",
       .question = "How many sectors does one load of a warp take in thirds_kernel?",
       .unit = sectors,
       .predicted = 32.5,
       .is_withheld = true,
       .places = {{"kernels.cu", 28, "  out[i] = in[3 * i];", ""}},
       .why = "Neighbouring lanes are 12 bytes apart."},
      {.name = "fourths_lanes",
       .question = "How many lanes take part in one store?",
       .unit = "lanes per request",
       .verdict = Verdict::passed,
       .predicted = 8,
       .measured = 8},
      {.name = "rounds_requests", .question = "How many loads does each warp request?", .unit = "requests"}};
  result.unread = {
      {{"predictions.txt", 12, "rounds_requests = \x1B[2J many"}, "\"\x1B[2J many\" is no number."},
      {{"predictions.txt", 0, ""}, "predictions.txt has no line for resident_warps."}};
  result.next_step = "Correct predictions.txt:12: it could not be read.";
  return result;
}

ExerciseResult race() {
  ExerciseResult result = transpose(Verdict::race);
  CaseResult failed = failed_case("64 x 64", Verdict::race);
  failed.purpose = "several whole tiles";
  failed.message = report::sentence_of(race_of_tiles(), report::Reader::student) +
                   ", in transpose_kernel, block (0, 1, 0), thread (5, 3, 0)";
  failed.places = {
      {"transpose.cu", 22, "  tile[threadIdx.y][threadIdx.x] = in[row * columns + column];", "first: writes"},
      {"transpose.cu", 24, "  out[column * rows + row] = tile[threadIdx.x][threadIdx.y];", "then: reads"}};
  result.cases = {failed};
  result.next_step = "Put a __syncthreads() between the two lines.";
  return result;
}

ExerciseResult inefficient() {
  ExerciseResult result = transpose(Verdict::inefficient);
  result.points = 5;
  result.cases = {passed_case("33 x 65", 0.5), passed_case("2048 x 1536", 1.25)};
  GateResult sectors;
  sectors.name = "global-sectors";
  sectors.value = 1;
  sectors.limit = 1.5;
  GateResult wavefronts;
  wavefronts.name = "shared-wavefronts";
  wavefronts.description =
      "Wavefronts of shared memory over the fewest that the same accesses could take; ideal 1.";
  wavefronts.value = 16.5;
  wavefronts.limit = 1.5;
  wavefronts.verdict = Verdict::inefficient;
  wavefronts.case_name = "2048 x 1536";
  wavefronts.worst = {{"transpose.cu", 24, "  out[column * rows + row] = tile[threadIdx.x][threadIdx.y];"}};
  wavefronts.explanation = "32 wavefronts per request, ideal 1";
  wavefronts.advice =
      "The lanes of a warp go down a column of the tile, and all of it lies in one bank. Make the rows "
      "of the tile one element longer.";
  GateResult parallelism;
  parallelism.name = "parallelism";
  parallelism.value = 3072;
  parallelism.limit = 3;
  parallelism.at_least = true;
  result.gates = {sectors, wavefronts, parallelism};
  result.next_step = "./lockstep profile transpose --trace 24 draws which lanes meet in which bank.";
  return result;
}

ExerciseResult compile_error() {
  ExerciseResult result = transpose(Verdict::compile_error);
  result.message = "The compiler does not accept transpose.cu.";
  result.compiler_output =
      "transpose.cu(14): error: expected a \";\"\n    out[i] = in[i]\n                  ^\n\n1 error "
      "detected in the compilation of \"transpose.cu\".\n";
  result.next_step = "Fix the first error: later ones often follow from it.";
  return result;
}

ExerciseResult explained_compile_error() {
  ExerciseResult result = compile_error();
  result.compiler_error = {{"transpose.cu", 13, "    out[i] = in[i]"},
                           "expected a \";\"",
                           "A ; is missing in this line, most often at its end."};
  return result;
}

ExerciseResult one_case() {
  using Kind = ShownArgument::Kind;
  ExerciseResult result = transpose(Verdict::wrong_answer);
  result.max_points = 0;
  result.only_case = "2 x 5";
  CaseResult failed = failed_case("2 x 5", Verdict::wrong_answer);
  failed.purpose = "few elements";
  failed.message = "2 of 10 elements of out are wrong";
  failed.mismatches = {{"row 0, column 1", "-2.5", "never written"}, {"row 4, column 0", "9", "8"}};
  failed.wrong = 2;
  failed.total = 10;
  failed.output = "thread 0 reads 1\nthread 1 reads 2\n";
  failed.shown = ShownCall{2,
                           2,
                           {{.kind = Kind::input,
                             .name = "in",
                             .type = "float",
                             .size = 10,
                             .values = {"1", "2", "3", "4", "9", "-2.5", "0", "0", "0", "nan"}},
                            {.kind = Kind::output,
                             .name = "out",
                             .type = "float",
                             .size = 200,
                             .values = {"1", "-2.5", "2"},
                             .found = {"1", "never written", "2"}},
                            {.kind = Kind::scalar, .name = "rows", .type = "int", .values = {"2"}},
                            {.kind = Kind::scalar, .name = "columns", .type = "int", .values = {"5"}},
                            {.kind = Kind::input,
                             .name = "points",
                             .type = "float",
                             .size = 1,
                             .fields = 3,
                             .values = {"1", "2", "3"}}}};
  result.cases = {failed};
  result.next_step = "Work it out by hand.";
  return result;
}

ExerciseResult passed_on_a_gpu() {
  ExerciseResult result = transpose(Verdict::passed);
  result.points = 9.5;
  result.cases = {passed_case("33 x 65", 0), passed_case("2048 x 1536", 0)};
  GateResult sectors;
  sectors.name = "global-sectors";
  sectors.value = 1.218;
  sectors.limit = 1.5;
  result.gates = {sectors};
  result.speed.verdict = Verdict::passed;
  result.speed.ratio = 0.853;
  result.speed.points_share = 0.97;
  result.speed.interval = {{0.84, 0.87}};
  result.speed.ceiling_share = 0.781;
  result.speed.ceiling = {"copied-bytes", "what this GPU's memory can copy", 4.213e12, "B/s"};
  result.speed.call_seconds = 9.41e-5;
  result.speed.between = {"padded", "reference"};
  result.output = "a line that nobody has to see once everything passed\n";
  return result;
}

GpuDuringSpeed throttled_gpu() {
  return {.sm_mhz = 1410,
          .memory_mhz = std::nullopt,
          .temperature_celsius = 88,
          .power_milliwatts = 691'500,
          .repeated_rounds = 9,
          .throttled_rounds = 2,
          .throttle_reasons = {"power cap", "software thermal slowdown"}};
}

ExerciseResult grader_error() {
  ExerciseResult result = transpose(Verdict::grader_error);
  result.message = "The device process ended: this is a fault of the grader, not of your code.";
  return result;
}

ExerciseResult hostile() {
  ExerciseResult result = transpose(Verdict::crashed);
  CaseResult failed = failed_case("1 x 1", Verdict::crashed);
  failed.message = "exit(\"<b>&\x1B[31m\")\a";
  failed.places = {{"]]>.cu", 1, "\x1B]0;title\a#define passed \xFF\xFE"}};
  result.cases = {failed};
  result.output =
      "\x1B[2J\x1B[1;1Htranspose: passed 10/10\r\n<testcase name=\"fake\"/>\x01\xC3\x28\n\tlast line without "
      "end";
  result.output_truncated = true;
  return result;
}

Report report_of(std::vector<ExerciseResult> exercises) {
  Report report;
  report.device = {"emulated", "Lockstep emulated device"};
  report.exercises = std::move(exercises);
  report.seed = "42";
  return report;
}

Report every_kind() {
  Report report = report_of(
      {wrong_answer(), race(), inefficient(), compile_error(), passed_on_a_gpu(), grader_error(), hostile()});
  report.warnings = {
      "bubblewrap cannot make namespaces here: submissions run with limits, but see the file system."};
  return report;
}

}  // namespace lockstep::test
