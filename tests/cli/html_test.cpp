// The page of a report: what it shows, and that nothing of a submission becomes markup. check_page.py reads
// each page as a browser does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "report/html.h"
#include "report/markup.h"
#include "sample_reports.h"
#include "shell.h"

namespace lockstep::test {
namespace {

using namespace report;
using namespace result;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The page's text. Fails where the page holds what it may not hold.
std::string text_of_page(const std::string& page) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lockstep-page-" + std::to_string(getpid()) + ".html");
  std::ofstream(file) << page;
  const Ran read = run(PYTHON " -B '" TESTS_FOLDER "/check_page.py' '" + file.string() + "'");
  EXPECT_EQ(read.status, 0);
  const Ran lint = run("xmllint --noout '" + file.string() + "' 2>&1");
  EXPECT_EQ(lint.status, 0) << lint.output;
  std::filesystem::remove(file);
  return read.output;
}

std::string page_of(const ExerciseResult& result) { return render_html(report_of({result})); }

/// What a submission may say, where an element, an attribute in either quotes, a comment, a style and a
/// section of characters would end.
const std::string kHostileText =
    std::string("<script>alert(1)</script></pre></code></style></title>--><!-- ]]>") +
    "\" onmouseover=\"alert(2)\" ' onfocus='alert(3)' <img src=x onerror=alert(4)> "
    "&lt;b&gt; javascript:alert(5) \x1B[31m\x1B]0;title\a" +
    std::string(1, '\0') + "\xFF\xFE\xC3\x28 \xE2\x80\xAE";

emulator::AccessTrace column_of_a_tile(unsigned line) {
  emulator::AccessTrace trace;
  trace.line = {"transpose.cu", line};
  trace.space = "shared";
  trace.operation = "load";
  trace.active = 0xFFFFFFFF;
  for (unsigned lane = 0; lane < 32; ++lane) trace.addresses[lane] = std::uint64_t{128} * lane;
  trace.units = 32;
  trace.ideal_units = 1;
  return trace;
}

emulator::LineCounters counters_at(const std::string& file, unsigned line, std::uint64_t wavefronts) {
  emulator::LineCounters counters;
  counters.line = {file, line};
  counters.warps = 10;
  counters.lanes = 320;
  counters.shared_load.requests = counters.shared_load.ideal_units = 10;
  counters.shared_load.units = wavefronts;
  return counters;
}

/// As inefficient(), with source, counters and an access of line 24.
ExerciseResult with_counters() {
  ExerciseResult result = inefficient();
  for (int line = 1; line < 24; ++line) result.source += "// line\n";
  result.source += "  out[column * rows + row] = tile[threadIdx.x][threadIdx.y];\n";
  result.measured_case = "2048 x 1536";
  result.measured_calls = 2;
  result.lines = {counters_at("transpose.cu", 20, 10), counters_at("transpose.cu", 24, 320)};
  result.shared_accesses = {column_of_a_tile(20), column_of_a_tile(24)};
  return result;
}

Attempt attempt(std::uint64_t number, Verdict verdict, double points) {
  return {.number = number,
          .when = "2026-03-01T12:34:56Z",
          .submission = "exercises/05-transpose/transpose.cu",
          .device = "emulated device",
          .verdict = verdict,
          .points = points,
          .max_points = 10,
          .passed_cases = 12,
          .cases = 20,
          .passed_gates = 1,
          .gates = 2,
          .cost = 123'456,
          .measured_case = "2048 x 1536"};
}

/// Everything that a submission can choose is kHostileText.
ExerciseResult hostile_everywhere() {
  ExerciseResult result = hostile();
  const std::string& bad = kHostileText;
  const Place place{bad + ".cu", 2, bad, bad};
  result.submission = "exercises/" + bad + ".cu";
  result.source = bad + '\n' + bad + '\n' + std::string(100'000, '<');
  result.message = result.compiler_output = result.output = result.next_step = bad;
  result.compiler_error = CompilerError{place, bad, bad};
  result.further_errors = {{place, bad, ""}};
  result.case_command = bad;
  CaseResult failed = result.cases[0];
  failed.name = failed.purpose = failed.message = failed.guess = failed.output = failed.remark = bad;
  failed.mismatches = {{bad, bad, bad}};
  failed.wrong = failed.total = 3;
  failed.places = {place, place};
  failed.shown =
      ShownCall{1, 1, {{.kind = ShownArgument::Kind::output, .name = bad, .values = {bad}, .found = {bad}}}};
  result.cases = {failed, failed};
  GateResult gate;
  gate.name = gate.puzzle = gate.description = gate.case_name = gate.explanation = gate.advice = bad;
  gate.verdict = Verdict::inefficient;
  gate.worst = {place};
  gate.value = std::numeric_limits<double>::quiet_NaN();
  result.gates = {gate};
  result.puzzles = {{bad, bad, Verdict::crashed, 0, 1, bad}};
  result.predictions = {
      {.name = bad, .question = bad, .unit = bad, .predicted = 1, .places = {place}, .why = bad}};
  result.unread = result.remarks = {{place, bad}};
  result.measured_case = bad;
  // The name alone counts, and a path's last part is what follows its last slash.
  result.lines = {counters_at(std::filesystem::path(result.submission).filename(), 1, 320)};
  emulator::KernelWork kernel;
  kernel.kernel = bad;
  result.kernels = {kernel};
  emulator::AccessTrace trace = column_of_a_tile(1);
  trace.line.file = bad + ".cu";
  trace.operation = bad;
  result.shared_accesses = result.global_accesses = {trace};
  Attempt before = attempt(1, Verdict::crashed, 1), now = attempt(2, Verdict::race, 0);
  for (Attempt* one : {&before, &now}) one->when = one->submission = one->device = one->measured_case = bad;
  result.attempts = {before, now};
  return result;
}

TEST(Markup, EscapesWhateverItIsGiven) {
  EXPECT_EQ(escaped_markup("<a href='x' title=\"&amp;\">\n"),
            "&lt;a href=&#39;x&#39; title=&quot;&amp;amp;&quot;&gt;\n");
  EXPECT_EQ(Markup::page("<b>", "", Markup::element("p", {{"title", "\"\n>"}}, "]]>\x1B[2J\xFF")),
            Markup::page("<b>", "", Markup::element("p", {{"title", "\" >"}}, "]]>?")));
}

TEST(Markup, LinksToFilesStayBelowTheFolder) {
  const auto address_of = [](const char* path) {
    const std::string page = Markup::page("", "", Markup::file_link(path, Markup::text("<x>")));
    const std::size_t at = page.find("<a href=\"") + 9;
    EXPECT_THAT(page, HasSubstr(">&lt;x&gt;</a>"));
    return page.substr(at, page.find('"', at) - at);
  };
  EXPECT_EQ(address_of("reports/anna-1/index.html"), "./reports/anna-1/index.html");
  EXPECT_EQ(address_of("//host/x"), ".///host/x") << "a path that begins with . has no host (RFC 3986, 4.2)";
  EXPECT_EQ(address_of("javascript:alert(1)"), "./javascript%3Aalert%281%29");
  EXPECT_EQ(address_of("a b\"><script>&\xC3\xA5?#"), "./a%20b%22%3E%3Cscript%3E%26%C3%A5%3F%23");
}

TEST(HtmlReport, EveryKindIsASoundPage) {
  const std::string text = text_of_page(render_html(every_kind()));
  for (const char* shown :
       {"seed 42", "Warning: bubblewrap cannot", "wrong-answer", "Likely cause", "transpose.cu:24",
        "expected a \";\"", "0.85 of the reference's", "The device process ended"})
    EXPECT_THAT(text, HasSubstr(shown));
  const std::string others =
      text_of_page(render_html(report_of({of_puzzles(), bug_hunt(5), of_predictions(), one_case()})));
  for (const char* shown : {"first_kernels.cu does not define slope", "5 lines changed, at most 4",
                            "is shown once the prediction is right", "case 2 x 5 alone, without points"})
    EXPECT_THAT(others, HasSubstr(shown));
}

TEST(HtmlReport, NothingThatASubmissionSaysBecomesMarkup) {
  const std::string page = page_of(hostile_everywhere());
  const std::string text = text_of_page(page);
  EXPECT_THAT(text, HasSubstr("<script>alert(1)</script></pre>")) << "it is shown as it was written";
  for (const char* markup :
       {"<script", "<img", "\x1B", "\xE2\x80\xAE", "onmouseover=\"", "onfocus='", "<!--", "]]>"})
    EXPECT_THAT(page, Not(HasSubstr(markup)));
  EXPECT_EQ(page.find('\0'), std::string::npos);
  EXPECT_LT(page.size(), std::size_t{4} << 20);
}

TEST(HtmlReport, AFailingCheckOfAPageIsSeen) {
  std::string page = page_of(wrong_answer());
  page.insert(page.find("<main>") + 6, "<p onclick=\"x\">&nbsp;</p>");
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lockstep-bad-page-" + std::to_string(getpid()) + ".html");
  std::ofstream(file) << page;
  EXPECT_EQ(run(PYTHON " -B '" TESTS_FOLDER "/check_page.py' '" + file.string() + "' 2>&1 >/dev/null").status,
            1);
  std::filesystem::remove(file);
}

TEST(HtmlReport, TheCostlyLineHasItsNumbersAdviceAndDrawing) {
  const ExerciseResult result = with_counters();
  ASSERT_EQ(drawn_accesses(result).size(), 1U);
  EXPECT_EQ(drawn_accesses(result)[0].line.line, 24U);
  const std::string page = page_of(result);
  EXPECT_THAT(page, HasSubstr("<td class=\"number heat-3\" data-label=\"wavefronts per request\">32.0</td>"
                              "<td class=\"number heat-3\" data-label=\"excess wavefronts\">97 %</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"number heat-0\" data-label=\"wavefronts per request\">1.00</td>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#exercise-1-line-24\"><code>transpose.cu:24</code></a>"));
  EXPECT_THAT(page, HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"access\" role=\"img\""));
  const std::string text = text_of_page(page);
  EXPECT_THAT(text, HasSubstr("Counted on the emulated device: 2 calls of case 2048 x 1536."));
  EXPECT_THAT(text, HasSubstr("10 requests, 320 wavefronts, ideal 10"));
  EXPECT_THAT(
      text, HasSubstr("shared-wavefronts: 32 wavefronts per request, ideal 1. The lanes of a warp go down"));
  EXPECT_THAT(text, HasSubstr("shared load, 4 bytes per lane: 32 wavefronts, ideal 1"));
}

TEST(HtmlReport, ALineIsDrawnWhereAllCasesPassedAndALineAccessesMemory) {
  ExerciseResult result = with_counters();
  result.gates[1].worst[0].line = 20;
  ASSERT_EQ(drawn_accesses(result).size(), 1U);
  EXPECT_EQ(drawn_accesses(result)[0].line.line, 20U) << "that of the gate";
  result.gates[1].worst[0].line = 7;
  ASSERT_EQ(drawn_accesses(result).size(), 1U);
  EXPECT_EQ(drawn_accesses(result)[0].line.line, 24U)
      << "the costliest, as no warp accesses memory at that of the gate";
  result.global_accesses = {column_of_a_tile(24), column_of_a_tile(9)};
  EXPECT_EQ(drawn_accesses(result).size(), 2U) << "of both memories";
  for (auto* accesses : {&result.shared_accesses, &result.global_accesses})
    for (emulator::AccessTrace& access : *accesses) access.line.file = "other.h";
  EXPECT_TRUE(drawn_accesses(result).empty());
  result = with_counters();
  result.cases[0].verdict = Verdict::race;
  EXPECT_TRUE(drawn_accesses(result).empty());
  EXPECT_TRUE(drawn_accesses(passed_on_a_gpu()).empty());
}

TEST(HtmlReport, AttemptsAreDrawnAndListed) {
  ExerciseResult result = with_counters();
  result.attempts = {attempt(7, Verdict::race, 0)};
  EXPECT_THAT(page_of(result), AllOf(HasSubstr("Your attempts"), Not(HasSubstr("<polyline"))));
  result.attempts.push_back(attempt(8, Verdict::inefficient, 5));
  result.attempts.push_back(attempt(9, Verdict::passed, 10));
  result.attempts.back().ceiling_share = 0.83;
  const std::string page = page_of(result);
  EXPECT_THAT(page, HasSubstr("<polyline points=\"44.0,152.0 374.0,84.0 704.0,16.0\">"));
  EXPECT_THAT(page, HasSubstr("aria-label=\"Points of 3 attempts: 0.0 in attempt 7, 10.0 in attempt 9, most "
                              "10.0 in attempt 9\""));
  EXPECT_LT(page.find("<th scope=\"row\">9</th>"), page.find("<th scope=\"row\">8</th>"));
  EXPECT_THAT(
      text_of_page(page),
      HasSubstr(
          "92026-03-01 12:34✓ passed10.0 of 1012 of 201 of 283 % of what the GPU can123456 in 2048 x 1536"));
  for (std::uint64_t i = 10; i < 30; ++i) result.attempts.push_back(attempt(i, Verdict::race, 0));
  EXPECT_THAT(text_of_page(page_of(result)), HasSubstr("Older attempts"));
}

TEST(HtmlReport, ABrowserShowsWhatAKeyboardAndAScreenReaderCanUse) {
  ExerciseResult result = with_counters();
  result.attempts = {attempt(1, Verdict::race, 0), attempt(2, Verdict::inefficient, 5)};
  ExerciseResult on_gpu = passed_on_a_gpu();
  on_gpu.speed.ladder = {{"naive", 0.2}, {"padded", 0.8}, {"reference", 1}};
  on_gpu.speed.on_ladder = 0.853;
  // A page that fails shows that the others are looked at.
  std::string faulty = page_of(wrong_answer());
  faulty.insert(faulty.find("<h2"),
                "<p onclick=\"x\"><img src=\"https://example.org/x.png\"/></p>"
                "<div class=\"wide\" tabindex=\"-1\"><details><summary></summary></details></div>");
  const TemporaryFolder folder;
  folder.write("page.html", render_html(report_of({result, explained_compile_error(), on_gpu})));
  ExerciseResult hostile = hostile_everywhere();
  hostile.source = kHostileText + '\n' + kHostileText;  // without the line that takes long to lay out
  folder.write("hostile.html", page_of(hostile));
  folder.write("faulty.html", faulty);
  const Ran browsed =
      run("cd '" + folder.path().string() +
          "' && " PYTHON " -B '" TESTS_FOLDER "/browse_page.py' page.html hostile.html faulty.html 2>&1");
  constexpr int kNoBrowser = 77;
  if (browsed.status == kNoBrowser) GTEST_SKIP() << browsed.output;
  EXPECT_THAT(browsed.output, HasSubstr("faulty.html: an attribute onclick of p\n"));
  EXPECT_THAT(browsed.output, HasSubstr("faulty.html: an element img\n"));
  EXPECT_THAT(browsed.output, AllOf(Not(HasSubstr("page.html: ")), Not(HasSubstr("hostile.html: "))));
}

TEST(HtmlReport, FindingsStandAtTheirLinesOncePerKind) {
  ExerciseResult result = race();
  result.cases.push_back(result.cases[0]);
  for (int line = 1; line <= 24; ++line) result.source += "code\n";
  const std::string text = text_of_page(page_of(result));
  EXPECT_THAT(text, HasSubstr("race, first: writes (case 64 x 64 and 1 more): "));
  EXPECT_THAT(text, HasSubstr("race, then: reads (case 64 x 64 and 1 more): "));
  EXPECT_THAT(text, HasSubstr("1 more case failed"));
}

TEST(HtmlReport, CasesThatWereNotRunHaveTheirReason) {
  ExerciseResult result = race();
  result.cases.emplace_back();
  result.cases.back().verdict = result::Verdict::not_measured;
  result.cases.back().message = "not run: there was no time";
  EXPECT_THAT(text_of_page(page_of(result)), HasSubstr("1 case not run: there was no time."));
}

TEST(HtmlReport, CompilerErrorsStandAtTheirLines) {
  ExerciseResult result = explained_compile_error();
  for (int line = 1; line <= 20; ++line) result.source += "code\n";
  result.further_errors = {{{"transpose.cu", 15, "code"}, "identifier \"n\" is undefined", ""}};
  const std::string page = page_of(result);
  const std::size_t line = page.find("id=\"exercise-1-line-15\"");
  ASSERT_NE(line, std::string::npos);
  EXPECT_THAT(page.substr(line, 400), HasSubstr("The compiler says: identifier &quot;n&quot; is undefined"));
  EXPECT_THAT(text_of_page(page), HasSubstr("A ; is missing in this line"));
}

TEST(HtmlReport, TheLadderShowsWhereTheSubmissionStands) {
  ExerciseResult result = passed_on_a_gpu();
  result.speed.ladder = {{"naive", 0.2}, {"padded", 0.8}, {"reference", 1}};
  result.speed.on_ladder = 0.853;
  const std::string page = page_of(result);
  const std::size_t own = page.find("<tr class=\"own\" aria-current=\"true\">");
  EXPECT_LT(page.find(">reference<"), own);
  EXPECT_LT(own, page.find(">padded<"));
  EXPECT_LT(page.find(">padded<"), page.find(">naive<"));
  EXPECT_THAT(text_of_page(page), HasSubstr("between padded and reference"));
}

TEST(HtmlReport, WithoutAGpuTheLadderIsTheRecordedOne) {
  ExerciseResult result = with_counters();
  result.speed.ladder = {{"naive", 0.2}, {"padded", 0.8}, {"reference", 1}};
  result.speed.ladder_gpu = "NVIDIA <H200>";
  result.speed.ladder_size = "8192 x 8192";
  const std::string page = page_of(result);
  EXPECT_LT(page.find(">padded<"), page.find(">naive<"));
  EXPECT_THAT(page, Not(HasSubstr("your submission<")));
  EXPECT_THAT(text_of_page(page), AllOf(HasSubstr("speed not measured: it needs a GPU"),
                                        HasSubstr("as recorded on NVIDIA <H200> (8192 x 8192)")));
}

TEST(HtmlReport, OfALongSourceTheLinesWithSomethingToSayAreShown) {
  ExerciseResult result = race();
  result.cases[0].places[0].line = 9000;
  for (int line = 1; line <= 10'000; ++line) result.source += "code\n";
  const std::string text = text_of_page(page_of(result));
  EXPECT_THAT(text, HasSubstr("9000code"));
  EXPECT_THAT(text, HasSubstr("… 5999 lines of which nothing was found are left out"));
}

}  // namespace
}  // namespace lockstep::test
