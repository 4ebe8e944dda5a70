// A GPU measured twice gives the same figures, and they stand to each other as hardware makes them.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "device/calibrator.h"
#include "device/device.h"

namespace lockstep::device {
namespace {

using report::Quantity;

class GpuCalibrator : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = make_device(Kind::gpu);
    } catch (const DeviceUnavailable& error) {
      GTEST_SKIP() << error.what();
    }
  }
  report::Figures all_figures() {
    const std::unique_ptr<Calibrator> calibrator = device_->open_calibrator();
    report::Figures figures;
    for (const Quantity quantity : report::all_quantities())
      figures[quantity] = calibrator->measure(quantity);
    return figures;
  }
  std::unique_ptr<Device> device_;
};

TEST_F(GpuCalibrator, KnowsItsCard) {
  const report::Card card = device_->open_calibrator()->card();
  EXPECT_EQ(card.name, device_->description().name);
  EXPECT_TRUE(card.uuid.starts_with("GPU-")) << card.uuid;
  EXPECT_NE(card.driver, "");
}

TEST_F(GpuCalibrator, TwoCalibrationsAgree) {
  const report::Figures first = all_figures(), second = all_figures();
  for (const auto& [quantity, figure] : first) {
    const report::QuantityText& text = report::text_of(quantity);
    const double again = second.at(quantity).value;
    std::cout << text.name << ": " << report::figure_text(figure.value, text.unit) << ", then "
              << report::figure_text(again, text.unit) << "; spread " << figure.spread << '\n';
    EXPECT_TRUE(figure.value > 0 && std::isfinite(figure.value)) << text.name;
    EXPECT_TRUE(figure.spread >= 0 && std::isfinite(figure.spread)) << text.name;
    // A launch is work of the host, which others may keep busy.
    EXPECT_NEAR(again / figure.value, 1, quantity == Quantity::launch ? 0.5 : 0.05) << text.name;
  }
}

// True of every card, whatever its size: a kernel that measured something else would break one of them.
TEST_F(GpuCalibrator, FiguresStandToEachOtherAsHardwareMakesThem) {
  const report::Figures figures = all_figures();
  const auto value = [&figures](Quantity quantity) { return figures.at(quantity).value; };
  EXPECT_GT(value(Quantity::fused_multiply_adds), 2 * value(Quantity::special_functions));
  EXPECT_GT(value(Quantity::integer_products), value(Quantity::special_functions));
  EXPECT_GT(value(Quantity::shared_bytes), value(Quantity::copied_bytes));
  EXPECT_GT(value(Quantity::shared_atomics), value(Quantity::global_atomics));
  EXPECT_GT(value(Quantity::cached_gathers), value(Quantity::gathers));
  EXPECT_LT(4 * value(Quantity::gathers), value(Quantity::copied_bytes)) << "a sector is more than 4 bytes";
  EXPECT_LT(value(Quantity::launch), 1e-3);
}

}  // namespace
}  // namespace lockstep::device
