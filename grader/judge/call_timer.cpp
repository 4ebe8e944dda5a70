#include "judge/call_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <future>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "emulator/core/processors.h"
#include "judge/comparison.h"
#include "judge/host_memory.h"
#include "judge/keyed_random.h"
#include "judge/limits.h"

namespace lockstep::judge {
namespace {

using course::Argument;
using result::Verdict;
using OutcomeKind = runner::Outcome::Kind;

// Where inputs are used again: how many there are, and so many bytes of buffers that no cache holds what the
// calls before left.
constexpr std::size_t kFewContents = 8;
constexpr double kBytesBetweenUses = 512e6;
/// Of K calls together, beside which a few microseconds of noise do not show.
constexpr std::chrono::duration<double> kEnoughTime{0.05};

bool is_buffer(const Argument& argument) {
  return argument.kind == Argument::Kind::input || argument.kind == Argument::Kind::output ||
         argument.kind == Argument::Kind::workspace;
}

/// Whether the vault holds it: an input, or what must come out.
bool is_kept(const Argument& argument) {
  return argument.kind == Argument::Kind::input || argument.kind == Argument::Kind::output;
}

/// Whether any GPU computes longer on a case than it moves its bytes, so that caches do not matter.
bool is_bound_by_arithmetic(const course::Cost& cost) {
  constexpr double kOperationsForAByte = 64;  // GPUs have 5 to 30
  return cost.fused_multiply_adds + cost.special_functions + cost.integer_products >
         kOperationsForAByte * cost.global_bytes;
}

/// In several sums, as a single chain of additions would take longer than to draw the floats.
double sum_of_floats(std::span<const std::byte> bytes) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  for (std::size_t i = 0; (i + 1) * sizeof(float) <= bytes.size(); ++i) {
    float one = 0;
    std::memcpy(&one, bytes.data() + i * sizeof one, sizeof one);
    sums[i % kSums] += static_cast<double>(one);
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Which compares bits, of an array of so many bytes.
course::Output any_bits(std::size_t bytes) {
  const bool whole_words = bytes % sizeof(std::uint64_t) == 0;
  return {.type = whole_words ? course::ElementType::u64 : course::ElementType::u8};
}

/// Of the reference.
void require_no_fault(const std::optional<ProgramFault>& fault) {
  if (fault) throw std::runtime_error(fmt::format("the reference itself fails: {}", fault->message));
}

/// Of the inputs of a call, after so many renewals.
Seed seed_of_call(const Seed& seed, int renewals, std::size_t content) {
  return derived_seed(seed, fmt::format("speed {} {}", renewals, content));
}

/// As many as there are processors, if half of the memory that is free has room for what they make.
std::size_t calls_made_at_once(const course::Case& one) {
  const double room = free_host_memory() / 2 / (CallTimer::host_bytes_needed(one) + 1);
  const double processors = emulator::usable_processors();
  return static_cast<std::size_t>(std::max(1.0, std::min(room, processors)));
}

}  // namespace

CallTimer::FirstCall::FirstCall(const course::Case& one_case, const Seed& seed) : one(&one_case) {
  KeyedRandom shared(derived_seed(seed, "speed")), random(seed_of_call(seed, 0, 0));
  make = one->prepare_many ? one->prepare_many(shared) : one->prepare;
  call = make(random);
}

CallTimer::PreparedInputs::PreparedInputs(const course::Case& one) {
  if (!one.prepare_inputs) return;
  KeyedRandom random(Seed{});
  has_answers_of_sums = true;
  std::size_t drawn = 0, of_words = 0;
  const course::Call call = one.prepare_inputs(random);
  for (const Argument& argument : call.arguments()) {
    if (argument.draw) ++drawn;
    if (argument.of_words) ++of_words;
    answers_of_sum.push_back(argument.output.answer_of_sum);
    if (argument.kind == Argument::Kind::output && !argument.output.answer_of_sum)
      has_answers_of_sums = false;
  }
  are_of_words = drawn > 0 && drawn == of_words;
}

CallTimer::CallTimer(const course::Problem& problem, const course::Case& one, device::TimingDevice& device,
                     Options options, std::optional<FirstCall> first)
    : problem_(problem),
      one_(one),
      options_(std::move(options)),
      prepared_(one),
      made_at_once_(calls_made_at_once(one)),
      vault_(device.open_vault()) {
  if (is_answered())
    answering_.starting =
        std::async(std::launch::async, [this] { return with_context(options_.reference()); });
  if (!first) first.emplace(one_, options_.seed);
  make_call_ = std::move(first->make);
  make_room(first->call);
  keep(0, first->call);
  first.reset();
  if (is_drawn_there()) compare_drawings();
  make_inputs(1);
  samples_ = vault_->allocate(sets_of_buffers() * shape_.size() * device::Vault::kSampleBytes);
  expected_sample_ = vault_->allocate(device::Vault::kSampleBytes);
}

void CallTimer::renew_inputs() {
  ++renewals_;
  make_inputs(0);
}

double CallTimer::host_bytes_needed(const course::Case& one) {
  constexpr double kCopies = 4;  // of inputs and outputs
  return kCopies * one.cost.global_bytes;
}

double CallTimer::bytes_needed(const course::Case& one, std::size_t calls) {
  // Kept inputs and expected outputs of 1 + 3K calls, and the buffers of 2K and of the one that is answered.
  return one.cost.global_bytes * static_cast<double>(2 + 5 * calls);
}

double CallTimer::bytes_of_process() const {
  constexpr double kUnit = 2 << 20;  // in which a GPU's memory is handed out
  double units = 0;
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    if (!is_buffer(shape_[a])) continue;
    const bool is_workspace = shape_[a].kind == Argument::Kind::workspace;
    const auto bytes = static_cast<double>(is_workspace ? workspace_limit_ : bytes_[a]);
    units += std::max(1.0, std::ceil(bytes / kUnit));
  }
  return units * kUnit * static_cast<double>(sets_of_buffers());
}

std::size_t CallTimer::contents() const {
  return options_.fresh_inputs ? 1 + 3 * options_.calls : std::min(kFewContents, sets_of_buffers());
}

std::size_t CallTimer::sets_of_buffers() const {
  if (options_.fresh_inputs) return 2 * options_.calls;
  const std::size_t most = options_.calls;
  if (is_bound_by_arithmetic(one_.cost)) return std::min(kFewContents, most);
  const auto wanted = static_cast<std::size_t>(kBytesBetweenUses / one_.cost.global_bytes) + 2;
  return std::min(wanted, most);
}

std::unique_ptr<Attempt> CallTimer::with_context(std::unique_ptr<Attempt> attempt) {
  const auto made = attempt->make_context(kLoadTime);
  if (made.kind != OutcomeKind::done)
    throw std::runtime_error(fmt::format("a process gets no context on the GPU: {}", made.message));
  return attempt;
}

Timing CallTimer::time_started(std::unique_ptr<Attempt>& started, const OpenAttempt& open) {
  if (const auto fault = load(problem_, *started)) return {.fault = fault_result(*fault)};
  try {
    return time_in(*started);
  } catch (const device::OutOfMemory&) {
    started.reset();  // and with it what its process holds
    allocate_sets(open()->session());
    return {.fault = fault_result({Verdict::memory_limit, kNoMemoryLeft, ""})};
  }
}

std::optional<ProgramFault> CallTimer::load(const course::Problem& problem, Attempt& attempt) {
  const auto loaded = attempt.load(problem.functions(), kLoadTime);
  if (loaded.kind == OutcomeKind::done) return std::nullopt;
  return fault_of(loaded, kLoadTime);
}

std::optional<ProgramFault> CallTimer::ask_for_workspace(Attempt& attempt) {
  if (!problem_.workspace) return std::nullopt;
  const auto asked = attempt.call(problem_.workspace->function, workspace_words_, kCallTime);
  if (asked.kind != OutcomeKind::done) return fault_of(asked, kCallTime);
  if (asked.value > workspace_limit_)
    return ProgramFault{Verdict::memory_limit, "it asks for more workspace than is allowed", ""};
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    if (shape_[a].kind == Argument::Kind::workspace) bytes_[a] = asked.value;
  }
  return std::nullopt;
}

