// Copies and fills of boxes in all directions, with odd pitches, checked byte by byte against loops on the
// host, gaps included. With an argument only as many requests as that many rows need: nothing is checked.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

bool all_right = true;

void expect(bool condition, const char* what, std::size_t rows) {
  if (condition) return;
  std::printf("wrong: %s of %zu rows\n", what, rows);
  all_right = false;
}

struct Layout {
  std::size_t pitch, slice;
};

struct Box {
  std::size_t width, height, depth;
  Layout to, from;
};

std::size_t bytes_of(const Box& box, const Layout& layout) {
  return (box.depth - 1) * layout.slice + (box.height - 1) * layout.pitch + box.width;
}

Bytes numbers(std::size_t bytes, unsigned first) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<unsigned char>((first + i) * 2654435761U >> 13);
  return made;
}

Bytes copied(const Box& box, Bytes to, const Bytes& from) {
  for (std::size_t slice = 0; slice < box.depth; ++slice) {
    for (std::size_t row = 0; row < box.height; ++row) {
      std::memcpy(&to[slice * box.to.slice + row * box.to.pitch],
                  &from[slice * box.from.slice + row * box.from.pitch], box.width);
    }
  }
  return to;
}

cudaPitchedPtr pitched(void* pointer, const Layout& layout, std::size_t width) {
  return make_cudaPitchedPtr(pointer, layout.pitch, width, layout.slice / layout.pitch);
}

cudaError_t copy(const Box& box, void* to, const void* from, cudaMemcpyKind kind) {
  if (box.depth == 1) {
    return cudaMemcpy2D(to, box.to.pitch, from, box.from.pitch, box.width, box.height, kind);
  }
  cudaMemcpy3DParms parameters{};
  parameters.dstPtr = pitched(to, box.to, box.width);
  parameters.srcPtr = pitched(const_cast<void*>(from), box.from, box.width);
  parameters.extent = make_cudaExtent(box.width, box.height, box.depth);
  parameters.kind = kind;
  return cudaMemcpy3D(&parameters);
}

struct DeviceBytes {
  explicit DeviceBytes(const Bytes& contents) : bytes(contents.size()) {
    cudaMalloc(&data, bytes);
    cudaMemcpy(data, contents.data(), bytes, cudaMemcpyHostToDevice);
  }
  ~DeviceBytes() { cudaFree(data); }
  Bytes contents() const {
    Bytes found(bytes);
    cudaMemcpy(found.data(), data, bytes, cudaMemcpyDeviceToHost);
    return found;
  }
  std::size_t bytes;
  unsigned char* data = nullptr;
};

void check(const Box& box) {
  // Bytes after the box, too: they must stay.
  const Bytes from = numbers(bytes_of(box, box.from) + 3, 1), to = numbers(bytes_of(box, box.to) + 3, 77);
  const Bytes expected = copied(box, to, from);
  const DeviceBytes device_from(from);
  {
    const DeviceBytes device(to);
    expect(copy(box, device.data, device_from.data, cudaMemcpyDeviceToDevice) == cudaSuccess &&
               device.contents() == expected,
           "device to device", box.height);
  }
  {
    const DeviceBytes device(to);
    expect(copy(box, device.data, from.data(), cudaMemcpyHostToDevice) == cudaSuccess &&
               device.contents() == expected,
           "host to device", box.height);
  }
  Bytes host = to;
  expect(copy(box, host.data(), device_from.data, cudaMemcpyDeviceToHost) == cudaSuccess && host == expected,
         "device to host", box.height);
  host = to;
  expect(copy(box, host.data(), from.data(), cudaMemcpyHostToHost) == cudaSuccess && host == expected,
         "host to host", box.height);
}

