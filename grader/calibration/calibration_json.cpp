#include "calibration/calibration_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "text/printable.h"

namespace lockstep::calibration {
namespace {

using Json = nlohmann::ordered_json;
using result::Calibration;
using result::Figure;
using result::Quantity;
using result::QuantityText;
using text::printable;

constexpr const char* kSchema = "lockstep/calibration/v1";

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

std::string render_calibration_json(const Calibration& calibration, const std::string& commit) {
  Json figures = Json::object();
  for (const auto& [quantity, figure] : calibration.figures) {
    const QuantityText& words = text_of(quantity);
    figures[words.name] = {{"value", figure.value}, {"unit", words.unit}, {"spread", figure.spread}};
  }
  Json root = {{"schema", kSchema},
               {"card", printable(calibration.gpu.name)},
               {"uuid", printable(calibration.gpu.uuid)},
               {"driver", printable(calibration.gpu.driver)},
               {"toolkit", printable(calibration.toolkit)},
               {"date", printable(calibration.date)}};
  if (!commit.empty()) root["commit"] = printable(commit);
  root["figures"] = std::move(figures);
  return root.dump(2) + '\n';
}

Calibration parse_calibration(const std::string& json) {
  const Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) throw std::runtime_error("it is no JSON");
  if (string_of(root, "schema") != kSchema) throw std::runtime_error(std::string("it is not ") + kSchema);
  Calibration calibration;
  calibration.gpu = {string_of(root, "card"), string_of(root, "uuid"), string_of(root, "driver")};
  calibration.toolkit = string_of(root, "toolkit");
  calibration.date = string_of(root, "date");
  const auto figures = root.find("figures");
  if (figures == root.end() || !figures->is_object()) throw std::runtime_error("figures are missing");
  for (const auto& [name, object] : figures->items()) {
    const std::optional<Quantity> quantity = result::quantity_from(name);
    if (!quantity) throw std::runtime_error(printable(name) + " is unknown");
    calibration.figures[*quantity] = figure_of(object, text_of(*quantity));
  }
  return calibration;
}

}  // namespace lockstep::calibration
