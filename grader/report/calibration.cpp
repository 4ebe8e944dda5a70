#include "report/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/printable.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCalibrationSchema = "lockstep/calibration/v1";

constexpr std::array<QuantityText, 11> kQuantities = {{
    {Quantity::copied_bytes, "copied-bytes", "memory copied, read and written", "B/s"},
    {Quantity::fused_multiply_adds, "fused-multiply-adds", "fused multiply-adds, 32 bits", "/s"},
    {Quantity::special_functions, "special-functions", "special functions (rsqrt.approx)", "/s"},
    {Quantity::integer_products, "integer-products", "integer products, 32 bits", "/s"},
    {Quantity::shared_bytes, "shared-bytes", "shared memory read, no conflicts", "B/s"},
    {Quantity::shared_atomics, "shared-atomics", "shared atomics, a column a lane", "/s"},
    {Quantity::random_shared_atomics, "random-shared-atomics", "shared atomics, random of 4096 words", "/s"},
    {Quantity::gathers, "gathers", "random 4-byte reads, far beyond L2", "/s"},
    {Quantity::cached_gathers, "cached-gathers", "random 4-byte reads, a quarter of L2", "/s"},
    {Quantity::global_atomics, "global-atomics", "global atomics, random of 2^20 words", "/s"},
    {Quantity::launch, "launch", "launch of an empty kernel", "s"},
}};

std::string string_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    throw std::runtime_error(std::string(key) + " is missing");
  return found->get<std::string>();
}

double number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : std::nan("");
}

Figure figure_of(const Json& object, const QuantityText& text) {
  if (!object.is_object() || object.value("unit", Json()) != text.unit)
    throw std::runtime_error(fmt::format("{} is not in {}", text.name, text.unit));
  const Figure figure{number_of(object, "value"), number_of(object, "spread")};
  if (!(figure.value > 0 && std::isfinite(figure.value)))
    throw std::runtime_error(fmt::format("{} is no positive number", text.name));
  if (!(figure.spread >= 0)) throw std::runtime_error(fmt::format("{} has no spread", text.name));
  return figure;
}

}  // namespace

const QuantityText& text_of(Quantity quantity) { return kQuantities.at(static_cast<std::size_t>(quantity)); }

std::vector<Quantity> all_quantities() {
  std::vector<Quantity> quantities;
  for (const QuantityText& text : kQuantities) quantities.push_back(text.quantity);
  return quantities;
}

std::string figure_text(double value, const std::string& unit) {
  struct Prefix {
    double factor;
    const char* letter;
  };
  static constexpr std::array<Prefix, 8> prefixes = {
      {{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}};
  if (!std::isfinite(value)) return "-";
  const auto larger = std::find_if(prefixes.begin() + 1, prefixes.end(),
                                   [value](const Prefix& prefix) { return std::abs(value) < prefix.factor; });
  const Prefix& prefix = *(larger - 1);
  return fmt::format("{} {}{}", number(value / prefix.factor), prefix.letter, unit);
}

std::string render_calibration(const Calibration& calibration, const TextStyle& style) {
  const Card& card = calibration.card;
  std::string text = paint(style, Colour::faint,
                           fmt::format("{}, driver {}, {}", printable(card.name), printable(card.driver),
                                       printable(calibration.date))) +
                     "\n\n";
  std::size_t width = 0;
  for (const auto& [quantity, figure] : calibration.figures)
    width = std::max(width, std::string_view(text_of(quantity).what).size());
  text += paint(style, Colour::faint, fmt::format("  {:<{}}  {:>10}  {:>7}", "", width, "", "spread")) + '\n';
  for (const auto& [quantity, figure] : calibration.figures) {
    const QuantityText& words = text_of(quantity);
    text += fmt::format("  {:<{}}  {:>10}  {:>5.1f} %\n", words.what, width,
                        figure_text(figure.value, words.unit), figure.spread * 100);
  }
  return text;
}

std::string render_calibration_json(const Calibration& calibration, const std::string& commit) {
  Json figures = Json::object();
  for (const auto& [quantity, figure] : calibration.figures) {
    const QuantityText& words = text_of(quantity);
    figures[words.name] = {{"value", figure.value}, {"unit", words.unit}, {"spread", figure.spread}};
  }
  Json root = {{"schema", kCalibrationSchema},
               {"card", printable(calibration.card.name)},
               {"uuid", printable(calibration.card.uuid)},
               {"driver", printable(calibration.card.driver)},
               {"toolkit", printable(calibration.toolkit)},
               {"date", printable(calibration.date)}};
  if (!commit.empty()) root["commit"] = printable(commit);
  root["figures"] = std::move(figures);
  return root.dump(2) + '\n';
}

Calibration parse_calibration(const std::string& json) {
  const Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) throw std::runtime_error("it is no JSON");
  if (string_of(root, "schema") != kCalibrationSchema)
    throw std::runtime_error(std::string("it is not ") + kCalibrationSchema);
  Calibration calibration;
  calibration.card = {string_of(root, "card"), string_of(root, "uuid"), string_of(root, "driver")};
  calibration.toolkit = string_of(root, "toolkit");
  calibration.date = string_of(root, "date");
  const auto figures = root.find("figures");
  if (figures == root.end() || !figures->is_object()) throw std::runtime_error("figures are missing");
  for (const auto& [name, object] : figures->items()) {
    const auto words = std::find_if(kQuantities.begin(), kQuantities.end(),
                                    [&name = name](const QuantityText& text) { return name == text.name; });
    if (words == kQuantities.end()) throw std::runtime_error(printable(name) + " is unknown");
    calibration.figures[words->quantity] = figure_of(object, *words);
  }
  return calibration;
}

}  // namespace lockstep::report