Timing CallTimer::time_in(Attempt& attempt, bool is_checked) {
  if (const auto fault = ask_for_workspace(attempt)) return {.fault = fault_result(*fault)};
  allocate_sets(attempt.session());
  Timing timing = time_batches(attempt, is_checked);
  for (const std::vector<std::uint64_t>& set : sets_) {
    for (const std::uint64_t address : set) {
      if (address != 0) attempt.session().free(address);
    }
  }
  return timing;
}

Timing CallTimer::time_batches(Attempt& attempt, bool is_checked) {
  // The first call loads code and is not timed.
  Timing timing;
  BatchTime first, few, many;
  timing.fault = run_calls(attempt, 0, 1, is_checked, first);
  if (!timing.fault && !options_.fresh_inputs) timing.fault = run_calls(attempt, 0, 1, is_checked, first);
  timing.calls_failed = timing.fault.has_value();
  if (timing.fault) return timing;
  std::size_t calls = options_.calls;
  if (!options_.fresh_inputs) {
    // What is slow needs fewer calls to be timed as well, and must not take minutes.
    if (first.on_device > kEnoughTime / calls) {
      calls = std::max<std::size_t>(static_cast<std::size_t>(kEnoughTime / first.on_device), 1);
    }
    timing.fault = run_calls(attempt, 1, calls, is_checked, few);
    timing.calls_failed = timing.fault.has_value();
    timing.call = few.on_device / static_cast<double>(calls);
    return timing;
  }
  timing.fault = run_calls(attempt, 1, calls, is_checked, few);
  if (!timing.fault) timing.fault = run_calls(attempt, 1 + calls, 2 * calls, is_checked, many);
  timing.calls_failed = timing.fault.has_value();
  timing.batches = {.few = few.calls, .many = many.calls, .preparation = few.preparation + many.preparation};
  timing.call = (many.calls - few.calls) / static_cast<double>(calls);
  return timing;
}

