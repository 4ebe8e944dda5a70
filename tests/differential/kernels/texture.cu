// Textures and surfaces in the simple modes. Coordinates and texels are such that every weighted sum is
// exact.
#include <stdexcept>

#include "ptx.h"
#include "suite.h"

namespace {

constexpr unsigned kWidth = 16, kHeight = 8;

void check(cudaError_t result) {
  if (result != cudaSuccess)
    throw std::runtime_error(std::string("a texture: ") + cudaGetErrorString(result));
}

template <class T>
cudaArray_t array_of(unsigned flags = 0) {
  static T texels[kWidth * kHeight];
  for (unsigned i = 0; i < kWidth * kHeight; ++i) {
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(&texels[i]);
    if constexpr (std::is_same_v<T, float>)
      texels[i] = static_cast<float>(i * 37 % 128);
    else
      for (unsigned k = 0; k < sizeof(T); ++k) bytes[k] = static_cast<unsigned char>(i * 53 + k * 101);
  }
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  cudaArray_t array = nullptr;
  check(cudaMallocArray(&array, &channels, kWidth, kHeight, flags));
  check(cudaMemcpy2DToArray(array, 0, 0, texels, kWidth * sizeof(T), kWidth * sizeof(T), kHeight,
                            cudaMemcpyHostToDevice));
  return array;
}
cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
template <class T, cudaTextureAddressMode outside, cudaTextureFilterMode filter, bool normalized,
          cudaTextureReadMode read = cudaReadModeElementType>
std::uint64_t texture() {
  const cudaResourceDesc resource = resource_of(array_of<T>());
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = sampling.addressMode[1] = outside;
  sampling.filterMode = filter;
  sampling.readMode = read;
  sampling.normalizedCoords = normalized ? 1 : 0;
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &resource, &sampling, nullptr));
  return object;
}
std::uint64_t gathered() {
  const cudaResourceDesc resource = resource_of(array_of<float>(cudaArrayTextureGather));
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &resource, &sampling, nullptr));
  return object;
}
std::uint64_t linear_memory() {
  static unsigned values[256];
  for (unsigned i = 0; i < 256; ++i) values[i] = i * 2654435761U;
  void* memory = nullptr;
  check(cudaMalloc(&memory, sizeof(values)));
  check(cudaMemcpy(memory, values, sizeof(values), cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
  resource.res.linear.sizeInBytes = sizeof(values);
  const cudaTextureDesc sampling{};
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &resource, &sampling, nullptr));
  return object;
}
template <class T>
std::uint64_t surface() {
  const cudaResourceDesc resource = resource_of(array_of<T>(cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t object = 0;
  check(cudaCreateSurfaceObject(&object, &resource));
  return object;
}

/// Quarters of a texel, from two texels before the array to two behind it.
__device__ float quarters(unsigned i) { return static_cast<float>(i % 80) * 0.25F - 2; }

}  // namespace

#define SAMPLE(name, outside, filter)                                                       \
  OBJECT_KERNEL(name, (texture<float, outside, filter, false>), 256, 1, 256) {              \
    const float y = static_cast<float>(threadIdx.x / 8 % 48) * 0.25F - 2;                   \
    out[threadIdx.x] = __float_as_uint(tex2D<float>(object, quarters(threadIdx.x * 3), y)); \
  }
SAMPLE(texture_point_clamp, cudaAddressModeClamp, cudaFilterModePoint)
SAMPLE(texture_point_border, cudaAddressModeBorder, cudaFilterModePoint)
SAMPLE(texture_linear_clamp, cudaAddressModeClamp, cudaFilterModeLinear)
SAMPLE(texture_linear_border, cudaAddressModeBorder, cudaFilterModeLinear)

#define SAMPLE_NORMALIZED(name, outside, filter)                                   \
  OBJECT_KERNEL(name, (texture<float, outside, filter, true>), 256, 1, 256) {      \
    const float x = (static_cast<float>(threadIdx.x % 96) - 32) / 64 + 1.0F / 128; \
    const float y = (static_cast<float>(threadIdx.x / 4) - 16) / 32 + 1.0F / 64;   \
    out[threadIdx.x] = __float_as_uint(tex2D<float>(object, x, y));                \
  }
SAMPLE_NORMALIZED(texture_point_wrap, cudaAddressModeWrap, cudaFilterModePoint)
SAMPLE_NORMALIZED(texture_point_mirror, cudaAddressModeMirror, cudaFilterModePoint)
SAMPLE_NORMALIZED(texture_linear_wrap, cudaAddressModeWrap, cudaFilterModeLinear)
SAMPLE_NORMALIZED(texture_linear_mirror, cudaAddressModeMirror, cudaFilterModeLinear)

OBJECT_KERNEL(texture_bytes, (texture<uchar4, cudaAddressModeClamp, cudaFilterModePoint, false>), 128, 1,
              128) {
  const uchar4 texel = tex2D<uchar4>(object, threadIdx.x % 16 + 0.5F, threadIdx.x / 16 + 0.5F);
  out[threadIdx.x] = texel.x + (texel.y << 8) + (texel.z << 16) + (static_cast<unsigned>(texel.w) << 24);
}
OBJECT_KERNEL(texture_signed_shorts, (texture<short2, cudaAddressModeClamp, cudaFilterModePoint, false>), 128,
              2, 128) {
  const short2 texel = tex2D<short2>(object, threadIdx.x % 16 + 0.5F, threadIdx.x / 16 + 0.5F);
  out[threadIdx.x] = static_cast<std::uint32_t>(texel.x);
  out[threadIdx.x + 128] = static_cast<std::uint32_t>(texel.y);
}
OBJECT_KERNEL(
    texture_normalized_bytes,
    (texture<uchar4, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat>), 128, 4,
    128) {
  const float4 texel = tex2D<float4>(object, threadIdx.x % 16 + 0.5F, threadIdx.x / 16 + 0.5F);
  out[threadIdx.x] = __float_as_uint(texel.x);
  out[threadIdx.x + 128] = __float_as_uint(texel.y);
  out[threadIdx.x + 256] = __float_as_uint(texel.z);
  out[threadIdx.x + 384] = __float_as_uint(texel.w);
}
OBJECT_KERNEL(
    texture_normalized_shorts,
    (texture<short2, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat>), 128, 2,
    128) {
  const float2 texel = tex2D<float2>(object, threadIdx.x % 16 + 0.5F, threadIdx.x / 16 + 0.5F);
  out[threadIdx.x] = __float_as_uint(texel.x);
  out[threadIdx.x + 128] = __float_as_uint(texel.y);
}
OBJECT_KERNEL(texture_fetch, linear_memory, 256, 1, 256) {
  out[threadIdx.x] = tex1Dfetch<unsigned>(object, static_cast<int>(threadIdx.x * 77 % 256));
}
OBJECT_KERNEL(texture_gather, gathered, 128, 4, 128) {
  const float4 four = tex2Dgather<float4>(object, static_cast<float>(threadIdx.x % 16),
                                          static_cast<float>(threadIdx.x / 16), 0);
  out[threadIdx.x] = __float_as_uint(four.x);
  out[threadIdx.x + 128] = __float_as_uint(four.y);
  out[threadIdx.x + 256] = __float_as_uint(four.z);
  out[threadIdx.x + 384] = __float_as_uint(four.w);
}
OBJECT_KERNEL(surface_read, surface<unsigned>, 128, 3, 128) {
  const int x = static_cast<int>(threadIdx.x % 16) - 1, y = static_cast<int>(threadIdx.x / 16) - 1;
  out[threadIdx.x] = surf2Dread<unsigned>(object, 4 * x, y, cudaBoundaryModeZero);
  out[threadIdx.x + 128] = surf2Dread<unsigned>(object, 4 * x, y, cudaBoundaryModeClamp);
  out[threadIdx.x + 256] = surf2Dread<unsigned>(object, 4 * (x < 0 ? 0 : x), y < 0 ? 0 : y);
}
OBJECT_KERNEL(surface_write, surface<uint2>, 128, 2, 128) {
  const int x = static_cast<int>(threadIdx.x % 16), y = static_cast<int>(threadIdx.x / 16);
  surf2Dwrite(make_uint2(in[threadIdx.x], in[threadIdx.x + 128]), object, 8 * x, y);
  __syncthreads();
  __threadfence();
  const uint2 texel = surf2Dread<uint2>(object, 8 * x, y);
  out[threadIdx.x] = texel.x;
  out[threadIdx.x + 128] = texel.y;
}
