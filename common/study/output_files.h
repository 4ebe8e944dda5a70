// The files that a case study writes: all of them, or none, unless a file system fails while they get their
// names.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace lockstep::study {

/// What is written lies beside its place, NAME.part, until commit() renames it. What is not committed is
/// removed.
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles() {
    std::error_code ignored;
    for (std::size_t i = committed_; i < names_.size(); ++i)
      std::filesystem::remove(part(names_[i]), ignored);
  }

  /// Says that a file has been read: nothing is written in its place.
  void keep(const std::string& input) { inputs_.push_back(input); }

  /// Writes a file by `write`, which is given a stream. Throws std::runtime_error where that is impossible.
  template <class Write>
  void add(const std::string& name, Write write) {
    refuse_input(name);
    errno = 0;
    std::ofstream file(part(name), std::ios::binary);
    if (!file) fail(name);
    names_.push_back(name);
    write(file);
    file.close();
    if (!file) fail(name);
  }

  /// The same of libraries that write files themselves: `write` is given the name to write to.
  template <class Write>
  void add_by_name(const std::string& name, Write write) {
    refuse_input(name);
    errno = 0;
    if (!std::ofstream(part(name), std::ios::binary)) fail(name);
    names_.push_back(name);
    write(part(name));
  }

  /// Gives all files their names, in place of files that have them. Throws std::runtime_error.
  void commit() {
    for (const std::string& name : names_) {
      if (!std::filesystem::is_directory(name)) continue;
      errno = EISDIR;
      fail(name);
    }
    for (; committed_ < names_.size(); ++committed_)
      if (std::rename(part(names_[committed_]).c_str(), names_[committed_].c_str()) != 0)
        fail(names_[committed_]);
  }

  const std::vector<std::string>& names() const { return names_; }
  /// A line for each, as the last that a study says.
  void print_names() const {
    for (const std::string& name : names_) std::printf("wrote     %s\n", name.c_str());
  }

 private:
  void refuse_input(const std::string& name) const {
    std::error_code not_there;
    for (const std::string& input : inputs_)
      if (std::filesystem::equivalent(name, input, not_there) ||
          std::filesystem::equivalent(part(name), input, not_there))
        throw std::runtime_error(name + " would replace a file that was read: name others by --output");
  }
  static std::string part(const std::string& name) { return name + ".part"; }
  [[noreturn]] static void fail(const std::string& name) {
    throw std::runtime_error(name + " cannot be written: " + std::generic_category().message(errno));
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> names_;
  std::size_t committed_ = 0;
};

}  // namespace lockstep::study
