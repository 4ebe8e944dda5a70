#include "build/error_meanings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "text/shortened.h"

namespace lockstep::build {
namespace {

struct Meaning {
  std::string_view pattern;   ///< of the message; a * stands for any text
  std::string_view in_line;   ///< that the submission's line must hold; empty: whatever it holds
  std::string_view sentence;  ///< {0}, {1} and so on: what each * stands for
};

/// {1} is the function that is called, {3} the one that calls it.
constexpr std::string_view kHostCall = "calling a*__host__ function(\"*\") from a*function(\"*\")";

/// The first that fits is shown.
constexpr Meaning kMeanings[] = {
    // Functions of the host in a kernel.
    {kHostCall, "CHECK_CUDA",
     "CHECK_CUDA looks at what a call of the CUDA runtime returned, which the host does: leave it out of "
     "{3}, and check on the host after the launch."},
    {kHostCall, "std::min(", "std::min runs on the host alone. CUDA has a min of its own: leave std:: out."},
    {kHostCall, "std::max(", "std::max runs on the host alone. CUDA has a max of its own: leave std:: out."},
    {kHostCall, "std::vector",
     "A std::vector lives in the host's memory, and {3} runs on the GPU. Use an array whose length is a "
     "constant, __shared__ memory, or memory that the host allocates and passes as a pointer."},
    {kHostCall, "std::string",
     "A std::string lives in the host's memory, and {3} runs on the GPU. Make the text on the host; to look "
     "at a value in a kernel, printf is there."},
    {kHostCall, "std::cout", "std::cout belongs to the host. A kernel prints with printf(\"%d\\n\", value)."},
    {kHostCall, "std::array",
     "The functions of std::array run on the host alone. Use a plain array in {3}, such as float values[4]."},
    {"calling a*__host__ function(\"operator*\") from a*function(\"*\")", "",
     "{3} uses an object of the host's library here, such as a std::vector, whose functions run on the host "
     "alone. Use an array whose length is a constant, __shared__ memory, or memory that the host allocates "
     "and passes as a pointer."},
    {kHostCall, "std::",
     "The standard library's functions run on the host alone, besides those of <cmath>, and {3} runs on the "
     "GPU: write that step yourself, or as a __device__ function."},
    {kHostCall, "",
     "{1} runs on the host alone, and {3} on the GPU. If {1} is yours, write __device__ before its "
     "definition, or __host__ __device__ where the host calls it too; a function of the host's libraries "
     "has to be replaced."},
    {"calling a __device__ function(\"*\") from a __host__ function(\"*\")", "",
     "{0} runs on the GPU alone, and {1} on the host. Write __host__ __device__ before its definition, or "
     "call it in a kernel."},
    {"identifier \"*\" is undefined in device code", "",
     "{0} is a variable of the host, and kernels do not see those. Pass its value as a parameter of the "
     "kernel, or declare it constexpr, or as a __device__ or __constant__ variable."},

    // Launches and kernels.
    {"a __global__ function call must be configured", "",
     "A kernel is launched, not called: write <<<blocks, threads, 0, stream>>> between its name and its "
     "arguments."},
    {"a host function call cannot be configured", "",
     "Only a kernel is launched with <<<…>>>: write __global__ before the function's definition."},
    {"a __global__ function must have a void return type", "",
     "A kernel returns nothing: declare it void, and let it store its results through a pointer."},
    {"expected a \">>>\"", "",
     "A launch is written kernel<<<blocks, threads, bytes, stream>>>(arguments), with three < and three >."},
    {"expression must have integral or unscoped enum type", "<<<",
     "A launch is written kernel<<<blocks, threads, bytes, stream>>>(arguments), with three < and three >."},
    {"too few arguments in function call", "",
     "The call has fewer arguments than the function has parameters: compare it with the declaration."},
    {"too many arguments in function call", "",
     "The call has more arguments than the function has parameters: compare it with the declaration."},
    {"argument of type \"const *\" is incompatible with parameter of type \"const *\"", "",
     "A const {1} is wanted where a const {0} is given: are the arguments in the order of the parameters? "
     "The same memory is read as another type with reinterpret_cast<const {1}>(argument)."},
    {"argument of type \"const *\" is incompatible with parameter of type \"*\"", "",
     "The argument is const, which is only read, and the function writes through this parameter: are the "
     "arguments in the order of the parameters?"},
    {"argument of type \"*\" is incompatible with parameter of type \"*\"", "",
     "A {1} is wanted where a {0} is given: are the arguments in the order of the parameters?"},
    {"cannot overload functions distinguished by return type alone", "",
     "This function is declared with another type of result: compare it with the exercise's header."},
    {"no instance of overloaded function \"atomic*\" matches the argument list argument types are: (*)", "",
     "There is no atomic{0} of ({1}). The word that it changes is an int, unsigned or unsigned long long, "
     "for some also a float or double, and the value is of the same type."},
    {"no instance of overloaded function \"__shfl*_sync\" matches the argument list*", "",
     "A shuffle takes the mask of the lanes that take part, the value, and a lane or a distance: "
     "__shfl{0}_sync(mask, value, lane)."},
    {"no instance of overloaded function \"*\" matches the argument list argument types are: (*)", "",
     "There is no {0} for arguments of the types ({1}): compare their number, and their types, with its "
     "declaration."},

    // What the GPU does not have.
    {"device code does not support exception handling", "",
     "A kernel can neither throw nor catch. Return early, or store a value that the host looks at."},
    {"The operator '*' is not allowed in device code", "",
     "{0} looks up types while the program runs, and the GPU has no such list."},
    {"a variable length array cannot have static storage duration", "",
     "The compiler must know how long a __shared__ array is: take a constant, as long as can occur, or "
     "declare extern __shared__ TYPE name[]; and launch with its bytes as the third of <<<…>>>."},
    {"expression must have a constant value", "[",
     "The compiler must know how long an array is: a kernel has none whose length comes with a launch. Take "
     "a constant, as long as can occur, or extern __shared__ memory."},
    {"a static \"__shared__\" variable declaration is not allowed inside a host function body", "",
     "__shared__ memory belongs to a block of threads: declare it in the kernel."},
    {"initializer not allowed for __shared__ variable*", "",
     "__shared__ memory begins without a value. Let the threads store one, and wait with __syncthreads() "
     "before others read it."},
    {"declaration is incompatible with previous \"*\"", "__shared__",
     "All extern __shared__ arrays of a file are the same memory, so those of one name need one type: name "
     "them differently, or declare one of bytes and cast its address."},
    {"ptxas error : Entry function '*' uses too much shared data (* bytes, * max)", "",
     "This kernel declares more __shared__ memory than the 48 KiB that can be declared. More is possible as "
     "extern __shared__ memory: its bytes are the third of <<<…>>>, and cudaFuncSetAttribute(kernel, "
     "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) allows them."},
    {"ptxas fatal : Unresolved extern function '*'", "",
     "This function is declared for the GPU and defined nowhere: is its name spelt alike in both places, and "
     "are the types of its parameters the same?"},
    {"ptxas*line*error : *", "",
     "The assembler refuses what stands in an asm statement, which nvcc passes on unread: {2}."},
    {"undefined reference to `*'", "",
     "{0} is declared and nowhere defined: is its name spelt alike in both places, and are the types of its "
     "parameters the same?"},

    // The language.
    {"expected a \";\"", "", "A ; is missing in this line, most often at its end."},
    {"expected a \"}\"", "", "A } is missing: this line's { is not closed, or one that stands below it."},
    {"expected a declaration", "", "This stands outside of every function: is there a } too many above?"},
    {"expression must be a modifiable lvalue", "",
     "What is const can only be read: is this the input, and another buffer meant?"},
    {"return value type does not match the function type", "",
     "The function's result is of another type; one that is declared void returns without a value."},
    {"name followed by \"::\" must be a class or namespace name", "",
     "What stands before :: is no namespace here: a short name needs its line, such as namespace cg = "
     "cooperative_groups; after the #include."},
    {"namespace \"std\" has no member \"*\"", "",
     "No header that is included here declares std::{0}. Many parts of std:: cannot be used in a kernel."},
    {"*: No such file or directory", "",
     "There is no header {0} here. A submission can include the exercise's own header, those of CUDA and of "
     "the C++ standard library, and \"lockstep/…\" of the folder common."},
};

constexpr std::size_t kMaxStars = 4;

/// What each * of `pattern` stands for in `text`; nothing when it does not fit. Each takes as little as it
/// can, so that the work is one pass over the text.
std::optional<std::array<std::string_view, kMaxStars>> fit(std::string_view pattern, std::string_view text) {
  std::array<std::string_view, kMaxStars> taken;
  std::size_t stars = 0;
  const std::size_t head = pattern.find('*');
  if (!text.starts_with(pattern.substr(0, head))) return std::nullopt;
  if (head != std::string_view::npos) text.remove_prefix(head);
  while (head != std::string_view::npos && !pattern.empty()) {
    pattern.remove_prefix(pattern.find('*') + 1);
    const std::string_view literal = pattern.substr(0, pattern.find('*'));
    const std::size_t at = literal.empty() ? text.size() : text.find(literal);
    if (at == std::string_view::npos) return std::nullopt;
    taken.at(stars++) = text.substr(0, at);
    text.remove_prefix(at + literal.size());
    if (literal.size() == pattern.size()) break;
  }
  return taken;
}

/// "step" of "step(float, float)", "std::vector" of "std::vector<int, …> ::size() const".
std::string bare_name(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  if (const std::size_t end = name.find_first_of("(<"); end != std::string_view::npos && end > 0)
    name = name.substr(0, end);
  return text::shortened(name, kLongest);
}

/// `sentence` with the names of what was taken in place of {0} and so on; other braces stay.
std::string filled(std::string_view sentence, const std::array<std::string_view, kMaxStars>& taken) {
  std::string result;
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const std::string_view rest = sentence.substr(at);
    const bool is_name = rest.size() >= 3 && rest[0] == '{' && rest[2] == '}';
    if (is_name) result += bare_name(taken.at(static_cast<std::size_t>(rest[1] - '0')));
    if (!is_name) result += rest[0];
    at += is_name ? 2 : 0;
  }
  return result;
}

}  // namespace

std::string meaning_of(std::string_view message, std::string_view line) {
  for (const Meaning& meaning : kMeanings) {
    if (line.find(meaning.in_line) == std::string_view::npos) continue;
    if (const auto taken = fit(meaning.pattern, message)) return filled(meaning.sentence, *taken);
  }
  return "";
}

}  // namespace lockstep::build