Seed CallTimer::seed_of(std::size_t content) const { return seed_of_call(options_.seed, renewals_, content); }

course::Call CallTimer::make_call(std::size_t content) const {
  KeyedRandom random(seed_of(content));
  return make_call_(random);
}

/// For all calls of the case, which are alike except for what they hold.
void CallTimer::make_room(const course::Call& call) {
  keep_shape(call);
  calls_.assign(contents(), KeptCall(shape_.size()));
  nearest_answers_.assign(contents(), NearestAnswers(shape_.size()));
  for (KeptCall& kept : calls_) {
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      if (is_kept(shape_[a])) kept[a] = vault_->allocate(bytes_[a]);
    }
  }
}

void CallTimer::make_inputs(std::size_t first) {
  const auto make = [this](std::size_t content) {
    if (is_drawn()) {
      keep_inputs(content);
    } else {
      keep(content, make_call(content));
    }
  };
  std::deque<std::future<void>> being_made;
  for (std::size_t next = first, made = first; made < contents(); ++made) {
    for (; next < contents() && being_made.size() < made_at_once_; ++next)
      being_made.push_back(std::async(std::launch::async, make, next));
    if (options_.progress) {
      options_.progress(fmt::format("inputs of {}", one_.name), static_cast<int>(made),
                        static_cast<int>(contents()));
    }
    being_made.front().get();
    being_made.pop_front();
  }
  if (is_drawn_there()) draw_arrays(first);
  if (is_answered()) answer(first > 0);
}

void CallTimer::draw_arrays(std::size_t first) {
  std::vector<device::Drawing> drawings;
  for (std::size_t content = first; content < contents(); ++content)
    std::ranges::copy(drawings_of(content, content), std::back_inserter(drawings));
  vault_->draw_words(drawings);
  for (std::size_t content = first; prepared_.has_answers_of_sums && content < contents(); ++content) {
    const device::Drawing& array = drawings.at(content - first);  // the only one of the call
    keep_answers_of_sum(content, vault_->sum_of_floats(array.to, array.elements));
  }
}

std::vector<device::Drawing> CallTimer::drawings_of(std::size_t content, std::size_t place) const {
  const Seed seed = seed_of(content);
  KeyedRandom random(seed);
  const course::Call call = one_.prepare_inputs(random);
  std::uint64_t words = random.words_drawn();
  std::vector<device::Drawing> drawings;
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    const std::optional<course::OfWords>& of_words = call.arguments().at(a).of_words;
    if (!of_words) continue;
    device::Drawing drawing{.to = calls_[place][a],
                            .elements = bytes_[a] / of_words->element_bytes,
                            .first_word = words,
                            .map = of_words->map,
                            .parameter = of_words->parameter,
                            .key = {}};
    static_assert(sizeof drawing.key == sizeof seed);
    std::memcpy(drawing.key.data(), seed.data(), sizeof seed);
    words += drawing.elements;
    drawings.push_back(drawing);
  }
  return drawings;
}

