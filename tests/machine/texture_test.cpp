// Textures and surfaces: which texels a fetch reads and what it returns, bit for bit, against the formulas of
// the programming guide's "Texture Fetching" in long double; and what their checks find.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outside = Sampler::Outside;
using Shape = Image::Shape;
using Kind = TexelFormat::Kind;
using Status = LaunchResult::Status;

/// Results of one fetch: four registers.
using Four = std::array<std::uint32_t, 4>;

class TextureTest : public DeviceTest {
 protected:
  /// An image over new memory whose rows lie `row_bytes` apart; 0 for no gap.
  Image image_of(Shape shape, TexelFormat format, std::uint64_t width, std::uint64_t height = 1,
                 std::uint64_t depth = 1, std::uint64_t row_bytes = 0) {
    Image image;
    image.shape = shape;
    image.format = format;
    image.width = width;
    image.height = height;
    image.depth = depth;
    image.row_bytes = row_bytes != 0 ? row_bytes : width * format.bytes();
    image.slice_bytes = image.row_bytes * height;
    image.address = device.allocate(image.slice_bytes * depth, "image");
    return image;
  }

  /// Fills an image without gaps between rows.
  template <class T>
  void fill(const Image& image, const std::vector<T>& values) {
    device.write(image.address, std::as_bytes(std::span(values)));
  }

  /// Runs one fetch in as many lanes as there are points, of `operands` coordinate registers each. `fetch` is
  /// the instruction with its operands from the coordinates on, with %c0 … for those of the lane.
  std::vector<Four> fetch(ImageHandle handle, const std::string& instruction, const std::string& coordinates,
                          unsigned operands, const std::vector<std::uint32_t>& points) {
    const auto lanes = static_cast<std::uint32_t>(points.size() / operands);
    const DeviceAddress in = upload(points), out = device.allocate(lanes * sizeof(Four));
    std::string body = ".reg .b32 %c<4>;\n.reg .b64 %t;\nmov.u64 %t, " + std::to_string(handle) + ";\n";
    body += "mul.wide.u32 %d2, %r1, " + std::to_string(4 * operands) + ";\nadd.u64 %d2, %d2, %d0;\n";
    for (unsigned k = 0; k < operands; ++k)
      body += "ld.global.b32 %c" + std::to_string(k) + ", [%d2+" + std::to_string(4 * k) + "];\n";
    body += instruction + " {%r2, %r3, %r4, %r5}, [%t, " + coordinates + "];\n";
    body +=
        "mul.wide.u32 %d3, %r1, 16;\nadd.u64 %d3, %d3, %d1;\nst.global.v4.b32 [%d3], {%r2, %r3, %r4, %r5};";
    EXPECT_EQ(run(body, in, out, 0, {}, {lanes, 1, 1}).status, Status::ok)
        << ::testing::PrintToString(findings());
    EXPECT_THAT(findings(), IsEmpty());
    return download<Four>(out, lanes);
  }

  /// Runs a body with the handle in %t, and the lane's number in %r1.
  LaunchResult run_with(ImageHandle handle, const std::string& body, DeviceAddress a = 0,
                        Dim3 block = {32, 1, 1}, Dim3 grid = {}) {
    return run(".reg .b64 %t; mov.u64 %t, " + std::to_string(handle) + ";\n" + body, a, 0, 0, grid, block);
  }
};

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
float number(std::uint32_t value) { return std::bit_cast<float>(value); }

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  for (const float value : values) result.push_back(bits(value));
  return result;
}

constexpr TexelFormat kFloat{Kind::floating, 32, 1};

Sampler sampler(Outside outside, bool linear, bool normalised) {
  Sampler result;
  result.outside.fill(outside);
  result.linear = linear ? 1 : 0;
  result.normalised_coordinates = normalised ? 1 : 0;
  return result;
}

// --- the guide's formulas, written down once more ---

/// T[i] with the address mode's meaning for an index outside.
long double texel(const std::vector<float>& texels, long i, Outside outside) {
  const long n = static_cast<long>(texels.size());
  if (outside == Outside::border && (i < 0 || i >= n)) return 0;
  if (outside == Outside::wrap) return texels[static_cast<std::size_t>(((i % n) + n) % n)];
  return texels[static_cast<std::size_t>(i < 0 ? 0 : i >= n ? n - 1 : i)];
}

/// x in texels: wrap gives frac(x), mirror frac(x) or 1 - frac(x) as floor(x) is even or odd.
long double in_texels(float x, std::size_t n, Outside outside, bool normalised) {
  if (!normalised) return x;
  const long double whole = std::floor(static_cast<long double>(x));
  long double place = x;
  if (outside == Outside::wrap || outside == Outside::mirror) place -= whole;
  if (outside == Outside::mirror && std::fmod(std::abs(whole), 2.0L) == 1) place = 1 - place;
  return static_cast<float>(place * static_cast<long double>(n));
}

/// i = floor(x_B), alpha = frac(x_B) with 8 bits, x_B = x - 0.5; (1 - alpha) T[i] + alpha T[i + 1].
struct Weights {
  long i;
  long double alpha;
};
Weights weights(long double x) {
  const long double shifted = x - 0.5L;
  const long double i = std::floor(shifted);
  return {static_cast<long>(i), std::floor((shifted - i) * 256 + 0.5L) / 256};
}

long double filter(const std::vector<float>& texels, long double x, Outside outside) {
  const Weights w = weights(x);
  return (1 - w.alpha) * texel(texels, w.i, outside) + w.alpha * texel(texels, w.i + 1, outside);
}

