// `lockstep study`: the program of a case study, exercises/NN-topic/study, compiled with the reference or
// with the student's own file and run on the user's data. It is the course's code and the user's, so nothing
// isolates it, as with `emulate`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <locale>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "build/content_hash.h"
#include "build/object_cache.h"
#include "build/prepared_headers.h"
#include "build/submission_compiler.h"
#include "build/toolkit.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "course/catalogue.h"
#include "device/device.h"
#include "device/installation.h"
#include "emulator/core/processors.h"
#include "emulator/server/emulate.h"
#include "report/finding_words.h"
#include "report/printable.h"
#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct StudyArguments {
  bool own = false;  ///< with the student's file in place of the reference
  device::Kind device = device::Kind::automatic;
};

fs::path folder_of(const course::Exercise& exercise) { return exercise.folder / "study"; }

/// The heading of its page; empty where it has none.
std::string title_of(const course::Exercise& exercise) {
  std::ifstream page(folder_of(exercise) / "README.md");
  std::string line;
  std::getline(page, line);
  return line.starts_with("# ") ? line.substr(2) : "";
}

const course::Exercise& select_study(const std::string& name) {
  const std::vector<const course::Exercise*> studies = exercises_with_study();
  const course::Exercise& exercise = select_exercise(name);
  if (std::ranges::find(studies, &exercise) != studies.end()) return exercise;
  std::vector<std::string> names;
  for (const course::Exercise* study : studies) names.push_back(study->problem.name);
  throw WrongUse(
      fmt::format("{} has no study. These have one: {}.", exercise.problem.name, fmt::join(names, ", ")));
}

int list_studies() {
  const std::vector<const course::Exercise*> studies = exercises_with_study();
  std::size_t width = 0;
  for (const course::Exercise* exercise : studies) width = std::max(width, exercise->problem.name.size());
  for (const course::Exercise* exercise : studies) {
    std::cout << fmt::format("{:<{}}  {}\n{:<{}}  {}\n", exercise->problem.name, width,
                             report::printable(title_of(*exercise)), "", width,
                             report::printable(course::path_to_type(folder_of(*exercise) / "README.md")));
  }
  std::cout << "\nRun one on its example:  ./lockstep study NAME\n"
               "and on data of yours:    ./lockstep study NAME FILE\n";
  return kPassed;
}

std::vector<fs::path> files_in(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (std::ranges::find(endings, entry.path().extension().string()) != endings.end())
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// How nvcc finds what study/libraries.txt names and this machine has; a study does without what it has not.
struct Libraries {
  std::vector<std::string> definitions;  ///< STUDY_HAS_CFITSIO and where headers are
  std::vector<std::string> links;        ///< behind the sources
  std::string versions;
};

/// What a study is compiled of: all of its sources, and the file with the exercise's function.
struct Sources {
  const course::Exercise& exercise;
  fs::path function;
  Libraries libraries;
};

/// Of each line of the file the first word is pkg-config's name of a library; lines that begin with # are
/// comments.
Libraries libraries_of(const course::Exercise& exercise) {
  Libraries libraries;
  std::ifstream lines(folder_of(exercise) / "libraries.txt");
  for (std::string line; std::getline(lines, line);) {
    std::string name, flag;
    if (!(std::istringstream(line) >> name) || name.starts_with('#')) continue;
    const ProgramResult version = run_program({"pkg-config", "--modversion", name}, ErrorOutput::dropped);
    const ProgramResult flags = run_program({"pkg-config", "--cflags", "--libs", name}, ErrorOutput::dropped);
    if (version.status != 0 || flags.status != 0) continue;
    for (std::istringstream words(flags.output); words >> flag;) {
      if (flag.starts_with("-I") || flag.starts_with("-D")) libraries.definitions.push_back(flag);
      if (flag.starts_with("-L") || flag.starts_with("-l")) libraries.links.push_back(flag);
      // Where the loader does not look by itself, as in a folder of conda or of a module.
      if (flag.starts_with("-L")) libraries.links.push_back("-Xlinker=-rpath=" + flag.substr(2));
    }
    libraries.versions += name + ' ' + version.output;
    for (char& c : name)
      c = std::isalnum(c, std::locale::classic()) ? std::toupper(c, std::locale::classic()) : '_';
    libraries.definitions.push_back("-DSTUDY_HAS_" + name);
  }
  return libraries;
}

// -O is of the host's code alone. Of that a study has much, and reads text and draws with it: beyond -O1 a
// third of the time for compiling goes into what saves no time that anybody notices.
std::vector<std::string> study_flags(std::optional<int> native) {
  std::vector<std::string> flags{"-std=c++20", "-O1", "-lineinfo", "-cudart", "shared"};
  const std::vector<std::string> architecture = build::architecture_flags(native);
  flags.insert(flags.end(), architecture.begin(), architecture.end());
  return flags;
}

void add_file(build::ContentHash& hash, const fs::path& file) {
  hash.add(file);
  hash.add(storage::read_file(file));
}

/// Of the compiler, its flags, and every header that any of the sources may read.
std::string key_of_headers(const Sources& sources, const build::Toolkit& toolkit, std::optional<int> native) {
  std::vector<fs::path> folders{course::course_root() / "common/lockstep",
                                course::course_root() / "common/study"};
  for (const course::Exercise& exercise : course::catalogue()) folders.push_back(exercise.folder);
  build::ContentHash hash;
  hash.add("headers of studies");
  hash.add(toolkit.version);
  hash.add(build::host_compiler_stamp());
  hash.add(fmt::format("{}", fmt::join(study_flags(native), " ")));
  hash.add(fmt::format("{}", fmt::join(sources.libraries.definitions, " ")));
  hash.add(sources.libraries.versions);
  hash.add(fs::absolute(folder_of(sources.exercise)));  // STUDY_FOLDER
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(name);
    hash.add(value == nullptr ? "" : value);
  }
  for (const fs::path& folder : folders)
    for (const fs::path& header : files_in(folder, {".h"})) add_file(hash, header);
  return hash.digest();
}

