#include "emulator/execution/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/checks/finding_log.h"
#include "emulator/checks/unfenced_stores.h"

namespace lockstep::emulator::execution {
namespace {

constexpr std::size_t kMaxStringBytes = 64 * 1024;
/// Of one launch; CUDA's own buffer holds 1 MB, and what does not fit is lost there too.
constexpr std::size_t kMaxOutputBytes = std::size_t{16} << 20;
/// Of one value, and so of a width and a precision: C's library takes memory for as many as it is asked for.
constexpr std::int32_t kMaxDigits = 511;

/// Host memory behind `bytes` bytes at a generic address, as one lane sees it; null when there are none.
const std::byte* host_bytes(const Warp& warp, unsigned lane, std::uint64_t address, std::size_t bytes) {
  const std::uint64_t window = address / kWindowBytes * kWindowBytes, offset = address % kWindowBytes;
  if (window == kLocalWindow) {
    if (offset + bytes > warp.local_bytes) return nullptr;
    return warp.local.data() + std::size_t{lane} * warp.local_bytes + offset;
  }
  if (window == kSharedWindow) {
    return offset + bytes <= warp.block->shared.size() ? warp.block->shared.data() + offset : nullptr;
  }
  const memory::GlobalMemory& memory = *warp.block->grid->memory;
  const memory::GlobalMemory::Allocation* allocation = memory.find(address);
  if (allocation == nullptr || allocation->end() - address < bytes) return nullptr;
  return memory.host(address);
}

/// A zero-terminated string in device memory.
std::optional<std::string> read_string(const Warp& warp, unsigned lane, std::uint64_t address) {
  std::string text;
  for (; text.size() < kMaxStringBytes; ++address) {
    const std::byte* byte = host_bytes(warp, lane, address, 1);
    if (byte == nullptr) return std::nullopt;
    if (*byte == std::byte{0}) return text;
    text.push_back(static_cast<char>(*byte));
  }
  return text;
}

template <class T>
T parameter(const Warp& warp, unsigned lane, std::uint32_t offset) {
  T value{};
  if (std::size_t{offset} + sizeof value <= warp.local_bytes) {
    std::memcpy(&value, warp.local.data() + std::size_t{lane} * warp.local_bytes + offset, sizeof value);
  }
  return value;
}

template <class T>
void write_result(Warp& warp, const CallSite& site, unsigned lane, T result) {
  for (const std::uint32_t offset : site.result_offsets) {
    const std::uint64_t at = std::uint64_t{lane} * warp.local_bytes + warp.local_base + offset;
    if (warp.local_base + std::uint64_t{offset} + sizeof result <= warp.local_bytes) {
      std::memcpy(warp.local.data() + at, &result, sizeof result);
    }
  }
}

/// Formats as C does, taking promoted, naturally aligned arguments from a buffer in device memory.
class Formatter {
 public:
  Formatter(const Warp& warp, unsigned lane, std::uint64_t arguments)
      : warp_(warp), lane_(lane), next_(arguments) {}

  std::string format(std::string_view text) {
    std::string output;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] != '%') {
        output.push_back(text[i++]);
        continue;
      }
      const std::size_t begin = i++;
      const auto skip = [&](std::string_view set) {
        while (i < text.size() && set.find(text[i]) != std::string_view::npos) ++i;
      };
      // Width and precision that are arguments become digits; lengths are replaced by what the value needs.
      skip("-+ #0");
      std::string specification(text.substr(begin, i - begin));
      const std::optional<std::int32_t> width = number(text, i);
      if (width && *width < 0) specification += '-';
      if (width)
        specification += std::to_string(std::min<std::int64_t>(std::abs(std::int64_t{*width}), kMaxDigits));
      if (i < text.size() && text[i] == '.') {
        const std::int32_t precision = number(text, ++i).value_or(0);
        if (precision >= 0) specification += '.' + std::to_string(std::min(precision, kMaxDigits));
      }
      const std::size_t lengths = i;
      skip("hljztL");
      if (i == text.size()) {
        output.append(text.substr(begin));
        break;
      }
      const char conversion = text[i++];
      append(output, specification, text.substr(lengths, i - 1 - lengths), conversion);
    }
    return output;
  }

 private:
  /// A width or precision at text[i], digits or an argument; leaves `i` behind it.
  std::optional<std::int32_t> number(std::string_view text, std::size_t& i) {
    if (i < text.size() && text[i] == '*') {
      ++i;
      return take<std::int32_t>().value_or(0);
    }
    std::optional<std::int32_t> value;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      value = std::min(10 * value.value_or(0) + (text[i] - '0'), kMaxDigits);
    }
    return value;
  }

  template <class T>
  std::optional<T> take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const std::byte* bytes = host_bytes(warp_, lane_, next_, sizeof(T));
    next_ += sizeof(T);
    if (bytes == nullptr) return std::nullopt;
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }

  template <class T>
  static void print(std::string& output, const std::string& specification, T value) {
    char buffer[kMaxDigits + 1];
    // The specification is built above from a checked set of characters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(buffer, sizeof buffer, specification.c_str(), value);
#pragma GCC diagnostic pop
    if (length > 0)
      output.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
  }

  void append(std::string& output, std::string specification, std::string_view length, char conversion) {
    switch (conversion) {
      case '%':
        output.push_back('%');
        break;
      case 'd':
      case 'i':
        if (length.find_first_of("ljzt") != std::string_view::npos) {
          print(output, specification + "lld", static_cast<long long>(take<std::int64_t>().value_or(0)));
        } else {
          print(output, specification + "d", take<std::int32_t>().value_or(0));
        }
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        if (length.find_first_of("ljzt") != std::string_view::npos) {
          print(output, specification + "ll" + conversion,
                static_cast<unsigned long long>(take<std::uint64_t>().value_or(0)));
        } else {
          print(output, specification + conversion, take<std::uint32_t>().value_or(0));
        }
        break;
      case 'c':
        print(output, specification + "c", static_cast<int>(take<std::int32_t>().value_or(0) & 0xFF));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        print(output, specification + conversion, take<double>().value_or(0));
        break;
      case 'p':
        print(output, specification + "p", reinterpret_cast<void*>(take<std::uint64_t>().value_or(0)));
        break;
      case 's': {
        const std::optional<std::string> text = read_string(warp_, lane_, take<std::uint64_t>().value_or(0));
        print(output, specification + "s", text ? text->c_str() : "(bad pointer)");
        break;
      }
      default:
        output += specification + std::string(length) + conversion;
        break;
    }
  }

  const Warp& warp_;
  unsigned lane_;
  std::uint64_t next_;
};