/// Coordinates inside, outside, on borders, on centres, and between.
std::vector<float> coordinates(std::size_t n, bool normalised) {
  std::vector<float> result;
  const float scale = normalised ? static_cast<float>(n) : 1;
  for (int i = -3 * static_cast<int>(n); i <= 4 * static_cast<int>(n); ++i) {
    for (const float part : {0.0F, 0.25F, 0.5F, 0.998F, 0.001953125F, 0.4980468F})
      result.push_back((static_cast<float>(i) + part) / scale);
  }
  for (const float x : {-0.0F, 1e-30F, -1e-30F, 0.99999994F, 1e9F, -1e9F, 3e38F, -3e38F}) result.push_back(x);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> anywhere(-2.0F * static_cast<float>(n) / scale,
                                                 3.0F * static_cast<float>(n) / scale);
  for (int k = 0; k < 200; ++k) result.push_back(anywhere(random));
  result.resize(result.size() / 32 * 32);
  return result;
}

/// Texels whose weighted sums a long double holds exactly: 16 significant bits, few exponents.
std::vector<float> random_texels(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> result(n);
  for (float& value : result) value = static_cast<float>(static_cast<int>(random() % 65536) - 32768) / 16.0F;
  return result;
}

struct Case {
  Outside outside;
  bool normalised;
  std::size_t texels;
};

class LineTest : public TextureTest, public ::testing::WithParamInterface<Case> {
 protected:
  /// Compares tex.1d at many coordinates with what `expected` says of each.
  template <class F>
  void compare(bool linear, F expected) {
    const Case& c = GetParam();
    const std::vector<float> texels = random_texels(c.texels, 1);
    const Image image = image_of(Shape::line, kFloat, c.texels);
    fill(image, texels);
    const ImageHandle handle = device.create_texture(image, sampler(c.outside, linear, c.normalised));
    const std::vector<float> all = coordinates(c.texels, c.normalised);
    for (std::size_t begin = 0; begin < all.size(); begin += 32) {
      const std::vector<float> points(all.begin() + static_cast<long>(begin),
                                      all.begin() + static_cast<long>(begin + 32));
      const auto found = fetch(handle, "tex.1d.v4.f32.f32", "{%c0}", 1, bits(points));
      for (std::size_t k = 0; k < points.size(); ++k) {
        const float want = static_cast<float>(expected(texels, points[k]));
        EXPECT_EQ(number(found[k][0]), want) << "at " << points[k];
        EXPECT_EQ(found[k][1], 0U);
      }
    }
  }
};

/// Without normalised coordinates wrap and mirror are clamp.
Outside effective(const Case& c) {
  return c.normalised || c.outside == Outside::border ? c.outside : Outside::clamp;
}

TEST_P(LineTest, NearestPointIsFloor) {
  compare(false, [&](const std::vector<float>& texels, float x) {
    const Outside outside = effective(GetParam());
    const long double place = in_texels(x, texels.size(), outside, GetParam().normalised);
    const long double far = std::min(std::max(place, -9.0L), static_cast<long double>(texels.size()) + 9);
    return texel(texels, static_cast<long>(std::floor(far)), outside);
  });
}

TEST_P(LineTest, LinearFilteringHasFractionsOfEightBits) {
  compare(true, [&](const std::vector<float>& texels, float x) {
    const Outside outside = effective(GetParam());
    const long double place = in_texels(x, texels.size(), outside, GetParam().normalised);
    const long double far = std::min(std::max(place, -9.0L), static_cast<long double>(texels.size()) + 9);
    return filter(texels, far, outside);
  });
}

INSTANTIATE_TEST_SUITE_P(AddressModes, LineTest,
                         ::testing::Values(Case{Outside::wrap, true, 5}, Case{Outside::mirror, true, 5},
                                           Case{Outside::clamp, true, 5}, Case{Outside::border, true, 5},
                                           Case{Outside::wrap, false, 5}, Case{Outside::mirror, false, 5},
                                           Case{Outside::clamp, false, 5}, Case{Outside::border, false, 5},
                                           Case{Outside::wrap, true, 1}, Case{Outside::mirror, true, 1},
                                           Case{Outside::wrap, true, 64}, Case{Outside::clamp, false, 33}));

// --- more dimensions ---

TEST_F(TextureTest, TwoDimensionsFilterAsTheProductOfTheirWeights) {
  const std::size_t width = 7, height = 5;
  const std::vector<float> texels = random_texels(width * height, 2);
  // Rows with a gap, as cudaMallocPitch leaves one; what lies between is never written.
  const Image image = image_of(Shape::plane, kFloat, width, height, 1, 64);
  for (std::size_t y = 0; y < height; ++y)
    device.write(image.address + y * 64, std::as_bytes(std::span(texels).subspan(y * width, width)));
  Sampler both = sampler(Outside::wrap, true, true);
  both.outside[1] = Outside::mirror;
  const ImageHandle handle = device.create_texture(image, both);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> anywhere(-3, 3);
  for (int round = 0; round < 20; ++round) {
    std::vector<float> points(64);
    for (float& x : points) x = anywhere(random);
    const auto found = fetch(handle, "tex.2d.v4.f32.f32", "{%c0, %c1}", 2, bits(points));
    for (std::size_t k = 0; k < 32; ++k) {
      const Weights a = weights(in_texels(points[2 * k], width, Outside::wrap, true));
      const Weights b = weights(in_texels(points[2 * k + 1], height, Outside::mirror, true));
      const auto at = [&](long i, long j) -> long double {
        const long w = static_cast<long>(width), h = static_cast<long>(height);
        const long x = ((i % w) + w) % w, y = j < 0 ? 0 : j >= h ? h - 1 : j;
        return texels[static_cast<std::size_t>(y * w + x)];
      };
      const long double want =
          (1 - a.alpha) * (1 - b.alpha) * at(a.i, b.i) + a.alpha * (1 - b.alpha) * at(a.i + 1, b.i) +
          (1 - a.alpha) * b.alpha * at(a.i, b.i + 1) + a.alpha * b.alpha * at(a.i + 1, b.i + 1);
      EXPECT_EQ(number(found[k][0]), static_cast<float>(want)) << points[2 * k] << ", " << points[2 * k + 1];
    }
  }
}

