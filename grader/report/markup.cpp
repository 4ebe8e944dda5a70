#include "report/markup.h"

#include <fmt/format.h>

#include "lockstep/markup.h"
#include "report/access_figure.h"
#include "report/printable.h"

namespace lockstep::report {

std::string escaped_markup(std::string_view text) { return lockstep::escaped_markup(printable_lines(text)); }

Markup Markup::text(std::string_view text) { return Markup(escaped_markup(printable(text))); }

Markup Markup::lines(std::string_view text) { return Markup(escaped_markup(text)); }

Markup Markup::element(ElementName name, Attributes attributes, const Markup& content) {
  std::string html = fmt::format("<{}", name.name);
  for (const Attribute& attribute : attributes)
    html += fmt::format(" {}=\"{}\"", attribute.name.name, escaped_markup(printable(attribute.value)));
  return Markup(html + fmt::format(">{}</{}>", content.html_, name.name));
}

Markup Markup::element(ElementName name, const Markup& content) { return element(name, {}, content); }

Markup Markup::element(ElementName name, Attributes attributes, std::string_view text) {
  return element(name, attributes, Markup::text(text));
}

Markup Markup::element(ElementName name, std::string_view text) { return element(name, {}, text); }

Markup Markup::link(std::string_view id, const Markup& content) {
  return Markup(fmt::format("<a href=\"#{}\">{}</a>", escaped_markup(printable(id)), content.html_));
}

Markup Markup::file_link(std::string_view path, const Markup& content) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string address = "./";  // so that no name becomes a scheme or a host
  for (const char character : path) {
    if (kPlain.find(character) != std::string_view::npos) {
      address += character;
    } else {
      address += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    }
  }
  return Markup(fmt::format("<a href=\"{}\">{}</a>", address, content.html_));
}

Markup Markup::drawing(const emulator::AccessTrace& trace) { return Markup(access_figure_svg(trace)); }

Markup& Markup::operator+=(const Markup& more) {
  html_ += more.html_;
  return *this;
}

std::string Markup::page(std::string_view title, const char* style, const Markup& body) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/>
<meta name="referrer" content="no-referrer"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{}</title>
<style>{}</style>
</head>
<body>
{}
</body>
</html>
)",
      escaped_markup(printable(title)), style, body.html_);
}

}  // namespace lockstep::report
