// Textures as programs use them: arrays of every shape, linear and pitched memory, read modes, filtering, and
// the errors of what CUDA refuses. The values are such that every expected one is exact.
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      return 1;                                           \
    }                                                     \
  } while (false)
#define CALL(call) CHECK((call) == cudaSuccess)

enum Way { fetch_1d, at_1d, at_2d, at_3d, layered_1d, layered_2d, cube, layered_cube, level_2d, gradient_2d };

__global__ void fetch_kernel(cudaTextureObject_t texture, Way way, const float4* points, const int* layers,
                             float* results) {
  const unsigned i = threadIdx.x;
  const float4 p = points[i];
  const int layer = layers[i];
  float result = 0;
  switch (way) {
    case fetch_1d:
      result = tex1Dfetch<float>(texture, layer);
      break;
    case at_1d:
      result = tex1D<float>(texture, p.x);
      break;
    case at_2d:
      result = tex2D<float>(texture, p.x, p.y);
      break;
    case at_3d:
      result = tex3D<float>(texture, p.x, p.y, p.z);
      break;
    case layered_1d:
      result = tex1DLayered<float>(texture, p.x, layer);
      break;
    case layered_2d:
      result = tex2DLayered<float>(texture, p.x, p.y, layer);
      break;
    case cube:
      result = texCubemap<float>(texture, p.x, p.y, p.z);
      break;
    case layered_cube:
      result = texCubemapLayered<float>(texture, p.x, p.y, p.z, layer);
      break;
    case level_2d:
      result = tex2DLod<float>(texture, p.x, p.y, 0.0F);
      break;
    case gradient_2d:
      result = tex2DGrad<float>(texture, p.x, p.y, make_float2(1, 0), make_float2(0, 1));
      break;
  }
  results[i] = result;
}

__global__ void gather_kernel(cudaTextureObject_t texture, float4* result) {
  *result = tex2Dgather<float4>(texture, 1.0F, 1.0F, 0);
}

__global__ void bytes_kernel(cudaTextureObject_t texture, uchar4* result) {
  result[threadIdx.x] = tex2D<uchar4>(texture, threadIdx.x + 0.5F, 0.5F);
}

/// What a kernel fetches at some points.
std::vector<float> fetch(cudaTextureObject_t texture, Way way, const std::vector<float4>& points,
                         std::vector<int> layers = {}) {
  layers.resize(points.size());
  float4* device_points = nullptr;
  int* device_layers = nullptr;
  float* device_results = nullptr;
  std::vector<float> results(points.size(), -1);
  cudaMalloc(&device_points, points.size() * sizeof(float4));
  cudaMalloc(&device_layers, layers.size() * sizeof(int));
  cudaMalloc(&device_results, results.size() * sizeof(float));
  cudaMemcpy(device_points, points.data(), points.size() * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(device_layers, layers.data(), layers.size() * sizeof(int), cudaMemcpyHostToDevice);
  fetch_kernel<<<1, static_cast<unsigned>(points.size())>>>(texture, way, device_points, device_layers,
                                                            device_results);
  cudaMemcpy(results.data(), device_results, results.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_points);
  cudaFree(device_layers);
  cudaFree(device_results);
  return results;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaTextureDesc sampling(cudaTextureAddressMode outside, cudaTextureFilterMode filter, bool normalised) {
  cudaTextureDesc result{};
  result.addressMode[0] = result.addressMode[1] = result.addressMode[2] = outside;
  result.filterMode = filter;
  result.normalizedCoords = normalised ? 1 : 0;
  return result;
}

/// An array of floats 0, 1, 2, … and a texture that filters it linearly.
struct Counted {
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
};
int make_counted(cudaExtent extent, unsigned flags, bool linear, Counted& made) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  CALL(cudaMalloc3DArray(&made.array, &channels, extent, flags));
  const cudaExtent copied = make_cudaExtent(extent.width, extent.height == 0 ? 1 : extent.height,
                                            extent.depth == 0 ? 1 : extent.depth);
  std::vector<float> values(copied.width * copied.height * copied.depth);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), copied.width * sizeof(float), copied.width, copied.height);
  copy.dstArray = made.array;
  copy.extent = copied;
  copy.kind = cudaMemcpyHostToDevice;
  CALL(cudaMemcpy3D(&copy));
  // And back, into a box with an edge around it.
  std::vector<float> back((copied.width + 2) * (copied.height + 1) * copied.depth, -1);
  cudaMemcpy3DParms out{};
  out.srcArray = made.array;
  out.dstPtr =
      make_cudaPitchedPtr(back.data(), (copied.width + 2) * sizeof(float), copied.width, copied.height + 1);
  out.dstPos = make_cudaPos(sizeof(float), 1, 0);
  out.extent = copied;
  out.kind = cudaMemcpyDeviceToHost;
  CALL(cudaMemcpy3D(&out));
  for (std::size_t z = 0; z < copied.depth; ++z) {
    for (std::size_t y = 0; y < copied.height; ++y) {
      for (std::size_t x = 0; x < copied.width; ++x) {
        CHECK(back[(z * (copied.height + 1) + y + 1) * (copied.width + 2) + x + 1] ==
              values[(z * copied.height + y) * copied.width + x]);
      }
    }
  }
  CHECK(back[0] == -1 && back[copied.width + 2] == -1);
  const cudaResourceDesc resource = resource_of(made.array);
  const cudaTextureDesc way =
      sampling(cudaAddressModeClamp, linear ? cudaFilterModeLinear : cudaFilterModePoint, false);
  CALL(cudaCreateTextureObject(&made.texture, &resource, &way, nullptr));
  return 0;
}