void check_managed(std::size_t rows) {
  unsigned char* managed = nullptr;
  constexpr std::size_t kPitch = 10'000;  // some pages of every few are not touched
  cudaMallocManaged(&managed, rows * kPitch);
  std::memset(managed, 3, rows * kPitch);
  const Bytes from = numbers(rows * 5, 9);
  cudaMemcpy2D(managed + 1, kPitch, from.data(), 5, 5, rows, cudaMemcpyDefault);
  const Box box{5, rows, 1, {kPitch, 0}, {5, 0}};
  Bytes expected(rows * kPitch, 3);
  Bytes inner(expected.begin() + 1, expected.end());
  inner = copied(box, inner, from);
  std::copy(inner.begin(), inner.end(), expected.begin() + 1);
  expect(std::memcmp(managed, expected.data(), expected.size()) == 0, "managed memory", rows);
  cudaFree(managed);
}

void check_fill(std::size_t rows) {
  Bytes expected = numbers(rows * 7 + 3, 5);
  const DeviceBytes device(expected);
  expect(cudaMemset2D(device.data + 1, 7, 0x5A, 3, rows) == cudaSuccess, "fill", rows);
  for (std::size_t row = 0; row < rows; ++row) std::memset(&expected[1 + 7 * row], 0x5A, 3);
  expect(device.contents() == expected, "what a fill leaves", rows);
}

/// Rows go one after the other: each is moved to where the one before was.
void check_moved_up() {
  constexpr std::size_t kRows = 1000, kPitch = 11;
  const Bytes before = numbers(kRows * kPitch, 3);
  const DeviceBytes device(before);
  cudaMemcpy2D(device.data, kPitch, device.data + kPitch, kPitch, 9, kRows - 1, cudaMemcpyDeviceToDevice);
  Bytes expected = before;
  for (std::size_t row = 0; row + 1 < kRows; ++row)
    std::memcpy(&expected[row * kPitch], &before[(row + 1) * kPitch], 9);
  expect(device.contents() == expected, "rows moved up", kRows);
}

/// A copy of which only the last byte of the last row does not fit changes nothing.
void check_refusals() {
  constexpr std::size_t kRows = 100, kPitch = 7, kWidth = 5, kBytes = (kRows - 1) * kPitch + kWidth;
  const Bytes short_one = numbers(kBytes - 1, 1), long_one = numbers(kBytes, 2);
  const DeviceBytes device(short_one), other(long_one);
  const auto refused = [&](cudaError_t error, cudaError_t expected) {
    expect(error == expected && device.contents() == short_one && other.contents() == long_one, "refusal",
           kRows);
    cudaGetLastError();
  };
  Bytes host = long_one;
  const auto copy_rows = [](void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                            std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, rows, kind);
  };
  refused(copy_rows(device.data, kPitch, host.data(), kPitch, kWidth, kRows, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
  refused(copy_rows(device.data, kPitch, other.data, kPitch, kWidth, kRows, cudaMemcpyDeviceToDevice),
          cudaErrorInvalidValue);
  refused(copy_rows(other.data, kPitch, device.data, kPitch, kWidth, kRows, cudaMemcpyDeviceToDevice),
          cudaErrorInvalidValue);
  Bytes untouched = host;
  refused(copy_rows(host.data(), kPitch, device.data, kPitch, kWidth, kRows, cudaMemcpyDeviceToHost),
          cudaErrorInvalidValue);
  expect(host == untouched, "refused copy to the host", kRows);
  refused(cudaMemset2D(device.data, kPitch, 1, kWidth, kRows), cudaErrorInvalidValue);
  // Numbers whose product or sum goes round.
  constexpr std::size_t kHalf = std::size_t{1} << 63;
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice}) {
    const void* from = kind == cudaMemcpyHostToDevice ? static_cast<const void*>(host.data()) : other.data;
    refused(copy_rows(device.data, kHalf, from, kPitch, kWidth, 3, kind), cudaErrorInvalidValue);
    refused(copy_rows(device.data, kPitch, from, kHalf, kWidth, 3, kind), cudaErrorInvalidValue);
    refused(copy_rows(device.data, kPitch, from, kPitch, kWidth, SIZE_MAX / kPitch + 2, kind),
            cudaErrorInvalidValue);
    refused(copy_rows(device.data, 4, from, kPitch, kWidth, kRows, kind), cudaErrorInvalidPitchValue);
  }
  refused(cudaMemset2D(device.data, kHalf, 1, kWidth, 3), cudaErrorInvalidValue);
}