/// Of a source with what lies beside it.
std::string key_of_object(const fs::path& source, const std::string& key_of_headers) {
  build::ContentHash hash;
  hash.add("object of a study");
  hash.add(key_of_headers);
  add_file(hash, source);
  for (const fs::path& header : files_in(source.parent_path(), {".h"})) add_file(hash, header);
  return hash.digest();
}

std::string key_of_program(const std::vector<std::string>& keys_of_objects, const Libraries& libraries) {
  build::ContentHash hash;
  hash.add("study");
  for (const std::string& key : keys_of_objects) hash.add(key);
  hash.add(fmt::format("{}", fmt::join(libraries.links, " ")));
  return hash.digest();
}

/// Paths as nvcc takes them, which has shells read them: themselves, or, of those with blanks or quotes,
/// links in a folder.
class PlainPaths {
 public:
  explicit PlainPaths(fs::path folder) : folder_(std::move(folder)) {}

  fs::path of(const fs::path& path) {
    if (std::ranges::all_of(path.string(), is_plain)) return path;
    fs::path link = folder_ / (fmt::format("path-{}", ++links_) + path.extension().string());
    fs::create_symlink(fs::absolute(path), link);
    return link;
  }

 private:
  static bool is_plain(unsigned char c) {
    constexpr unsigned char kFirstOfOtherAlphabets = 0x80;
    return std::isalnum(c) != 0 || c >= kFirstOfOtherAlphabets ||
           std::string_view("/._-+").find(static_cast<char>(c)) != std::string_view::npos;
  }

  fs::path folder_;
  int links_ = 0;
};

/// What defines STUDY_FOLDER, as a string literal.
std::string definition_of_folder(const fs::path& folder) {
  std::string escaped;
  for (const char c : folder.string())
    escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return fmt::format("#define STUDY_FOLDER \"{}\"\n", escaped);
}

using Command = std::vector<std::string>;

Command nvcc_command(const build::Toolkit& toolkit, std::optional<int> native) {
  Command command{toolkit.nvcc};
  for (const std::string& flag : study_flags(native)) command.push_back(flag);
  return command;
}

/// How the objects of sources are made but for the names of both, with what else is needed in `folder`.
Command compiler_command(const Sources& sources, const build::Toolkit& toolkit, std::optional<int> native,
                         const fs::path& folder, PlainPaths& paths) {
  const course::Exercise& exercise = sources.exercise;
  const fs::path definition = folder / "study_folder.h";
  storage::write_file(definition, definition_of_folder(fs::absolute(folder_of(exercise))));
  Command command = nvcc_command(toolkit, native);
  command.insert(command.end(), sources.libraries.definitions.begin(), sources.libraries.definitions.end());
  command.insert(command.end(), {"-include", definition});
  for (const fs::path& included : {course::course_root() / "common", exercise.folder,
                                   exercise.root / "exercises", course::course_root() / "exercises"})
    command.insert(command.end(), {"-I", paths.of(included)});
  command.push_back("-c");
  return command;
}