TEST_F(TextureTest, ThreeDimensionsFilterBetweenEightTexels) {
  const long n = 4;
  const std::vector<float> texels = random_texels(static_cast<std::size_t>(n * n * n), 4);
  const Image image = image_of(Shape::volume, kFloat, 4, 4, 4);
  fill(image, texels);
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, true, false));
  std::mt19937 random(5);
  std::uniform_real_distribution<float> anywhere(-1, 5);
  std::vector<float> points(128);
  for (float& x : points) x = anywhere(random);
  const auto found = fetch(handle, "tex.3d.v4.f32.f32", "{%c0, %c1, %c2, %c3}", 4, bits(points));
  for (std::size_t k = 0; k < 32; ++k) {
    const Weights a = weights(points[4 * k]), b = weights(points[4 * k + 1]), c = weights(points[4 * k + 2]);
    long double want = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const auto clamped = [&](long i) { return static_cast<std::size_t>(i < 0 ? 0 : i >= n ? n - 1 : i); };
      const bool right = (corner & 1) != 0, down = (corner & 2) != 0, deep = (corner & 4) != 0;
      const std::size_t x = clamped(a.i + right), y = clamped(b.i + down), z = clamped(c.i + deep);
      want += (right ? a.alpha : 1 - a.alpha) * (down ? b.alpha : 1 - b.alpha) *
              (deep ? c.alpha : 1 - c.alpha) * texels[(z * 4 + y) * 4 + x];
    }
    EXPECT_EQ(number(found[k][0]), static_cast<float>(want)) << k;
  }
}

TEST_F(TextureTest, LayersAreNotFilteredBetweenAndClampTheirIndex) {
  const Image lines = image_of(Shape::line_layers, kFloat, 2, 1, 3);
  fill(lines, std::vector<float>{0, 1, 10, 11, 20, 21});
  const ImageHandle handle = device.create_texture(lines, sampler(Outside::clamp, true, false));
  const auto found =
      fetch(handle, "tex.a1d.v4.f32.f32", "{%c0, %c1}", 2,
            {0, bits(1.0F), 1, bits(1.0F), 2, bits(1.5F), 7, bits(0.5F), 0xFFFF'FFFF, bits(0.5F)});
  EXPECT_EQ(number(found[0][0]), 0.5F);
  EXPECT_EQ(number(found[1][0]), 10.5F);
  EXPECT_EQ(number(found[2][0]), 21.0F);
  EXPECT_EQ(number(found[3][0]), 20.0F);
  EXPECT_EQ(number(found[4][0]), 20.0F);

  const Image planes = image_of(Shape::plane_layers, kFloat, 2, 2, 2);
  fill(planes, std::vector<float>{0, 1, 2, 3, 40, 41, 42, 43});
  const ImageHandle layered = device.create_texture(planes, sampler(Outside::clamp, true, false));
  const auto second = fetch(layered, "tex.a2d.v4.f32.f32", "{%c0, %c1, %c2, %c3}", 4,
                            {1, bits(1.0F), bits(1.5F), 0, 0, bits(0.5F), bits(1.0F), 0});
  EXPECT_EQ(number(second[0][0]), 42.5F);
  EXPECT_EQ(number(second[1][0]), 1.0F);
}

TEST_F(TextureTest, ADirectionFindsItsFaceOfTheCube) {
  // Face f has the texels 10 f + {0, 1, 2, 3}.
  const Image cube = image_of(Shape::cube, kFloat, 2, 2, 6);
  std::vector<float> texels;
  for (int face = 0; face < 6; ++face) {
    for (int k = 0; k < 4; ++k) texels.push_back(static_cast<float>(10 * face + k));
  }
  fill(cube, texels);
  const ImageHandle handle = device.create_texture(cube, sampler(Outside::clamp, false, true));
  // By the guide's table: face, m, s, t for x, y, z; the texel is (s/m + 1)/2, (t/m + 1)/2.
  struct Row {
    std::array<float, 3> direction;
    float expected;
  };
  const std::vector<Row> rows = {
      {{2, -1, -1}, 3},    // +x: s = -z = 1, t = -y = 1
      {{2, 1, 1}, 0},      //     s = -1, t = -1
      {{-2, -1, 1}, 13},   // -x: s = z = 1, t = -y = 1
      {{-2, 1, 1}, 11},    //     s = 1, t = -1
      {{1, 2, 1}, 23},     // +y: s = x, t = z
      {{1, 2, -1}, 21},    //
      {{-1, -2, -1}, 32},  // -y: s = x, t = -z
      {{1, -2, -1}, 33},   //
      {{1, -1, 2}, 43},    // +z: s = x, t = -y
      {{-1, -1, 2}, 42},   //
      {{1, 1, -2}, 50},    // -z: s = -x, t = -y
      {{-1, -1, -2}, 53},  //
      {{1, -1, -2}, 52},  {{-0.5F, -1, 5}, 42},
  };
  std::vector<std::uint32_t> points;
  for (const Row& row : rows) {
    for (const float x : row.direction) points.push_back(bits(x));
    points.push_back(0);
  }
  const auto found = fetch(handle, "tex.cube.v4.f32.f32", "{%c0, %c1, %c2, %c3}", 4, points);
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(number(found[k][0]), rows[k].expected) << k;

  const Image cubes = image_of(Shape::cube_layers, kFloat, 2, 2, 12);
  for (int k = 0; k < 24; ++k) texels.push_back(texels[static_cast<std::size_t>(k)] + 100);
  fill(cubes, texels);
  const ImageHandle layered = device.create_texture(cubes, sampler(Outside::clamp, false, true));
  const auto second = fetch(layered, "tex.acube.v4.f32.f32", "{%c0, %c1, %c2, %c3}", 4,
                            {1, bits(2.0F), bits(-1.0F), bits(-1.0F), 0, bits(1.0F), bits(2.0F), bits(1.0F),
                             9, bits(1.0F), bits(1.0F), bits(-2.0F)});
  EXPECT_EQ(number(second[0][0]), 103);
  EXPECT_EQ(number(second[1][0]), 23);
  EXPECT_EQ(number(second[2][0]), 150);
}

// --- formats ---

TEST_F(TextureTest, IntegersComeAsTheyAreOrAsFractions) {
  const std::vector<std::int8_t> bytes = {-128, -127, -1, 0, 1, 2, 126, 127};
  const Image narrow = image_of(Shape::line, {Kind::signed_integer, 8, 2}, 4);
  fill(narrow, bytes);
  Sampler fractions = sampler(Outside::clamp, false, false);
  const ImageHandle whole = device.create_texture(narrow, fractions);
  fractions.normalised_values = 1;
  const ImageHandle parts = device.create_texture(narrow, fractions);
  const auto points = bits({0.5F, 1.5F, 2.5F, 3.5F});
  const auto integers = fetch(whole, "tex.1d.v4.s32.f32", "{%c0}", 1, points);
  const auto floats = fetch(parts, "tex.1d.v4.f32.f32", "{%c0}", 1, points);
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    EXPECT_EQ(static_cast<std::int32_t>(integers[k / 2][k % 2]), bytes[k]);
    const long double fraction = std::max(static_cast<long double>(bytes[k]) / 127, -1.0L);
    EXPECT_EQ(number(floats[k / 2][k % 2]), static_cast<float>(fraction)) << int{bytes[k]};
  }

  const std::vector<std::uint16_t> shorts = {0, 1, 255, 256, 32767, 32768, 65534, 65535};
  const Image wide = image_of(Shape::line, {Kind::unsigned_integer, 16, 4}, 2);
  fill(wide, shorts);
  const ImageHandle sixteen = device.create_texture(wide, fractions);
  const auto found = fetch(sixteen, "tex.1d.v4.f32.f32", "{%c0}", 1, bits({0.5F, 1.5F}));
  for (std::size_t k = 0; k < shorts.size(); ++k)
    EXPECT_EQ(number(found[k / 4][k % 4]), static_cast<float>(static_cast<long double>(shorts[k]) / 65535));
}

TEST_F(TextureTest, HalvesComeAsFloats) {
  // One, the smallest normal and subnormal, the largest, infinity, and minus zero.
  const Image image = image_of(Shape::line, {Kind::floating, 16, 1}, 6);
  fill(image, std::vector<std::uint16_t>{0x3C00, 0x0400, 0x0001, 0x7BFF, 0x7C00, 0x8000});
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, false, false));
  const auto found =
      fetch(handle, "tex.1d.v4.f32.f32", "{%c0}", 1, bits({0.5F, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F}));
  EXPECT_EQ(number(found[0][0]), 1.0F);
  EXPECT_EQ(number(found[1][0]), 0x1p-14F);
  EXPECT_EQ(number(found[2][0]), 0x1p-24F);
  EXPECT_EQ(number(found[3][0]), 65504.0F);
  EXPECT_EQ(number(found[4][0]), std::numeric_limits<float>::infinity());
  EXPECT_EQ(found[5][0], 0x8000'0000U);
}