int shapes() {
  Counted line, plane, volume, lines, planes, faces, cubes;
  if (make_counted(make_cudaExtent(9, 0, 0), 0, true, line) != 0) return 1;
  CHECK((fetch(line.texture, at_1d, {{0, 0, 0, 0}, {1, 0, 0, 0}, {4.25F, 0, 0, 0}, {99, 0, 0, 0}}) ==
         std::vector<float>{0, 0.5F, 3.75F, 8}));
  if (make_counted(make_cudaExtent(5, 4, 0), cudaArrayTextureGather, true, plane) != 0) return 1;
  CHECK((fetch(plane.texture, at_2d, {{1.5F, 1.5F, 0, 0}, {2, 1.5F, 0, 0}, {1.5F, 2.25F, 0, 0}}) ==
         std::vector<float>{6, 6.5F, 9.75F}));
  CHECK((fetch(plane.texture, level_2d, {{2, 1.5F, 0, 0}}) == std::vector<float>{6.5F}));
  CHECK((fetch(plane.texture, gradient_2d, {{2, 1.5F, 0, 0}}) == std::vector<float>{6.5F}));
  if (make_counted(make_cudaExtent(5, 4, 3), 0, true, volume) != 0) return 1;
  CHECK((fetch(volume.texture, at_3d, {{1.5F, 1.5F, 1.5F, 0}, {2, 2, 2, 0}}) == std::vector<float>{26, 39}));
  if (make_counted(make_cudaExtent(5, 0, 3), cudaArrayLayered, true, lines) != 0) return 1;
  CHECK((fetch(lines.texture, layered_1d, {{2, 0, 0, 0}, {2, 0, 0, 0}}, {0, 2}) ==
         std::vector<float>{1.5F, 11.5F}));
  if (make_counted(make_cudaExtent(5, 4, 3), cudaArrayLayered, true, planes) != 0) return 1;
  CHECK((fetch(planes.texture, layered_2d, {{2, 1.5F, 0, 0}, {2, 1.5F, 0, 0}}, {1, 2}) ==
         std::vector<float>{26.5F, 46.5F}));
  if (make_counted(make_cudaExtent(2, 2, 6), cudaArrayCubemap, false, faces) != 0) return 1;
  CHECK((fetch(faces.texture, cube, {{4, -1, -1, 0}, {-1, -4, -1, 0}}) == std::vector<float>{3, 14}));
  if (make_counted(make_cudaExtent(2, 2, 12), cudaArrayCubemap | cudaArrayLayered, false, cubes) != 0)
    return 1;
  CHECK((fetch(cubes.texture, layered_cube, {{4, -1, -1, 0}, {4, -1, -1, 0}}, {0, 1}) ==
         std::vector<float>{3, 27}));

  float4 *gathered = nullptr, host{};
  CALL(cudaMalloc(&gathered, sizeof host));
  gather_kernel<<<1, 1>>>(plane.texture, gathered);
  CALL(cudaMemcpy(&host, gathered, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host.x == 5 && host.y == 6 && host.z == 1 && host.w == 0);
  for (const Counted& made : {line, plane, volume, lines, planes, faces, cubes}) {
    CALL(cudaDestroyTextureObject(made.texture));
    CALL(cudaFreeArray(made.array));
  }
  return 0;
}

int memory() {
  // Linear memory: indices, and zero past its end.
  std::vector<float> values = {3, 5, 7, 9};
  float* linear = nullptr;
  CALL(cudaMalloc(&linear, values.size() * sizeof(float)));
  CALL(cudaMemcpy(linear, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {linear, cudaCreateChannelDesc<float>(), values.size() * sizeof(float)};
  cudaTextureDesc way{};
  cudaTextureObject_t texture = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &way, nullptr));
  CHECK((fetch(texture, fetch_1d, std::vector<float4>(4), {0, 3, 4, -1}) == std::vector<float>{3, 9, 0, 0}));
  CALL(cudaDestroyTextureObject(texture));

  // Pitched memory, wrapped round in normalised coordinates.
  float* pitched = nullptr;
  std::size_t pitch = 0;
  CALL(cudaMallocPitch(&pitched, &pitch, 2 * sizeof(float), 2));
  CALL(cudaMemcpy2D(pitched, pitch, values.data(), 2 * sizeof(float), 2 * sizeof(float), 2,
                    cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {pitched, cudaCreateChannelDesc<float>(), 2, 2, pitch};
  way = sampling(cudaAddressModeWrap, cudaFilterModeLinear, true);
  CALL(cudaCreateTextureObject(&texture, &resource, &way, nullptr));
  CHECK((fetch(texture, at_2d, {{0.25F, 0.25F, 0, 0}, {1.75F, -0.25F, 0, 0}, {0, 0.25F, 0, 0}}) ==
         std::vector<float>{3, 9, 4}));
  cudaResourceDesc told{};
  CALL(cudaGetTextureObjectResourceDesc(&told, texture));
  CHECK(told.resType == cudaResourceTypePitch2D && told.res.pitch2D.devPtr == pitched);
  cudaTextureDesc told_way{};
  CALL(cudaGetTextureObjectTextureDesc(&told_way, texture));
  CHECK(told_way.filterMode == cudaFilterModeLinear && told_way.normalizedCoords == 1);
  CALL(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroyTextureObject(texture) == cudaErrorInvalidValue);
  // A row's start that textures cannot have.
  resource.res.pitch2D.devPtr = pitched + 1;
  CHECK(cudaCreateTextureObject(&texture, &resource, &way, nullptr) == cudaErrorInvalidValue);
  return 0;
}

int formats() {
  // Bytes as they are, and as fractions of 255.
  const std::vector<unsigned char> bytes = {0, 51, 102, 255, 1, 2, 3, 4};
  const cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array = nullptr;
  CALL(cudaMallocArray(&array, &four, 2, 1));
  CALL(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), 8, 8, 1, cudaMemcpyHostToDevice));
  cudaTextureDesc way = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureObject_t whole = 0, fractions = 0;
  CALL(cudaCreateTextureObject(&whole, &resource, &way, nullptr));
  uchar4 *device = nullptr, host[2];
  CALL(cudaMalloc(&device, sizeof host));
  bytes_kernel<<<1, 2>>>(whole, device);
  CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(std::memcmp(host, bytes.data(), sizeof host) == 0);
  way.filterMode = cudaFilterModeLinear;
  CHECK(cudaCreateTextureObject(&fractions, &resource, &way, nullptr) == cudaErrorInvalidFilterSetting);
  way.readMode = cudaReadModeNormalizedFloat;
  CALL(cudaCreateTextureObject(&fractions, &resource, &way, nullptr));
  CHECK((fetch(fractions, at_2d, {{0.5F, 0.5F, 0, 0}}) == std::vector<float>{0}));

  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 9;
  CALL(cudaArrayGetInfo(&channels, &extent, &flags, array));
  CHECK(channels.x == 8 && channels.w == 8 && channels.f == cudaChannelFormatKindUnsigned);
  CHECK(extent.width == 2 && extent.height == 1 && extent.depth == 0 && flags == 0);
  CALL(cudaGetChannelDesc(&channels, array));
  CHECK(channels.y == 8);

  // Halves come as floats, and are filtered.
  const cudaChannelFormatDesc half_channel = cudaCreateChannelDescHalf();
  const std::vector<__half> halves = {__float2half(1.0F), __float2half(-0.5F)};
  cudaArray_t half_array = nullptr;
  CALL(cudaMallocArray(&half_array, &half_channel, 2));
  CALL(cudaMemcpy2DToArray(half_array, 0, 0, halves.data(), 4, 4, 1, cudaMemcpyHostToDevice));
  const cudaResourceDesc half_resource = resource_of(half_array);
  way.readMode = cudaReadModeElementType;
  cudaTextureObject_t half_texture = 0;
  CALL(cudaCreateTextureObject(&half_texture, &half_resource, &way, nullptr));
  CHECK((fetch(half_texture, at_1d, {{0.5F, 0, 0, 0}, {1, 0, 0, 0}, {9, 0, 0, 0}}) ==
         std::vector<float>{1, 0.25F, -0.5F}));
  return 0;
}

int copies() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr, other = nullptr;
  CALL(cudaMallocArray(&array, &channels, 3, 4));
  CALL(cudaMallocArray(&other, &channels, 3, 4));
  std::vector<int> values(12);
  for (int i = 0; i < 12; ++i) values[static_cast<std::size_t>(i)] = i;
  constexpr std::size_t kRow = 3 * sizeof(int);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  // Bytes that begin in the middle of a row go on in the next one.
  CALL(cudaMemcpyToArray(array, 0, 0, values.data(), 12 * sizeof(int), cudaMemcpyHostToDevice));
  CALL(cudaMemcpyToArray(array, 2 * sizeof(int), 1, values.data(), 5 * sizeof(int), cudaMemcpyHostToDevice));
  std::vector<int> found(12, -1);
  CALL(cudaMemcpyFromArray(found.data(), array, 0, 0, 12 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK((found == std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 10, 11}));
  CALL(cudaMemcpyFromArray(found.data(), array, sizeof(int), 2, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK((found == std::vector<int>{2, 3, 4, 10, 4, 0, 1, 2, 3, 4, 10, 11}));
  CHECK(cudaMemcpyToArray(array, 0, 3, values.data(), kRow + 1, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  cudaArray_t wide = nullptr;
  CALL(cudaMallocArray(&wide, &channels, 5, 2));
  CALL(cudaMemcpyToArray(wide, 0, 0, std::vector<int>(10, -1).data(), 10 * sizeof(int),
                         cudaMemcpyHostToDevice));
  CALL(cudaMemcpyArrayToArray(wide, 3 * sizeof(int), 0, array, sizeof(int), 0, 6 * sizeof(int),
                              cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpyFromArray(found.data(), wide, 0, 0, 10 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK((found == std::vector<int>{-1, -1, -1, 1, 2, 3, 4, 0, 1, -1, 10, 11}));
  CHECK(cudaMemcpyArrayToArray(wide, 0, 1, array, 0, 0, 6 * sizeof(int), cudaMemcpyDeviceToDevice) ==
        cudaErrorInvalidValue);
  CALL(cudaFreeArray(wide));
#pragma GCC diagnostic pop
  CALL(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, kRow, 4, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy2DArrayToArray(other, sizeof(int), 1, array, 0, 2, 2 * sizeof(int), 2,
                                cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy2DFromArray(found.data(), kRow, other, 0, 0, kRow, 4, cudaMemcpyDeviceToHost));
  CHECK((found == std::vector<int>{0, 1, 2, 3, 1, 2, 1, 4, 10, 4, 10, 11}));
  // What does not fit.
  CHECK(cudaMemcpy2DToArray(array, 4, 0, values.data(), kRow, kRow, 1, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpy2DFromArray(found.data(), kRow, array, 0, 2, kRow, 3, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidValue);
  cudaMemcpy3DParms copy{};
  copy.srcArray = array;
  copy.dstArray = other;
  copy.extent = make_cudaExtent(3, 4, 2);
  copy.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3D(&copy) == cudaErrorInvalidValue);
  copy.dstPtr = make_cudaPitchedPtr(found.data(), kRow, 3, 4);
  CHECK(cudaMemcpy3D(&copy) == cudaErrorInvalidValue);
  CALL(cudaFreeArray(array));
  CHECK(cudaFreeArray(array) == cudaErrorInvalidResourceHandle);
  CALL(cudaFreeArray(nullptr));
  return 0;
}

int refusals() {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  CHECK(cudaMallocArray(&array, &channels, 4, 4) == cudaErrorInvalidChannelDescriptor);
  channels = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
  CHECK(cudaMallocArray(&array, &channels, 4, 4) == cudaErrorInvalidChannelDescriptor);
  channels = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &channels, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMallocArray(&array, &channels, 1 << 20, 4) == cudaErrorInvalidValue);
  CHECK(cudaMallocArray(&array, &channels, 65536, 65536) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc3DArray(&array, &channels, make_cudaExtent(4, 5, 6), cudaArrayCubemap) ==
        cudaErrorInvalidValue);
  CHECK(cudaMalloc3DArray(&array, &channels, make_cudaExtent(4, 4, 7), cudaArrayCubemap) ==
        cudaErrorInvalidValue);
  CALL(cudaMallocArray(&array, &channels, 4, 4));
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource) == cudaErrorInvalidValue);  // not made for surfaces
  cudaTextureDesc way{};
  way.sRGB = 1;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &way, nullptr) == cudaErrorNotSupported);
  cudaMipmappedArray_t mipmaps = nullptr;
  CHECK(cudaMallocMipmappedArray(&mipmaps, &channels, make_cudaExtent(4, 4, 0), 2) == cudaErrorNotSupported);
  // A reset takes everything.
  CALL(cudaDeviceReset());
  CHECK(cudaFreeArray(array) == cudaErrorInvalidResourceHandle);
  return 0;
}

int main() {
  if (shapes() != 0 || memory() != 0 || formats() != 0 || copies() != 0 || refusals() != 0) return 1;
  std::puts("textures as filtered by hand");
  return 0;
}