/// Runs commands side by side, in their order. None begins after one has failed: its result is then missing.
std::vector<std::optional<ProgramResult>> run_all(const std::vector<Command>& commands) {
  std::vector<std::optional<ProgramResult>> results(commands.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> has_failed{false};
  const auto work = [&] {
    for (std::size_t i = next++; i < commands.size() && !has_failed; i = next++) {
      results[i] = run_program(commands[i]);
      if (results[i]->status != 0) has_failed = true;
    }
  };
  std::vector<std::future<void>> workers;
  for (std::size_t i = 0; i < std::min<std::size_t>(emulator::usable_processors(), commands.size()); ++i)
    workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.get();
  return results;
}

/// A source and its object, which may have been compiled before.
struct Object {
  fs::path source;
  std::string key;
  std::optional<build::ObjectCache::Entry> entry;
};

/// Compiles the objects that are missing. Returns what nvcc said, and a status other than 0 where one does
/// not compile.
ProgramResult compile(std::vector<Object>& objects, const Sources& sources, const build::Toolkit& toolkit,
                      std::optional<int> native, const fs::path& folder, const build::ObjectCache& cache) {
  PlainPaths paths(folder);
  const fs::path study = paths.of(folder_of(sources.exercise));
  const Command common = compiler_command(sources, toolkit, native, folder, paths);
  std::vector<Object*> missing;
  for (Object& object : objects)
    if (!object.entry) missing.push_back(&object);
  // What takes longest first; before all the function, as errors are most likely there.
  std::ranges::stable_sort(missing, std::greater{}, [&](const Object* object) {
    return object->source == sources.function ? UINTMAX_MAX : fs::file_size(object->source);
  });
  std::vector<Command> commands;
  const auto made = [&](std::size_t i) { return folder / fmt::format("made-{}.o", i); };
  for (const Object* object : missing) {
    commands.push_back(common);
    commands.back().insert(
        commands.back().end(),
        {object->source == sources.function ? paths.of(object->source) : study / object->source.filename(),
         "-o", made(commands.size() - 1)});
  }
  const std::vector<std::optional<ProgramResult>> results = run_all(commands);
  ProgramResult all;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!results[i]) continue;
    all.output += results[i]->output;
    if (results[i]->status == 0)
      missing[i]->entry = cache.store(missing[i]->key, storage::read_file(made(i)), "");
    else
      all.status = results[i]->status;
  }
  return all;
}

/// Returns what nvcc said.
ProgramResult link(const std::vector<Object>& objects, const Sources& sources, const build::Toolkit& toolkit,
                   std::optional<int> native, const fs::path& folder, const fs::path& program) {
  Command command = nvcc_command(toolkit, native);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    // nvcc goes by the ends of names.
    command.push_back(folder / fmt::format("object-{}.o", i));
    fs::create_symlink(objects[i].entry->object, command.back());
  }
  command.insert(command.end(), sources.libraries.links.begin(), sources.libraries.links.end());
  command.insert(command.end(), {"-o", program});
  return run_program(command);
}

const build::Toolkit& installed_toolkit() {
  try {
    return build::find_toolkit();
  } catch (const std::runtime_error& error) {
    throw Failed(error.what());
  }
}

/// The program; nothing where it does not compile, which the compiler has then said on standard error.
std::optional<fs::path> compiled(const Sources& sources, std::optional<int> native) {
  const build::Toolkit& toolkit = installed_toolkit();
  std::vector<fs::path> files = files_in(folder_of(sources.exercise), {".cpp", ".cu"});
  files.insert(files.begin(), sources.function);
  const std::string headers = key_of_headers(sources, toolkit, native);
  std::vector<std::string> keys;
  for (const fs::path& file : files) keys.push_back(key_of_object(file, headers));
  const std::string key = key_of_program(keys, sources.libraries);
  const build::ObjectCache cache(build::cache_folder());
  std::optional<build::ObjectCache::Entry> entry = cache.find(key);
  if (!entry) {
    ProgressLine progress;
    progress.show("compiling the study of " + sources.exercise.problem.name);
    const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-study-");
    std::vector<Object> objects;
    for (std::size_t i = 0; i < files.size(); ++i)
      objects.push_back({files[i], keys[i], cache.find(keys[i])});
    ProgramResult compiler = compile(objects, sources, toolkit, native, folder.path(), cache);
    const fs::path program = folder.path() / "program";
    if (compiler.status == 0) {
      const ProgramResult linker = link(objects, sources, toolkit, native, folder.path(), program);
      compiler = {linker.status, compiler.output + linker.output};
    }
    progress.clear();
    std::cerr << compiler.output;
    if (compiler.status != 0) return std::nullopt;
    entry = cache.store(key, storage::read_file(program), "");
  }
  fs::permissions(entry->object, fs::perms::owner_exec, fs::perm_options::add);
  return entry->object;
}