TEST_F(TextureTest, TheFourChannelsOfATexel) {
  const Image image = image_of(Shape::line, {Kind::unsigned_integer, 32, 4}, 2);
  fill(image, std::vector<std::uint32_t>{1, 2, 3, 0xFFFF'FFFF, 5, 6, 7, 8});
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, false, false));
  const auto found = fetch(handle, "tex.1d.v4.u32.s32", "{%c0}", 1, {0, 1});
  EXPECT_THAT(found, ElementsAre(Four{1, 2, 3, 0xFFFF'FFFF}, Four{5, 6, 7, 8}));
}

TEST_F(TextureTest, TheBorderHasItsOwnColour) {
  const Image image = image_of(Shape::line, {Kind::floating, 32, 4}, 1);
  fill(image, std::vector<float>{8, 16, 24, 32});
  Sampler border = sampler(Outside::border, true, false);
  border.border = {bits(0.0F), bits(4.0F), bits(-8.0F), bits(1.0F)};
  const ImageHandle handle = device.create_texture(image, border);
  const auto found = fetch(handle, "tex.1d.v4.f32.f32", "{%c0}", 1, bits({-3.0F, 0.0F, 0.5F}));
  EXPECT_EQ(found[0], (Four{bits(0.0F), bits(4.0F), bits(-8.0F), bits(1.0F)}));
  EXPECT_EQ(found[1], (Four{bits(4.0F), bits(10.0F), bits(8.0F), bits(16.5F)}));
  EXPECT_EQ(found[2], (Four{bits(8.0F), bits(16.0F), bits(24.0F), bits(32.0F)}));
}

// --- by index, gather, levels, queries ---

TEST_F(TextureTest, AnIndexOutsideLinearMemoryReadsZero) {
  const Image image = image_of(Shape::buffer, {Kind::unsigned_integer, 8, 1}, 3);
  fill(image, std::vector<std::uint8_t>{7, 8, 9});
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, false, false));
  const auto found =
      fetch(handle, "tex.1d.v4.u32.s32", "{%c0}", 1, {0, 1, 2, 3, 0xFFFF'FFFF, 0x7FFF'FFFF, 0x8000'0000});
  std::vector<std::uint32_t> first;
  for (const Four& texel : found) first.push_back(texel[0]);
  EXPECT_THAT(first, ElementsAre(7, 8, 9, 0, 0, 0, 0));
}

TEST_F(TextureTest, GatherReturnsOneChannelOfFourTexels) {
  const Image image = image_of(Shape::plane, {Kind::unsigned_integer, 32, 2}, 3, 3);
  std::vector<std::uint32_t> texels;
  for (std::uint32_t k = 0; k < 9; ++k) texels.insert(texels.end(), {k, 100 + k});
  fill(image, texels);
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, false, false));
  // Between the texels (0, 1) and (1, 2): in the order (0, 2), (1, 2), (1, 1), (0, 1).
  const auto red = fetch(handle, "tld4.r.2d.v4.u32.f32", "{%c0, %c1}", 2, bits({1.25F, 2.0F, 0.0F, 0.0F}));
  EXPECT_EQ(red[0], (Four{6, 7, 4, 3}));
  EXPECT_EQ(red[1], (Four{0, 0, 0, 0}));
  const auto green = fetch(handle, "tld4.g.2d.v4.u32.f32", "{%c0, %c1}", 2, bits({1.25F, 2.0F}));
  EXPECT_EQ(green[0], (Four{106, 107, 104, 103}));
}

TEST_F(TextureTest, WithoutMipmapsEveryLevelIsTheFirst) {
  const Image image = image_of(Shape::plane, kFloat, 2, 2);
  fill(image, std::vector<float>{1, 2, 3, 4});
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, true, false));
  const DeviceAddress out = upload(std::vector<std::uint32_t>(4, 0));
  EXPECT_EQ(run_with(handle,
                     "mov.f32 %f9, 0f3F800000;\n"
                     "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f9, %f9}], %f9;\n"
                     "tex.grad.2d.v4.f32.f32 {%f5, _, _, _}, [%t, {%f9, %f9}], {%f9, %f9}, {%f9, %f9};\n"
                     "tex.2d.v4.f32.f32 {%f6, %f2, %f3, %f4}|%p1, [%t, {%f9, %f9}];\nselp.f32 %f7, %f6, "
                     "0f00000000, %p1;\n"
                     "st.global.f32 [%d0], %f1;\nst.global.f32 [%d0+4], %f5;\nst.global.f32 [%d0+8], %f7;",
                     out, {1, 1, 1})
                .status,
            Status::ok);
  const auto found = download<float>(out, 3);
  EXPECT_THAT(found, ElementsAre(2.5F, 2.5F, 2.5F));
}

