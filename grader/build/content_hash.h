// SHA-256: names what is in the cache, and what a submission's seed is made of.
#pragma once

#include <memory>
#include <string>

namespace lockstep::build {

/// SHA-256 of a sequence of strings; where one ends and the next begins counts too.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(const std::string& part);
  /// 64 hexadecimal digits. Nothing may be added afterwards.
  std::string digest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace lockstep::build