void CallTimer::compare_drawings() {
  vault_->draw_words(drawings_of(0, 1));
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    if (shape_[a].kind != Argument::Kind::input) continue;
    if (vault_->count_wrong(any_bits(bytes_[a]), calls_[1][a], calls_[0][a], bytes_[a]) != 0)
      throw std::logic_error("the device draws " + shape_[a].name + " of " + one_.name +
                             " otherwise than the host");
  }
}

void CallTimer::start_answering() {
  using Clock = std::chrono::steady_clock;
  // A process has kJudgementTime, and rounds may take longer.
  if (answering_.attempt && Clock::now() - answering_.started < kJudgementTime / 2) return;
  answering_.attempt.reset();  // one at a time
  answering_.attempt =
      answering_.starting.valid() ? answering_.starting.get() : with_context(options_.reference());
  answering_.started = Clock::now();
  require_no_fault(load(problem_, *answering_.attempt));
  require_no_fault(ask_for_workspace(*answering_.attempt));
  answering_.set = allocate_set(answering_.attempt->session());
  answering_.bytes = bytes_;
}

void CallTimer::answer(bool is_first_known) {
  start_answering();
  for (std::size_t content = 0; content < contents(); ++content) {
    std::vector<device::Filling> fillings, answers;
    std::vector<std::uint64_t> words;
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      words.push_back(is_buffer(shape_[a]) ? answering_.set[a] : calls_[content][a]);
      const std::size_t bytes = answering_.bytes[a];
      if (!is_buffer(shape_[a]) || bytes == 0) continue;
      const bool is_input = shape_[a].kind == Argument::Kind::input;
      fillings.push_back({.to = words[a], .from = is_input ? calls_[content][a] : 0, .bytes = bytes});
      if (shape_[a].kind == Argument::Kind::output)
        answers.push_back({.to = calls_[content][a], .from = words[a], .bytes = bytes});
    }
    vault_->fill(fillings);
    vault_->overwrite_cache();  // waits
    const auto called = answering_.attempt->call(problem_.function, words, kCallTime);
    if (called.kind != OutcomeKind::done) require_no_fault(fault_of(called, kCallTime));
    if (content > 0 || !is_first_known) {
      vault_->fill(answers);
      continue;
    }
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      if (shape_[a].kind == Argument::Kind::output &&
          vault_->count_wrong(shape_[a].output, words[a], calls_[content][a], bytes_[a]) != 0)
        throw std::runtime_error(
            fmt::format("the reference's {} at {} is not what must come out", shape_[a].name, one_.name));
    }
  }
  vault_->overwrite_cache();  // waits for the last answers
}

/// In the vault, in place of what was there. Several threads keep different calls at the same time.
void CallTimer::keep_bytes(std::size_t content, std::size_t argument, const course::Bytes& bytes) {
  if (bytes.size() != bytes_[argument])
    throw std::logic_error("calls of " + one_.name + " differ in the size of " + shape_[argument].name);
  vault_->write(calls_[content][argument], bytes);
}

void CallTimer::keep(std::size_t content, const course::Call& call) {
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    const Argument& argument = call.arguments().at(a);
    if (is_kept(argument)) {
      keep_bytes(content, a,
                 argument.kind == Argument::Kind::input ? argument.input : argument.output.expected);
    } else {
      calls_[content][a] = argument.scalar_bits;
    }
    nearest_answers_[content][a] = argument.output.nearest_answer;
  }
}

void CallTimer::keep_inputs(std::size_t content) {
  KeyedRandom random(seed_of(content));
  const course::Call call = one_.prepare_inputs(random);
  double sum = 0;
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    const Argument& argument = call.arguments().at(a);
    if (argument.of_words && is_drawn_there()) continue;
    if (argument.draw) {
      vault_->draw(calls_[content][a], bytes_[a], [this, &argument, &sum](std::span<std::byte> part) {
        argument.draw(part);
        if (prepared_.has_answers_of_sums) sum += sum_of_floats(part);
      });
    } else if (argument.kind == Argument::Kind::input) {
      keep_bytes(content, a, argument.input);
    } else if (!is_kept(argument)) {
      calls_[content][a] = argument.scalar_bits;
    }
  }
  if (prepared_.has_answers_of_sums && !is_drawn_there()) keep_answers_of_sum(content, sum);
}