TEST_F(TextureTest, QueriesTellTheExtent) {
  const Image image = image_of(Shape::cube_layers, kFloat, 4, 4, 18);
  const ImageHandle texture = device.create_texture(image, sampler(Outside::clamp, true, true));
  const ImageHandle surface = device.create_surface(image);
  const DeviceAddress out = upload(std::vector<std::uint32_t>(8, 0));
  EXPECT_EQ(
      run_with(texture,
               ".reg .b64 %s; mov.u64 %s, " + std::to_string(surface) +
                   ";\ntxq.width.b32 %r2, [%t];\ntxq.height.b32 %r3, [%t];\ntxq.depth.b32 %r4, [%t];\n"
                   "txq.array_size.b32 %r5, [%t];\ntxq.normalized_coords.b32 %r6, [%t];\n"
                   "txq.num_mipmap_levels.b32 %r7, [%t];\nsuq.width.b32 %r8, [%s];\n"
                   "st.global.v4.b32 [%d0], {%r2, %r3, %r4, %r5};\nst.global.v2.b32 [%d0+16], {%r6, %r7};\n"
                   "st.global.b32 [%d0+24], %r8;",
               out, {1, 1, 1})
          .status,
      Status::ok);
  EXPECT_THAT(download<std::uint32_t>(out, 7), ElementsAre(4, 4, 1, 3, 1, 1, 4));
}

TEST_F(TextureTest, LanesMayHaveDifferentObjects) {
  const Image one = image_of(Shape::line, kFloat, 1), two = image_of(Shape::line, kFloat, 1);
  fill(one, std::vector<float>{1});
  fill(two, std::vector<float>{2});
  const std::vector<std::uint64_t> handles = {
      device.create_texture(one, sampler(Outside::clamp, false, false)),
      device.create_texture(two, sampler(Outside::clamp, false, false))};
  const DeviceAddress in = upload(handles), out = upload(std::vector<float>(32, 0));
  EXPECT_EQ(run(".reg .b64 %t;\nand.b32 %r2, %r1, 1;\nmul.wide.u32 %d2, %r2, 8;\nadd.u64 %d2, %d2, %d0;\n"
                "ld.global.b64 %t, [%d2];\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {0}];\n"
                "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, %d1;\nst.global.f32 [%d3], %f1;",
                in, out, 0, {}, {32, 1, 1})
                .status,
            Status::ok);
  const auto found = download<float>(out, 32);
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(found[lane], lane % 2 == 0 ? 1.0F : 2.0F) << lane;
}

// --- surfaces ---