/// vprintf(format, arguments): the number of arguments is its result, as C's count of characters is not
/// known.
void print_lanes(Warp& warp, const CallSite& site, Mask lanes) {
  if (site.argument_offsets.size() != 2) return;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const auto format = parameter<std::uint64_t>(warp, lane, warp.local_base + site.argument_offsets[0]);
    const auto arguments = parameter<std::uint64_t>(warp, lane, warp.local_base + site.argument_offsets[1]);
    const std::optional<std::string> text = read_string(warp, lane, format);
    const std::string line = text ? Formatter(warp, lane, arguments).format(*text) : "";
    const std::size_t written =
        warp.block->grid->output_bytes.fetch_add(line.size(), std::memory_order_relaxed);
    if (written + line.size() <= kMaxOutputBytes) warp.block->output += line;
    const std::int32_t result =
        text ? static_cast<std::int32_t>(std::count(text->begin(), text->end(), '%')) : -1;
    write_result(warp, site, lane, result);
  }
}

/// __assertfail(message, file, line, function, character size)
void assertion_failed(Warp& warp, const CallSite& site, std::uint32_t place, Mask lanes) {
  const unsigned lane = first_lane(lanes);
  const auto text = [&](std::size_t k) {
    if (k >= site.argument_offsets.size()) return std::string("?");
    const auto address = parameter<std::uint64_t>(warp, lane, warp.local_base + site.argument_offsets[k]);
    return read_string(warp, lane, address).value_or("?");
  };
  const std::uint32_t line =
      site.argument_offsets.size() > 2
          ? parameter<std::uint32_t>(warp, lane, warp.local_base + site.argument_offsets[2])
          : 0;
  warp.block->output +=
      fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", text(1), line,
                  text(3), warp.block->index[0], warp.block->index[1], warp.block->index[2],
                  warp.thread_x[lane], warp.thread_y[lane], warp.thread_z[lane], text(0));
  Finding finding = make_finding(warp, place, lane, Finding::Cause::failed_assertion);
  finding.name = text(0);
  finding.count = static_cast<std::uint64_t>(std::popcount(lanes));
  checks::fault(warp, LaunchResult::Status::assertion, std::move(finding));
}

/// malloc(bytes): null when the heap is exhausted.
void take_blocks(Warp& warp, const CallSite& site, std::uint32_t place, Mask lanes) {
  const program::Kernel& kernel = *warp.block->grid->kernel;
  const auto& places = kernel.program->places;
  const HeapOwner owner{kernel.info.name, place < places.size() ? places[place].line : SourceLine{}};
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const auto bytes = parameter<std::uint64_t>(warp, lane, warp.local_base + site.argument_offsets[0]);
    const Grid& grid = *warp.block->grid;
    const DeviceAddress block = grid.heap->allocate(bytes, owner);
    if (block != 0) ++warp.worker->changes;
    if (block != 0 && grid.unfenced_stores != nullptr) grid.unfenced_stores->forget(block, bytes);
    write_result(warp, site, lane, block);
  }
}

/// free(address): an address that is no block's ends the launch, as what the heap does next is anybody's
/// guess.
void free_blocks(Warp& warp, const CallSite& site, std::uint32_t place, Mask lanes) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const auto address = parameter<std::uint64_t>(warp, lane, warp.local_base + site.argument_offsets[0]);
    if (address == 0) continue;
    std::optional<Miss> mistake = warp.block->grid->heap->free(address);
    ++warp.worker->changes;
    if (!mistake) continue;
    Finding finding = make_finding(warp, place, lane, mistake->cause);
    finding.space = Finding::Space::heap;
    finding.object = std::move(mistake->object);
    finding.address = address;
    return checks::fault(warp, LaunchResult::Status::launch_failure, std::move(finding));
  }
}

}  // namespace

void run_builtin(Warp& warp, const CallSite& site, std::uint32_t place, Mask lanes) {
  switch (site.builtin) {
    case CallSite::Builtin::vprintf:
      print_lanes(warp, site, lanes);
      break;
    case CallSite::Builtin::assertfail:
      assertion_failed(warp, site, place, lanes);
      break;
    case CallSite::Builtin::malloc:
      take_blocks(warp, site, place, lanes);
      break;
    case CallSite::Builtin::free:
      free_blocks(warp, site, place, lanes);
      break;
    case CallSite::Builtin::none:
      break;
  }
}

}  // namespace lockstep::emulator::execution