void CallTimer::keep_answers_of_sum(std::size_t content, double sum) {
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    const auto& answer_of_sum = prepared_.answers_of_sum.at(a);
    if (answer_of_sum) keep_bytes(content, a, answer_of_sum(sum));
  }
}

void CallTimer::keep_shape(const course::Call& call) {
  for (const Argument& argument : call.arguments()) {
    Argument light{.kind = argument.kind, .name = argument.name};
    light.output.type = argument.output.type;
    light.output.tolerance = argument.output.tolerance;
    shape_.push_back(std::move(light));
    bytes_.push_back(argument.kind == Argument::Kind::input ? argument.input.size()
                                                            : argument.output.expected.size());
  }
  if (problem_.workspace) {
    workspace_words_ = problem_.workspace->arguments(call);
    workspace_limit_ = problem_.workspace->limit_bytes(call);
  }
}

void CallTimer::allocate_sets(device::Session& session) {
  sets_.clear();
  while (sets_.size() < sets_of_buffers()) sets_.push_back(allocate_set(session));
}

std::vector<std::uint64_t> CallTimer::allocate_set(device::Session& session) const {
  std::vector<std::uint64_t> set;
  for (std::size_t a = 0; a < shape_.size(); ++a) {
    set.push_back(is_buffer(shape_[a]) ? session.allocate(std::max<std::size_t>(bytes_[a], 1), shape_[a].name)
                                       : 0);
  }
  return set;
}

/// Either the workspaces or all other buffers. Returns when all of it is there, and nothing in the cache.
void CallTimer::fill_buffers(std::size_t first, std::size_t used, bool workspaces) {
  std::vector<device::Filling> fillings;
  for (std::size_t set = 0; set < used; ++set) {
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      const bool is_workspace = shape_[a].kind == Argument::Kind::workspace;
      if (!is_buffer(shape_[a]) || is_workspace != workspaces || bytes_[a] == 0) continue;
      const bool is_input = shape_[a].kind == Argument::Kind::input;
      fillings.push_back({.to = sets_[set][a],
                          .from = is_input ? calls_[content_of(first, set)][a] : 0,
                          .bytes = bytes_[a]});
    }
  }
  vault_->fill(fillings);
  vault_->overwrite_cache();
}

/// One an output, in the order of for_outputs.
std::vector<device::Sampling> CallTimer::samplings(std::size_t first, std::size_t used) const {
  std::vector<device::Sampling> all;
  for_outputs(used, [&](std::size_t set, std::size_t a) {
    all.push_back({.to = samples_ + all.size() * device::Vault::kSampleBytes,
                   .from = sets_[set][a],
                   .bytes = bytes_[a],
                   .seed = derived_number(
                       options_.seed, fmt::format("sample {} {} {}", renewals_, content_of(first, set), a))});
  });
  return all;
}

/// Takes the n samples that are planned. Returns when the first is there, so that it takes as long after many
/// calls as after few; the others have been asked for by then, and follow on it.
void CallTimer::look_at_outputs(std::size_t n) const {
  vault_->take_samples(0, 1);
  vault_->mark();
  vault_->take_samples(1, n - 1);
  vault_->wait_for_mark();
}

/// Calls with the contents [first, first + n), timed together; what they did wrong, if anything.
std::optional<result::CaseResult> CallTimer::run_calls(Attempt& attempt, std::size_t first, std::size_t n,
                                                       bool is_checked, BatchTime& time) {
  const std::size_t used = std::min(n, sets_.size());
  const std::vector<device::Sampling> samples = samplings(first, used);
  vault_->plan_samples(samples);
  std::vector<std::uint64_t> words;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      words.push_back(is_buffer(shape_[a]) ? sets_[k % sets_.size()][a] : calls_[content_of(first, k)][a]);
    }
  }
  // How large a workspace is, and how long it takes to fill, is the process's choice: that is not measured.
  fill_buffers(first, used, true);
  const auto begin = std::chrono::steady_clock::now();
  fill_buffers(first, used, false);
  time.preparation = std::chrono::steady_clock::now() - begin;
  const auto timed = attempt.timed_calls(
      problem_.function, words, options_.time_limit, [&] { look_at_outputs(samples.size()); },
      !options_.fresh_inputs);
  if (timed.outcome.kind != OutcomeKind::done)
    return fault_result(fault_of(timed.outcome, options_.time_limit));
  time.calls = timed.time;
  time.on_device = timed.on_device;
  time.preparation += timed.arming;
  if (!is_checked) return std::nullopt;
  const Errors errors = errors_of(attempt, first, used, samples);
  if (errors.wrong != 0) {
    return fault_result(
        {Verdict::wrong_answer, fmt::format("{} elements were wrong while it was timed", errors.wrong), ""});
  }
  if (!errors.other_answer.empty()) {
    return fault_result(
        {Verdict::wrong_answer,
         fmt::format("the answer is that of {}, unlike in the measured case: keep to one of the "
                     "right answers at all sizes",
                     errors.other_answer),
         ""});
  }
  if (const std::string name = changed_input(first, used); !name.empty())
    return fault_result({Verdict::wrong_answer, fmt::format("your code changed its input {}", name), ""});
  return std::nullopt;
}