TEST_F(TextureTest, SurfacesStoreAndLoadEveryWidth) {
  // A row for each width: what is stored is loaded, and lies where the byte offset says.
  const Image image = image_of(Shape::plane, {Kind::unsigned_integer, 8, 4}, 16, 8);
  const ImageHandle handle = device.create_surface(image);
  const DeviceAddress out = upload(std::vector<std::uint64_t>(16, 0));
  EXPECT_EQ(
      run_with(handle,
               "mov.b64 %d4, 0x1122334455667788;\nmov.b64 %d5, 0x99aabbccddeeff00;\n"
               "mov.b32 %r4, 0xa1a2a3a4;\nmov.b16 %h1, 0xb1b2;\nmov.b16 %h2, 0xc1c2;\n"
               "sust.b.2d.v2.b64.trap [%t, {16, 0}], {%d4, %d5};\nsuld.b.2d.v2.b64.trap {%d6, %d7}, [%t, "
               "{16, 0}];\n"
               "sust.b.2d.b8.trap [%t, {3, 1}], {%h1};\nsuld.b.2d.b8.trap {%h3}, [%t, {3, 1}];\n"
               "sust.b.2d.v2.b16.trap [%t, {4, 2}], {%h1, %h2};\nsuld.b.2d.b32.trap {%r5}, [%t, {4, 2}];\n"
               "sust.b.2d.v4.b8.trap [%t, {8, 3}], {%h1, %h2, %h1, %h2};\nsuld.b.2d.v4.b8.trap {%h4, %h5, "
               "%h6, %h7}, [%t, {8, 3}];\n"
               "sust.b.2d.b32.trap [%t, {60, 7}], {%r4};\nsuld.b.2d.v2.b16.trap {%h8, %h9}, [%t, {60, 7}];\n"
               "cvt.u32.u16 %r6, %h3;\ncvt.u32.u16 %r7, %h5;\ncvt.u32.u16 %r8, %h8;\n"
               "st.global.v2.b64 [%d0], {%d6, %d7};\nst.global.v4.b32 [%d0+16], {%r5, %r6, %r7, %r8};",
               out, {1, 1, 1})
          .status,
      Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(download<std::uint64_t>(out, 2), ElementsAre(0x1122334455667788, 0x99aabbccddeeff00));
  EXPECT_THAT(download<std::uint32_t>(out + 16, 4), ElementsAre(0xc1c2b1b2, 0xb2, 0xc2, 0xa3a4));
  EXPECT_EQ(download<std::uint64_t>(image.address + 16, 1)[0], 0x1122334455667788U);
  EXPECT_EQ(download<std::uint32_t>(image.address + 7 * 64 + 60, 1)[0], 0xa1a2a3a4U);
  EXPECT_EQ(download<std::uint32_t>(image.address + 3 * 64 + 8, 1)[0], 0xc2b2c2b2U);
}

TEST_F(TextureTest, SurfacesOfEveryShape) {
  const TexelFormat word{Kind::unsigned_integer, 32, 1};
  const auto written_at = [&](const Image& image, const std::string& geometry, const std::string& point) {
    const ImageHandle handle = device.create_surface(image);
    run_with(handle, "sust.b." + geometry + ".b32.trap [%t, " + point + "], {%r1};", 0, {1, 1, 1});
    EXPECT_THAT(findings(), IsEmpty()) << geometry;
    // The place that was written is the only one that can be read without a finding.
    const auto words = download<std::uint32_t>(image.address, image.slice_bytes * image.depth / 4);
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] == 0) places.push_back(k);
    }
    device.destroy_image(handle);
    return places.size() == 1 ? static_cast<int>(places[0]) : -static_cast<int>(places.size());
  };
  const auto ones = [&](Shape shape, std::uint64_t width, std::uint64_t height, std::uint64_t depth) {
    const Image image = image_of(shape, word, width, height, depth);
    device.fill(image.address, std::byte{0xFF}, image.slice_bytes * depth);
    return image;
  };
  EXPECT_EQ(written_at(ones(Shape::line, 5, 1, 1), "1d", "{12}"), 3);
  EXPECT_EQ(written_at(ones(Shape::plane, 5, 1, 1), "1d", "{12}"), 3);
  EXPECT_EQ(written_at(ones(Shape::plane, 5, 4, 1), "2d", "{12, 2}"), 13);
  EXPECT_EQ(written_at(ones(Shape::volume, 5, 4, 3), "3d", "{12, 2, 1, 99}"), 33);
  EXPECT_EQ(written_at(ones(Shape::line_layers, 5, 1, 3), "a1d", "{2, 4}"), 11);
  EXPECT_EQ(written_at(ones(Shape::plane_layers, 5, 4, 3), "a2d", "{2, 4, 1, 99}"), 46);
  EXPECT_EQ(written_at(ones(Shape::cube, 2, 2, 6), "a2d", "{5, 4, 1, 99}"), 23);
}

TEST_F(TextureTest, OutsideASurfaceItTrapsClampsOrReadsZero) {
  const Image image = image_of(Shape::plane, {Kind::unsigned_integer, 32, 1}, 2, 2);
  fill(image, std::vector<std::uint32_t>{1, 2, 3, 4});
  const ImageHandle handle = device.create_surface(image);
  const DeviceAddress out = upload(std::vector<std::uint32_t>(4, 9));
  for (const char* point : {"{8, 0}", "{-4, 0}", "{0, 2}", "{0, -1}", "{2147483644, 2147483647}"}) {
    for (const char* access : {"suld.b.2d.b32.trap {%r2}, [%t, ", "sust.b.2d.b32.trap [%t, "}) {
      const bool store = access[1] == 'u' && access[2] == 's';
      const std::string body =
          std::string("mov.u32 %r2, 0;\n") + access + point + (store ? "], {%r2};" : "];");
      EXPECT_EQ(run_with(handle, body, 0, {1, 1, 1}).status, Status::illegal_address) << body;
      ASSERT_THAT(findings(), ElementsAre("out-of-bounds 3")) << body;
      EXPECT_EQ(seen.findings[0].cause, Finding::Cause::outside_surface);
      EXPECT_THAT(seen.findings[0].numbers, ElementsAre(_, _, _, 8, 2, 1)) << "the size of the surface";
    }
  }
  EXPECT_EQ(run_with(handle,
                     "suld.b.2d.b32.clamp {%r2}, [%t, {400, 1}];\nsuld.b.2d.b32.clamp {%r3}, [%t, {-4, 9}];\n"
                     "suld.b.2d.b32.zero {%r4}, [%t, {8, 1}];\nsuld.b.2d.b32.zero {%r5}, [%t, {4, 1}];\n"
                     "st.global.v4.b32 [%d0], {%r2, %r3, %r4, %r5};\nmov.u32 %r6, 77;\n"
                     "sust.b.2d.b32.zero [%t, {8, 1}], {%r6};\nsust.b.2d.b32.clamp [%t, {400, -7}], {%r6};",
                     out, {1, 1, 1})
                .status,
            Status::ok);
  EXPECT_THAT(download<std::uint32_t>(out, 4), ElementsAre(4, 3, 0, 4));
  EXPECT_THAT(download<std::uint32_t>(image.address, 4), ElementsAre(1, 77, 3, 4));
}

TEST_F(TextureTest, XOfASurfaceCountsBytes) {
  const Image image = image_of(Shape::line, {Kind::unsigned_integer, 32, 1}, 32);
  fill(image, std::vector<std::uint32_t>(32, 1));
  EXPECT_EQ(run_with(device.create_surface(image), "suld.b.1d.b32.trap {%r2}, [%t, {%r1}];").status,
            Status::misaligned_address);
  ASSERT_THAT(findings(), ElementsAre("misaligned 2"));
  EXPECT_EQ(seen.findings[0].thread[0], 1U);
}