/// The GPU's compute capability; nothing where the emulated device is to run it.
std::optional<int> capability_of(device::Kind kind) {
  if (kind == device::Kind::emulated) return std::nullopt;
  try {
    return device::make_gpu()->compute_capability();
  } catch (const device::DeviceUnavailable&) {
    if (kind == device::Kind::gpu) throw;
    return std::nullopt;
  }
}

int run_emulated(const fs::path& program, const std::vector<std::string>& words) {
  emulator::server::EmulateOptions options;
  options.device.note_refusals = true;
  options.device.executable = device::installed_program("lockstep-device");
  options.cudart_directory = device::installed_library_folder("emulated");
  options.program = program;
  options.text_of = report::text_of;
  options.arguments = words;
  return emulator::server::emulate(options);
}

/// Becomes the program, with the toolkit's CUDA runtime.
[[noreturn]] void run_natively(const fs::path& program, std::vector<std::string> words) {
  if (const fs::path& library = installed_toolkit().library; !library.empty()) {
    const char* before = std::getenv("LD_LIBRARY_PATH");
    // An empty part would stand for the folder in which the command is typed.
    const bool has_more = before != nullptr && *before != '\0';
    const std::string path = has_more ? library.string() + ':' + before : library.string();
    setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  }
  words.insert(words.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::cout.flush();
  execv(program.c_str(), pointers.data());
  throw Failed(fmt::format("{} cannot be run: {}", program.string(), std::generic_category().message(errno)));
}

int study(const StudyArguments& arguments, const std::vector<std::string>& words) {
  if (words.empty()) return list_studies();
  if (words.front().starts_with('-'))
    throw WrongUse("study has no option " + report::printable(words.front()) +
                   "; those of a study's program stand behind its name.");
  const course::Exercise& exercise = select_study(words.front());
  const fs::path function =
      arguments.own ? exercise.starter : exercise.solutions / exercise.starter.filename();
  if (!fs::exists(function))
    throw WrongUse(fmt::format("{} is not here{}", report::printable(function.string()),
                               arguments.own ? "." : ": ./lockstep study --own links your own file."));
  const std::optional<int> native = capability_of(arguments.device);
  const std::optional<fs::path> program = compiled({exercise, function, libraries_of(exercise)}, native);
  if (!program) {
    std::cerr << fmt::format("lockstep: {} does not compile with the study of {}\n",
                             report::printable(course::path_to_type(function)), exercise.problem.name);
    return kNotPassed;
  }
  const std::vector<std::string> behind(words.begin() + 1, words.end());
  if (native) run_natively(*program, behind);
  return run_emulated(*program, behind);
}

}  // namespace

void add_study(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<StudyArguments>();
  CLI::App* command = app.add_subcommand(
      "study", "[OPTION...] NAME [ARGUMENT...]: a case study on its example or on data of yours");
  command->prefix_command();  // from the name on, everything belongs to the study's program
  command->add_flag("--own", arguments->own, "Link your own file of the exercise, not the reference");
  command
      ->add_option("--device", arguments->device,
                   "auto (the GPU if there is one), gpu, or emulated; auto when not given")
      ->transform(one_of<device::Kind>({{"auto", device::Kind::automatic},
                                        {"gpu", device::Kind::gpu},
                                        {"emulated", device::Kind::emulated}}))
      ->type_name("KIND");
  command->footer(
      "\nWithout a name it lists the studies, without an argument behind the name it runs the example.\n"
      "What a program writes lies in the folder in which you type the command.\n"
      "\nExamples:  ./lockstep study drmsd-matrix\n"
      "           ./lockstep study drmsd-matrix trajectory.dcd --cutoff 1.5\n"
      "           ./lockstep study drmsd-matrix --help\n"
      "           ./lockstep study --own drmsd-matrix\n"
      "The exit status is the program's own, or 1 where it does not compile. With --own nothing isolates "
      "your file: for a stranger's there is grade.");
  command->callback([command, arguments, &status] { status = study(*arguments, command->remaining()); });
}

}  // namespace lockstep::cli
