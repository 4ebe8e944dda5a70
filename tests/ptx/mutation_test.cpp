// Real PTX and real fat binaries, damaged at random from a fixed seed: each ends as a tree or as the one
// exception. LOCKSTEP_MUTATION_SECONDS=120 with a sanitizer build searches longer.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>

#include "emulator/ptx/fat_binary.h"
#include "emulator/ptx/lexer.h"
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

std::chrono::duration<double> budget() {
  const char* seconds = std::getenv("LOCKSTEP_MUTATION_SECONDS");
  return std::chrono::duration<double>(seconds != nullptr ? std::atof(seconds) : 0);
}

/// Runs `step` `least` times, and on while the longer budget lasts.
template <typename Step>
void repeat(std::size_t least, Step step) {
  const auto end = std::chrono::steady_clock::now() + budget();
  for (std::size_t i = 0; i < least || std::chrono::steady_clock::now() < end; ++i) step();
}

class Random {
 public:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : engine_() % bound; }

 private:
  std::mt19937_64 engine_{20250117};
};

/// The text's tokens and what stands between them, so that joining all gives the text again.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  Lexer lexer(text);
  std::size_t begin = 0;
  while (lexer.peek().kind != Token::Kind::end) {
    const Token token = lexer.take();
    const std::size_t end = static_cast<std::size_t>(token.text.data() - text.data()) + token.text.size();
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

void damage_tokens(std::vector<std::string>& pieces, Random& random) {
  static constexpr const char* kSpecimens[] = {"{",
                                               "}",
                                               "[",
                                               "]",
                                               "(",
                                               ")",
                                               ";",
                                               ",",
                                               ":",
                                               ".",
                                               "\"",
                                               "%r",
                                               "-",
                                               "@",
                                               "!",
                                               "|",
                                               "+",
                                               "<",
                                               "/*",
                                               "0x",
                                               " 99999999999999999999 ",
                                               " 4294967295 ",
                                               ".loc ",
                                               ".reg ",
                                               " _ "};
  const std::size_t at = random.below(pieces.size());
  switch (random.below(4)) {
    case 0:
      pieces[at].clear();
      break;
    case 1:
      pieces[at] = kSpecimens[random.below(std::size(kSpecimens))];
      break;
    case 2:
      pieces[at] = pieces[random.below(pieces.size())];
      break;
    default:
      pieces[at] += pieces[at];
  }
}

TEST(Mutation, PtxEndsAsATreeOrAParseError) {
  Random random;
  std::size_t trees = 0, errors = 0;
  const std::vector<std::string> originals = {made("inlined_90.ptx"), made("language_100.ptx"),
                                              made("language_75.ptx")};
  std::vector<std::vector<std::string>> pieces;
  pieces.reserve(originals.size());
  for (const std::string& text : originals) pieces.push_back(pieces_of(text));
  repeat(6000, [&] {
    const std::size_t which = random.below(originals.size());
    std::string text;
    if (random.below(2) == 0) {
      text = originals[which];
      // Half of the bytes come from the text itself: more of those texts are accepted, and the tree is built
      // to its end.
      for (std::size_t flips = 1 + random.below(3); flips-- > 0;) {
        const char other =
            random.below(2) == 0 ? text[random.below(text.size())] : static_cast<char>(random.below(256));
        text[random.below(text.size())] = other;
      }
    } else {
      std::vector<std::string> damaged = pieces[which];
      for (std::size_t edits = 1 + random.below(3); edits-- > 0;) damage_tokens(damaged, random);
      for (const std::string& piece : damaged) text += piece;
    }
    try {
      parse(text);
      ++trees;
    } catch (const ParseError& error) {
      EXPECT_GT(error.line(), 0u);
      ++errors;
    }
  });
  EXPECT_GT(trees, 100u);
  EXPECT_GT(errors, 100u);
}

TEST(Mutation, FatBinaryEndsAsImagesOrAnError) {
  Random random;
  std::size_t images = 0, errors = 0;
  const std::vector<std::string> originals = {made("default.fatbin"), made("plain.fatbin"),
                                              made("two_images.fatbin")};
  repeat(3000, [&] {
    std::string text = originals[random.below(originals.size())];
    const std::size_t reach = random.below(2) == 0 ? std::min<std::size_t>(text.size(), 100) : text.size();
    for (std::size_t flips = 1 + random.below(3); flips-- > 0;) {
      text[random.below(reach)] = static_cast<char>(random.below(256));
    }
    if (random.below(8) == 0) text.resize(random.below(text.size()));
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    try {
      images += ptx_images(bytes).size();
    } catch (const FatBinaryError&) {
      ++errors;
    }
  });
  EXPECT_GT(images, 100u);
  EXPECT_GT(errors, 100u);
}

}  // namespace
}  // namespace lockstep::emulator::ptx