// --- checks ---

TEST_F(TextureTest, ReadingAnUninitialisedTexelIsFound) {
  const Image image = image_of(Shape::plane, kFloat, 4, 4);
  fill(image, std::vector<float>{1, 2, 3, 4, 5, 6});
  const ImageHandle handle = device.create_texture(image, sampler(Outside::clamp, true, false));
  const auto fetch_at = [&](const char* x, const char* y) {
    run_with(handle, std::string("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {") + x + ", " + y + "}];", 0,
             {1, 1, 1});
    return findings();
  };
  // The centre of (1, 1): its neighbours have the weight 0.
  EXPECT_THAT(fetch_at("0f3FC00000", "0f3FC00000"), IsEmpty());
  EXPECT_THAT(fetch_at("0f40000000", "0f3FC00000"), ElementsAre("uninitialised-read 2"));
  EXPECT_THAT(seen.findings[0].numbers, ElementsAre(2, 1, 0, static_cast<int>(Shape::plane)));

  const ImageHandle surface = device.create_surface(image_of(Shape::line, kFloat, 4));
  run_with(surface, "suld.b.1d.b32.trap {%r2}, [%t, {12}];", 0, {1, 1, 1});
  ASSERT_THAT(findings(), ElementsAre("uninitialised-read 2"));
  EXPECT_THAT(seen.findings[0].numbers, ElementsAre(3, 0, 0, static_cast<int>(Shape::line)));
}

TEST_F(TextureTest, BlocksThatReadWhatOthersWriteRace) {
  const Image image = image_of(Shape::line, kFloat, 64);
  device.fill(image.address, std::byte{1}, 256);
  const ImageHandle surface = device.create_surface(image);
  run_with(surface,
           "mov.u32 %r2, %ctaid.x;\nand.b32 %r2, %r2, 1;\nmul.lo.u32 %r3, %r1, 4;\nsetp.eq.u32 %p1, %r2, 0;\n"
           "@%p1 sust.b.1d.b32.trap [%t, {%r3}], {%r1};\n@!%p1 suld.b.1d.b32.trap {%r4}, [%t, {%r3}];",
           0, {32, 1, 1}, {16, 1, 1});
  ASSERT_FALSE(seen.findings.empty());
  for (const Finding& finding : seen.findings) {
    EXPECT_EQ(finding.kind, Finding::Kind::race);
    EXPECT_TRUE(finding.line.line == 6 || finding.line.line == 7);
  }
}

TEST_F(TextureTest, HandlesThatNameNoObjectAreFound) {
  const Image image = image_of(Shape::line, kFloat, 4);
  fill(image, std::vector<float>{1, 2, 3, 4});
  const ImageHandle texture = device.create_texture(image, {}), surface = device.create_surface(image);
  const char* const fetch = "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1}];";
  const char* const load = "suld.b.1d.b32.trap {%r2}, [%t, {0}];";
  for (const ImageHandle wrong :
       {std::uint64_t{0}, std::uint64_t{1}, image.address, texture + 1000, ~std::uint64_t{0}}) {
    for (const char* access : {fetch, load, "txq.width.b32 %r2, [%t];", "suq.width.b32 %r2, [%t];"}) {
      EXPECT_EQ(run_with(wrong, access).status, Status::illegal_address) << wrong << " " << access;
      ASSERT_THAT(findings(), ElementsAre("out-of-bounds 2"));
      EXPECT_EQ(seen.findings[0].cause, Finding::Cause::no_image);
      EXPECT_EQ(seen.findings[0].address, wrong);
    }
  }
  EXPECT_EQ(run_with(surface, fetch).status, Status::illegal_address);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::image_of_other_kind);
  EXPECT_EQ(seen.findings[0].space, Finding::Space::texture);
  EXPECT_EQ(run_with(texture, load).status, Status::illegal_address);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::image_of_other_kind);
  EXPECT_EQ(seen.findings[0].space, Finding::Space::surface);
  EXPECT_EQ(run_with(texture, fetch).status, Status::ok);
  device.destroy_image(surface);
  EXPECT_EQ(run_with(surface, load).status, Status::illegal_address);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::destroyed_image);
  device.free(image.address);
  EXPECT_EQ(run_with(texture, fetch).status, Status::illegal_address);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::freed_image);
  device.destroy_image(texture);
  EXPECT_THROW(device.destroy_image(texture), DeviceError);
}

TEST_F(TextureTest, AShapeThatTheObjectDoesNotHaveIsFound) {
  const Image plane = image_of(Shape::plane, kFloat, 2, 2), buffer = image_of(Shape::buffer, kFloat, 4);
  const ImageHandle texture = device.create_texture(plane, {}), linear = device.create_texture(buffer, {});
  EXPECT_EQ(run_with(texture, "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5, %f5, %f5, %f5}];").status,
            Status::illegal_address);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::image_of_other_shape);
  EXPECT_THAT(seen.findings[0].numbers,
              ElementsAre(static_cast<int>(Shape::volume), static_cast<int>(Shape::plane)));
  EXPECT_EQ(run_with(linear, "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5}];").status,
            Status::illegal_address);
  EXPECT_THAT(seen.findings[0].numbers,
              ElementsAre(static_cast<int>(Shape::line), static_cast<int>(Shape::buffer)));
  EXPECT_EQ(run_with(device.create_surface(plane), "suld.b.3d.b32.trap {%r2}, [%t, {0, 0, 0, 0}];").status,
            Status::illegal_address);
}

TEST_F(TextureTest, CoordinatesThatAreNoNumbersReadSomewhereInside) {
  const Image image = image_of(Shape::cube, kFloat, 2, 2, 6);
  fill(image, std::vector<float>(24, 5));
  for (const Outside outside : {Outside::wrap, Outside::clamp, Outside::mirror}) {
    for (const bool linear : {false, true}) {
      const ImageHandle handle = device.create_texture(image, sampler(outside, linear, true));
      const float nan = std::numeric_limits<float>::quiet_NaN(),
                  infinity = std::numeric_limits<float>::infinity();
      const auto found =
          fetch(handle, "tex.cube.v4.f32.f32", "{%c0, %c1, %c2, %c3}", 4,
                bits({nan, nan, nan, 0, infinity, -infinity, nan, 0, 0, 0, 0, 0, infinity, 1, 1, 0}));
      for (const Four& texel : found) EXPECT_EQ(number(texel[0]), 5);
    }
  }
}