/// Of the samples taken at "done", and of the outputs as they are now, of `used` sets with the contents from
/// `first` on.
CallTimer::Errors CallTimer::errors_of(Attempt& attempt, std::size_t first, std::size_t used,
                                       std::span<const device::Sampling> samples) const {
  Errors errors;
  std::deque<std::future<Errors>> on_the_host;
  const auto take_oldest = [&errors, &on_the_host] {
    Errors oldest = on_the_host.front().get();
    on_the_host.pop_front();
    errors.wrong += oldest.wrong;
    if (errors.other_answer.empty()) errors.other_answer = std::move(oldest.other_answer);
  };
  auto sample = samples.begin();
  for_outputs(used, [&](std::size_t set, std::size_t argument) {
    const std::size_t bytes = bytes_[argument], content = content_of(first, set);
    const course::Output& output = shape_[argument].output;
    const auto& nearest_answer = nearest_answers_[content][argument];
    // Where several answers are right, the sample must be of what is there now, and that is judged on the
    // host.
    const std::uint64_t found = sets_[set][argument];
    const std::uint64_t expected = nearest_answer ? found : calls_[content][argument];
    const device::Sampling wanted{
        .to = expected_sample_, .from = expected, .bytes = bytes, .seed = sample->seed};
    vault_->plan_samples({&wanted, 1});
    vault_->take_samples(0, 1);
    errors.wrong += vault_->count_wrong(output, sample->to, expected_sample_,
                                        std::min(bytes, device::Vault::kSampleBytes));
    ++sample;
    if (!nearest_answer) {
      errors.wrong += vault_->count_wrong(output, found, expected, bytes);
      return;
    }
    course::Bytes snapshot(bytes);
    attempt.session().read(found, snapshot);
    if (on_the_host.size() == made_at_once_) take_oldest();
    on_the_host.push_back(
        std::async(std::launch::async, [this, &nearest_answer, &output, snapshot = std::move(snapshot)] {
          course::Answer answer = nearest_answer(snapshot);
          course::Output nearest = output;
          nearest.expected = std::move(answer.bytes);
          const std::vector<std::string>& answers = options_.answers;
          const bool is_other = !answers.empty() && std::ranges::find(answers, answer.name) == answers.end();
          return Errors{.wrong = compare(nearest, snapshot).wrong,
                        .other_answer = is_other ? std::move(answer.name) : ""};
        }));
  });
  while (!on_the_host.empty()) take_oldest();
  return errors;
}

std::string CallTimer::changed_input(std::size_t first, std::size_t used) const {
  for (std::size_t set = 0; set < used; ++set) {
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      if (shape_[a].kind != Argument::Kind::input) continue;
      if (vault_->count_wrong(any_bits(bytes_[a]), sets_[set][a], calls_[content_of(first, set)][a],
                              bytes_[a]) != 0)
        return shape_[a].name;
    }
  }
  return "";
}

template <class F>
void CallTimer::for_outputs(std::size_t n, F f) const {
  for (std::size_t set = 0; set < n; ++set) {
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      if (shape_[a].kind == Argument::Kind::output) f(set, a);
    }
  }
}

result::CaseResult CallTimer::fault_result(const ProgramFault& fault) const {
  result::CaseResult result;
  result.name = one_.name;
  result.purpose = one_.purpose;
  result.verdict = fault.verdict;
  result.message = "while its speed was measured: " + fault.message;
  result.guess = fault.guess;
  return result;
}

}  // namespace lockstep::judge
