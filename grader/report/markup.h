// HTML of which nothing but this program decides what is markup.
//
// A Markup is made of text, which is escaped whatever it says, and of elements whose names are literals of
// this program. No function takes a string of markup, so a page that is built of Markup cannot forget to
// escape what a submission says. Names through which a page runs code, fetches or leads elsewhere do not
// compile.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/core/observations.h"

namespace lockstep::report {

/// `text` for the content of an element, or for an attribute in quotes, of HTML and XML: as
/// text::printable_lines makes it, without a character that begins markup. A line break stays one.
std::string escaped_markup(std::string_view text);

/// The name of an element.
struct ElementName {
  consteval ElementName(const char* literal) : name(literal) {
    for (const std::string_view other :
         {"script", "style", "iframe", "object", "embed", "form", "base", "link"})
      if (name == other) throw "a page of a submission has no such element";
  }
  std::string_view name;
};

/// The name of an attribute.
struct AttributeName {
  consteval AttributeName(const char* literal) : name(literal) {
    for (const std::string_view other : {"href", "src", "srcset", "action", "style", "srcdoc"})
      if (name == other) throw "a page of a submission leads and fetches nowhere by attributes";
    if (name.starts_with("on")) throw "a page of a submission has no handlers";
  }
  std::string_view name;
};

struct Attribute {
  AttributeName name;
  std::string value;  ///< is escaped
};

class Markup {
 public:
  using Attributes = std::initializer_list<Attribute>;

  Markup() = default;

  /// `text` as one line.
  static Markup text(std::string_view text);
  /// `text` with its line breaks, for an element that keeps them.
  static Markup lines(std::string_view text);
  static Markup element(ElementName name, Attributes attributes, const Markup& content);
  static Markup element(ElementName name, const Markup& content);
  /// An element with text alone.
  static Markup element(ElementName name, Attributes attributes, std::string_view text);
  static Markup element(ElementName name, std::string_view text);
  /// A link to the element of this page that has the id.
  static Markup link(std::string_view id, const Markup& content);
  /// A link to a file below the folder of this page, whatever the names on the way to it are: `path` has `/`
  /// between them.
  static Markup file_link(std::string_view path, const Markup& content);
  /// The access as a drawing (access_figure.h).
  static Markup drawing(const emulator::AccessTrace& trace);

  Markup& operator+=(const Markup& more);
  friend Markup operator+(Markup first, const Markup& second) { return first += second; }
  bool empty() const { return html_.empty(); }

  /// A whole page, which is a well-formed XML document too. Whoever shows it runs, fetches and sends nothing
  /// for it. `style`: CSS of this program, without `<` and `&`.
  static std::string page(std::string_view title, const char* style, const Markup& body);

 private:
  explicit Markup(std::string html) : html_(std::move(html)) {}

  std::string html_;
};

}  // namespace lockstep::report