TEST_F(TextureTest, DescriptionsThatContradictThemselvesAreRefused) {
  const Image good = image_of(Shape::plane, kFloat, 4, 4);
  const auto refused = [&](auto change) {
    Image image = good;
    Sampler way = sampler(Outside::clamp, false, false);
    change(image, way);
    try {
      device.create_texture(image, way);
      return false;
    } catch (const DeviceError&) {
      return true;
    }
  };
  EXPECT_FALSE(refused([](Image&, Sampler&) {}));
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.width = 5; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.height = 5; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.height = 0; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.depth = 2; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.width = kHuge; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.width = kHuge / 4 + 2; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.row_bytes = kHuge - 3; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.row_bytes = 18; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.row_bytes = 8; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.address += 4; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.address += 1; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.address = 0; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.address = kHuge - 15; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.format.bits = 64; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.format.bits = 0; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.format.channels = 3; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.format.kind = static_cast<Kind>(9); }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.shape = static_cast<Shape>(99); }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.shape = Shape::cube; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler&) { i.shape = Shape::line; }));
  EXPECT_TRUE(refused([&](Image&, Sampler& s) { s.outside[2] = static_cast<Outside>(7); }));
  EXPECT_TRUE(refused([&](Image&, Sampler& s) { s.linear = 2; }));
  EXPECT_TRUE(refused([&](Image&, Sampler& s) { s.normalised_values = 1; }));
  EXPECT_TRUE(refused([&](Image& i, Sampler& s) { i.format.kind = Kind::signed_integer, s.linear = 1; }));
}

TEST_F(TextureTest, RowsOfASurfaceBeginAtWords) {
  Image image = image_of(Shape::plane, {Kind::unsigned_integer, 8, 1}, 3, 2);
  EXPECT_THROW(device.create_surface(image), DeviceError);
  image.height = 1;
  EXPECT_NO_THROW(device.create_surface(image));
  image.address += 1;
  EXPECT_THROW(device.create_surface(image), DeviceError);
}

TEST_F(TextureTest, ObjectsAreLimited) {
  const Image image = image_of(Shape::line, kFloat, 4);
  for (int k = 0; k < 1 << 16; ++k) device.create_surface(image);
  EXPECT_THROW(device.create_surface(image), DeviceError);
}

TEST_F(TextureTest, TrafficIsNoLinesButCounts) {
  const Image image = image_of(Shape::plane, kFloat, 32, 32);
  fill(image, std::vector<float>(1024, 1));
  const ImageHandle texture = device.create_texture(image, {}), surface = device.create_surface(image);
  const auto sectors = [&](ImageHandle handle, const char* access) {
    run_with(handle, access);
    for (const LineCounters& line : seen.lines)
      EXPECT_EQ(line.global_load.requests + line.global_store.requests, 0U);
    return seen.copied_sectors;
  };
  EXPECT_EQ(sectors(texture, "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1, 3}];"), 4U);
  EXPECT_EQ(sectors(texture, "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {3, %r1}];"), 32U);
  EXPECT_EQ(sectors(texture, "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {3, 99}];"), 0U);
  EXPECT_EQ(sectors(surface, "suld.b.2d.b32.trap {%r2}, [%t, {4, %r1}];"), 32U);
  EXPECT_EQ(sectors(surface, "shl.b32 %r2, %r1, 2; sust.b.2d.b32.trap [%t, {%r2, 5}], {%r1};"), 4U);
}

TEST_F(TextureTest, WhatIsNotSupportedIsNamed) {
  for (const char* instruction :
       {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, %s, {%f5}];",
        "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1, %r1, %r1, %r1}];",
        "tex.base.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5}];",
        "tex.1d.v4.f64.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5}];",
        "tex.1d.v2.f16x2.f32 {%r1, %r2}, [%t, {%f5}];",
        "tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1, %r1, %r1, %r1}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5, %f5}], {1, 1};",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%t, {%f5, %f5}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t];",
        "tex.2d.v4.f32.f32 %f1, [%t, {%f5, %f5}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %d1}, [%t, {%f5, %f5}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f5, %f5}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%d1, %f5}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%f5, [%t, {%f5, %f5}];",
        "tex.2d.v4.f32.f32 ;",
        "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5, %f5}], {%f5}, {%f5, %f5};",
        "tld4.r.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f5, %f5, %f5, %f5}];",
        "suld.p.1d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%t, {%r5}];",
        "suld.b.1d.b32 {%r1}, [%t, {%r5}];",
        "suld.b.cube.b32.trap {%r1}, [%t, {%r5, %r5, %r5, %r5}];",
        "suld.b.1d.v4.b64.trap {%d1, %d2, %d3, %d4}, [%t, {%r5}];",
        "sust.b.1d.v2.b32.trap [%t, {%r5}], {%r1};",
        "sust.b.1d.b32.trap [a, {%r5}], {%r1};",
        "sured.b.add.1d.u32.trap [%t, {%r5}], %r1;",
        "txq.channel_order.b32 %r1, [%t];",
        "txq.width.b32 %r1, [%t, {0}];",
        "suq.channel_data_type.b32 %r1, [%t];",
        "txq.level.width.b32 %r1, [%t], 0;"}) {
    const Device::ModuleId module =
        device.load_ptx(kernel_text(std::string(".reg .b64 %t; .reg .b64 %s;\n") + instruction));
    try {
      device.kernel(module, "kernel");
      ADD_FAILURE() << "decoded " << instruction;
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("kernel.cu:2")) << instruction;
    }
  }
}

}  // namespace
}  // namespace lockstep::emulator