/// A copy of nothing looks at no pointer, as an empty array's is null; its direction must be one.
void check_empty() {
  const DeviceBytes device(numbers(8, 1));
  Bytes host(8);
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                    cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
    const bool fine = cudaMemcpy(nullptr, nullptr, 0, kind) == cudaSuccess &&
                      cudaMemcpy(device.data, host.data(), 0, kind) == cudaSuccess &&
                      cudaMemcpyAsync(nullptr, host.data(), 0, kind, nullptr) == cudaSuccess &&
                      cudaMemcpy2D(device.data, 4, host.data(), 4, 4, 0, kind) == cudaSuccess;
    expect(fine, "empty copy", 0);
  }
  expect(cudaMemcpy(device.data, host.data(), 0, static_cast<cudaMemcpyKind>(9)) ==
             cudaErrorInvalidMemcpyDirection,
         "empty copy in no direction", 0);
  expect(cudaMemcpy(device.data, host.data(), 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
         "copy in the wrong direction", 0);
  cudaGetLastError();
}

/// Every way of moving so many rows once.
void move_rows(std::size_t rows) {
  unsigned char *to = nullptr, *from = nullptr;
  cudaMalloc(&to, rows * 32);
  cudaMalloc(&from, rows * 32);
  cudaMemset(from, 1, rows * 32);
  Bytes host(rows * 32, 2);
  cudaStream_t stream{};
  cudaStreamCreate(&stream);
  cudaMemcpy2D(to, 4, from, 32, 4, rows, cudaMemcpyDeviceToDevice);
  cudaMemcpy2DAsync(to, 32, from, 4, 4, rows, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpy2D(to, 8, host.data(), 32, 4, rows, cudaMemcpyHostToDevice);
  cudaMemcpy2DAsync(to, 8, host.data(), 32, 4, rows, cudaMemcpyHostToDevice, stream);
  cudaMemcpy2D(host.data(), 32, to, 8, 4, rows, cudaMemcpyDeviceToHost);
  cudaMemcpy2DAsync(host.data(), 32, to, 8, 4, rows, cudaMemcpyDeviceToHost, stream);
  cudaMemset2D(to, 8, 9, 3, rows);
  copy({3, rows / 2, 2, {8, rows * 4}, {5, rows * 5}}, to, from, cudaMemcpyDeviceToDevice);
  cudaArray_t array{};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 4, rows);
  cudaMemcpy2DToArray(array, 4, 0, host.data(), 32, 8, rows, cudaMemcpyHostToDevice);
  cudaMemcpy2DFromArray(host.data(), 32, array, 4, 0, 8, rows, cudaMemcpyDeviceToHost);
  cudaMemcpy2DArrayToArray(array, 0, 0, array, 8, 0, 8, rows, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    move_rows(std::strtoull(argv[1], nullptr, 10));
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
  }
  for (const std::size_t rows : {1, 2, 31, 32, 33, 1023, 1025, 4099}) {
    check({4, rows, 1, {4, 0}, {32, 0}});
    check({5, rows, 1, {7, 0}, {13, 0}});
    check({5, rows, 1, {5, 0}, {5, 0}});
    check({8, rows, 1, {12, 0}, {8, 0}});
    check({3, rows, 3, {5, 5 * (rows + 2)}, {3, 3 * rows}});
    check_managed(rows < 200 ? rows : 200);
    check_fill(rows);
  }
  check({1, 1'100'003, 1, {2, 0}, {1, 0}});  // more rows than one request may have
  check({(1 << 20) + 3, 2, 1, {(1 << 20) + 5, 0}, {(1 << 20) + 4, 0}});  // rows longer than one piece
  check_moved_up();
  check_refusals();
  check_empty();
  if (all_right) std::puts("every byte in its place");
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
