// The study of multi-tau: correlates counts of photons, out of a file or as they come over TCP, and writes
// the normalised curve and a picture; or sends a file as an instrument would. README.md says how to use it.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "17-multi-tau/correlation.h"
#include "17-multi-tau/multi_tau.h"
#include "correlator.h"
#include "counts.h"
#include "curve.h"
#include "measurement.h"
#include "picture.h"
#include "stream.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study/program.h"
#include "thresholds.h"

namespace lockstep::multi_tau_study {
namespace {

/// Of example.bin, as make_example made it.
constexpr std::size_t kExampleSensors = 8;
constexpr double kExampleInterval = 1e-4;

using Seconds = std::chrono::duration<double>;

struct Arguments {
  std::string file, output;
  std::optional<std::size_t> sensors, sensor, packet;
  double interval = 0;
  int groups = kMostGroups;
  std::optional<Errors> errors;
  bool thresholds = false;
  std::optional<double> shape;  ///< of the fit: (waist / length)² of the focus
  std::optional<unsigned> listen;
  std::string bind;
  double every = 2;
  std::size_t queue = 16, pause_ms = 0;
  std::string host, port;  ///< to send to
  std::optional<double> rate;
};

std::optional<double> shape_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (*text == "2d") return 0.0;
  const double ratio = study::number_of<double>(*text).value_or(0);
  if (!(ratio >= 0.01 && ratio <= 1000))
    throw study::WrongUse("--fit: " + study::in_quotes(*text) +
                          " is neither 2d nor length over waist of the focus, from 0.01 to 1000");
  return 1 / (ratio * ratio);
}

void split_address(const std::string& address, Arguments& arguments) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size())
    throw study::WrongUse("--send: " + study::in_quotes(address) + " is not HOST:PORT");
  arguments.host = address.substr(0, colon), arguments.port = address.substr(colon + 1);
  if (arguments.host.size() > 2 && arguments.host.front() == '[' && arguments.host.back() == ']')
    arguments.host = arguments.host.substr(1, arguments.host.size() - 2);
  const unsigned port = study::number_of<unsigned>(arguments.port).value_or(0);
  if (port == 0 || port > 65535)
    throw study::WrongUse("--send: " + study::in_quotes(arguments.port) + " is no port, from 1 to 65535");
  arguments.port = std::to_string(port);
}

/// Nothing where help was asked for, which is then printed.
std::optional<Arguments> arguments_of(int count, char** words) {
  study::Options options(count, words);
  Arguments arguments;
  arguments.sensors = options.number<std::size_t>(
      "--sensors", "S", "sensors of a file of bytes: a frame of S bytes for each instant", 1, kMaxSensors);
  const auto interval =
      options.number<double>("--interval", "SECONDS", "length of an instant, as 1.6e-6", 1e-15, kMaxInterval);
  arguments.groups =
      options.number<int>("--groups", "N", "groups of 32 delays; 10 when not given", 1, kMostGroups)
          .value_or(kMostGroups);
  const auto sensor =
      options.number<std::size_t>("--sensor", "K", "the curve of sensor K alone, from 1 on", 1, kMaxSensors);
  const auto errors =
      options.text("--errors", "FROM", "standard errors from: sensors, or time, which is blocks of it");
  const auto fit =
      options.text("--fit", "FOCUS", "fit free diffusion: 2d, or length over waist of the focus");
  arguments.thresholds =
      options.flag("--thresholds", "also compare numbers of delays per group: time and error, on the host");
  arguments.packet = options.number<std::size_t>(
      "--packet", "INSTANTS", "instants of a packet; 4096, and 256 with --send, when not given", 1,
      kMaxPacketInstants);
  arguments.output =
      options.text("--output", "PREFIX", "what names of files begin with; that of the counts when not given")
          .value_or("");
  arguments.listen = options.number<unsigned>(
      "--listen", "PORT", "wait for a stream of counts over TCP; 0 takes a free port", 0, 65535);
  const auto bind = options.text("--bind", "ADDRESS", "with --listen: of this machine; else 127.0.0.1");
  const auto every = options.number<double>("--write-every", "SECONDS",
                                            "with --listen: write curves so often; else 2", 0.01, 1e6);
  const auto queue = options.number<std::size_t>("--queue", "PACKETS",
                                                 "with --listen: that wait at most; else 16", 1, 1'000'000);
  const auto pause = options.number<std::size_t>(
      "--pause", "MS", "with --listen: wait after each packet, to try a slow reader", 0, 60'000);
  const auto send = options.text("--send", "HOST:PORT", "send the counts there, as an instrument would");
  arguments.rate = options.number<double>(
      "--rate", "R", "with --send: instants per second; else as --interval says", 1e-3, 1e15);
  if (options.wants_help()) {
    std::printf(
        "usage: ./lockstep study multi-tau [COUNTS] [OPTION…]\n"
        "       ./lockstep study multi-tau --listen PORT [OPTION…]\n"
        "       ./lockstep study multi-tau --send HOST:PORT [COUNTS] [OPTION…]\n\n"
        "Correlates counts of photons with their own past: of a file, or as they come over TCP. Without a\n"
        "file it takes its example.\n\n%s",
        options.help().c_str());
    return std::nullopt;
  }
  const std::vector<std::string> files = options.finish(arguments.listen ? 0 : 1);
  const auto needs = [](bool has_option, bool has_mode, const char* option, const char* mode) {
    if (has_option && !has_mode) throw study::WrongUse(std::string(option) + " goes with " + mode);
  };
  if (arguments.listen && send) throw study::WrongUse("--listen and --send are two programs: type both");
  if (arguments.thresholds && (arguments.listen || send))
    throw study::WrongUse("--thresholds goes with a file that is correlated here");
  needs(bind.has_value(), arguments.listen.has_value(), "--bind", "--listen");
  needs(every.has_value(), arguments.listen.has_value(), "--write-every", "--listen");
  needs(queue.has_value(), arguments.listen.has_value(), "--queue", "--listen");
  needs(pause.has_value(), arguments.listen.has_value(), "--pause", "--listen");
  needs(arguments.rate.has_value(), send.has_value(), "--rate", "--send");
  if (arguments.listen && (arguments.sensors || interval || arguments.packet))
    throw study::WrongUse("with --listen the sender says sensors, interval and packets");
  if (errors && *errors != "sensors" && *errors != "time")
    throw study::WrongUse("--errors: " + study::in_quotes(*errors) + " is neither sensors nor time");
  if (errors) arguments.errors = *errors == "time" ? Errors::time : Errors::sensors;
  if (sensor) arguments.sensor = *sensor - 1;
  arguments.shape = shape_of(fit);
  arguments.bind = bind.value_or("127.0.0.1");
  arguments.every = every.value_or(arguments.every);
  arguments.queue = queue.value_or(arguments.queue);
  arguments.pause_ms = pause.value_or(0);
  arguments.interval = interval.value_or(0);
  if (send) split_address(*send, arguments);
  if (files.empty() && !arguments.listen) {
    arguments.file = STUDY_FOLDER "/example.bin";
    arguments.sensors = arguments.sensors.value_or(kExampleSensors);
    arguments.interval = interval.value_or(kExampleInterval);
    if (!arguments.shape) arguments.shape = 0;  // a membrane
  } else if (!files.empty()) {
    arguments.file = files.front();
  }
  if (arguments.output.empty())
    arguments.output = arguments.listen ? "stream" : std::filesystem::path(arguments.file).stem().string();
  return arguments;
}

void write_curve(std::ostream& out, const Curve& curve, double interval) {
  out << "lag_instants,lag_seconds,bin_instants,products,sensors,correlation,standard_error\n";
  const auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return std::string(std::isfinite(value) ? text : "");
  };
  for (const Point& point : curve.points)
    out << point.delay << ',' << (interval == 0 ? "" : number(static_cast<double>(point.delay) * interval))
        << ',' << (1LL << point.group) << ',' << point.products << ',' << point.sensors << ','
        << number(point.value) << ',' << number(point.error) << '\n';
}

/// What comes out of a measurement at some time.
struct Result {
  Curve curve;
  std::optional<DiffusionCurve> fit;
  std::string why_no_fit;  ///< where one was asked for
};

/// Why there is no curve; empty where there is one.
std::string why_no_curve(const Curve& curve, const Measurement& measurement) {
  constexpr long long kMinInstants = 64;
  const long long instants = measurement.latest().elapsed;
  if (instants < kMinInstants)
    return std::to_string(instants) + " instants are too few for a curve: 64 at least";
  if (curve.points.empty())
    return "no photons in " + std::to_string(instants) + " instants, so there is no curve";
  return "";
}

/// Longer delays have few independent products: they are drawn, and not fitted.
long long longest_sure(const Measurement& measurement) { return measurement.latest().elapsed / 10; }

Result result_of(const Arguments& arguments, const Measurement& measurement) {
  Result result{curve_of(measurement, arguments.sensor, arguments.errors), {}, {}};
  if (!arguments.shape) return result;
  constexpr std::size_t kMinPoints = 8;
  std::vector<CorrelationPoint> points;
  for (const Point& point : result.curve.points)
    if (point.delay > 0 && point.delay <= longest_sure(measurement))
      points.push_back({static_cast<double>(point.delay), point.value});
  if (points.size() < kMinPoints) {
    result.why_no_fit = std::to_string(points.size()) + (points.size() == 1 ? " lag time" : " lag times") +
                        " up to a tenth of the measurement, and a fit needs " + std::to_string(kMinPoints);
    return result;
  }
  const DiffusionCurve fit = fit_diffusion(points, *arguments.shape);
  if (!(fit.amplitude > 0 && std::isfinite(fit.amplitude)))
    result.why_no_fit = "the curve does not fall as that of free diffusion";
  else if (!was_searched(fit.diffusion_time))
    result.why_no_fit = "the diffusion time is outside 0.5 to 100 000 instants";
  else
    result.fit = fit;
  return result;
}

/// Beyond a tenth of a block errors from blocks of time are too small.
long long longest_error(const Curve& curve, const Measurement& measurement) {
  return curve.errors == Errors::time ? measurement.block_instants() / 10
                                      : std::numeric_limits<long long>::max();
}

double mean_count(const Arguments& arguments, const Measurement& measurement) {
  double total = 0;
  const std::size_t first = arguments.sensor.value_or(0),
                    end = arguments.sensor ? first + 1 : measurement.sensors();
  for (std::size_t s = first; s < end; ++s) total += static_cast<double>(measurement.latest().totals[s]);
  return total / static_cast<double>(end - first) / static_cast<double>(measurement.latest().elapsed);
}

std::string things(std::size_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

/// Begin of the counts, as much of it as plain correlation takes in some seconds.
class Begin {
 public:
  /// Of all sensors, or of `sensor` alone.
  Begin(std::size_t sensors, std::optional<std::size_t> sensor)
      : sensors_(sensors), first_(sensor.value_or(0)), traces_(sensor ? 1 : sensors) {}
  void add(const std::vector<unsigned char>& counts) {
    for (std::size_t i = 0; i < counts.size() && may_grow(); i += sensors_)
      for (std::size_t s = 0; s < traces_.size(); ++s) traces_[s].push_back(counts[i + first_ + s]);
  }
  const Traces& traces() const { return traces_; }
  std::size_t instants() const { return traces_.front().size(); }
  /// A tenth of it, and not beyond the last delay of ten groups of 32.
  std::size_t reach() const { return std::min<std::size_t>(instants() / 10, delay_of(kMostGroups - 1, 31)); }

 private:
  bool may_grow() const {
    constexpr double kMaxProducts = 2e9;
    return static_cast<double>(instants()) * static_cast<double>(reach() * traces_.size()) < kMaxProducts;
  }

  std::size_t sensors_, first_;
  Traces traces_;
};

/// The table of thresholds, as CSV and as text.
std::string written(const std::vector<ThresholdRow>& rows, std::ostream& out) {
  std::string text = "          delays  groups  products    time     error of bins  difference\n";
  out << "delays_per_group,groups,products_per_count,host_seconds,error_of_bins,rms_difference\n";
  for (const ThresholdRow& row : rows) {
    char line[160], error[32] = "", percent[32] = "";
    if (row.curve_error) {
      std::snprintf(error, sizeof error, "%.3g", *row.curve_error);
      std::snprintf(percent, sizeof percent, "%.2g %%", *row.curve_error * 100);
    }
    std::snprintf(line, sizeof line, "%d,%d,%.6g,%.3g,%s,%.4g\n", row.delays, row.groups, row.products,
                  row.seconds, error, row.difference);
    out << line;
    const std::string name = row.delays == 0 ? "plain" : std::to_string(row.delays);
    std::snprintf(line, sizeof line, "          %6s  %6d  %8.4g  %8s  %11s  %10.2g\n", name.c_str(),
                  row.groups, row.products, time_of(row.seconds, 1).c_str(), percent, row.difference);
    text += line;
  }
  return text;
}

/// Writes the curve and its picture. Returns their names.
std::vector<std::string> write(const Arguments& arguments, const std::string& name, double interval,
                               const Measurement& measurement, const Result& result,
                               const std::function<void(study::OutputFiles&)>& more = {}) {
  study::OutputFiles files;
  files.keep(arguments.file);
  files.add(arguments.output + "-correlation.csv",
            [&](std::ostream& out) { write_curve(out, result.curve, interval); });
  const auto instants = static_cast<std::size_t>(measurement.latest().elapsed);
  std::string description =
      things(instants, "instant") + (interval == 0 ? "" : " of " + time_of(1, interval)) + ", " +
      (arguments.sensor ? "sensor " + std::to_string(*arguments.sensor + 1) + " of " : std::string()) +
      things(measurement.sensors(), "sensor") + ", " + study::shown(mean_count(arguments, measurement)) +
      " counts per instant";
  const Picture picture{name,
                        description,
                        interval,
                        result.curve,
                        result.fit,
                        longest_sure(measurement),
                        longest_error(result.curve, measurement)};
  files.add(arguments.output + ".svg", [&](std::ostream& out) { out << picture.svg(); });
  if (more) more(files);
  files.commit();
  return files.names();
}

void report(const Arguments& arguments, double interval, const Measurement& measurement,
            const Result& result) {
  const std::vector<Point>& points = result.curve.points;
  const std::size_t sensors = result.curve.sensors;
  std::printf("curve     %s up to %s, %s%s\n", things(points.size(), "lag time").c_str(),
              time_of(static_cast<double>(points.back().delay), interval).c_str(),
              arguments.sensor ? ("of sensor " + std::to_string(*arguments.sensor + 1)).c_str()
                               : ("mean of " + things(sensors, "sensor")).c_str(),
              arguments.sensor || sensors == measurement.sensors() ? "" : " with counts");
  if (result.curve.parts < kMinParts) {
    const std::string part = result.curve.errors == Errors::sensors ? "sensor" : "block";
    std::printf("errors    none: %s %s too few, 4 at least\n", things(result.curve.parts, part).c_str(),
                result.curve.parts == 1 ? "is" : "are");
  } else if (result.curve.errors == Errors::sensors) {
    std::printf("errors    from the variation between %zu sensors\n", result.curve.parts);
  } else {
    std::printf("errors    from the variation between %zu blocks of time of %s\n", result.curve.parts,
                time_of(static_cast<double>(measurement.block_instants()), interval).c_str());
  }
  if (result.fit) {
    std::printf("fit       free diffusion%s: %.3g molecules in the focus, which stay %s, offset %.2g\n",
                *arguments.shape == 0 ? " in two dimensions" : "", 1 / result.fit->amplitude,
                time_of(result.fit->diffusion_time, interval).c_str(), result.fit->offset);
  } else if (arguments.shape) {
    std::printf("fit       none: %s\n", result.why_no_fit.c_str());
  }
}

void must_have(const std::optional<std::size_t>& sensor, std::size_t sensors) {
  if (sensor && *sensor >= sensors)
    throw std::runtime_error("--sensor " + std::to_string(*sensor + 1) + ": there are " +
                             things(sensors, "sensor"));
}

void must_fit(std::size_t packet, std::size_t sensors) {
  if (packet * sensors > kMaxPacketBytes)
    throw study::WrongUse("--packet: " + std::to_string(packet) + " instants of " +
                          things(sensors, "sensor") + " are more than 16 MiB");
}

void correlate_file(const Arguments& arguments) {
  CountsReader reader(arguments.file, arguments.sensors);
  must_have(arguments.sensor, reader.sensors());
  const std::size_t packet = arguments.packet.value_or(4096);
  must_fit(packet, reader.sensors());
  Correlator correlator(reader.sensors(), arguments.groups);
  Begin begin(reader.sensors(), arguments.sensor);
  while (true) {
    const std::vector<unsigned char> counts = reader.read(packet);
    if (counts.empty()) break;
    correlator.add(counts);
    if (arguments.thresholds) begin.add(counts);
  }
  const Measurement& measurement = correlator.measurement();
  const Result result = result_of(arguments, measurement);
  if (const std::string why = why_no_curve(result.curve, measurement); !why.empty())
    throw std::runtime_error(arguments.file + ": " + why);
  const std::string name = std::filesystem::path(arguments.file).filename().string();
  std::string table;
  const auto add_table = [&](study::OutputFiles& files) {
    if (!arguments.thresholds) return;
    const auto rows = compare_thresholds(begin.traces(), begin.reach(), result.fit);
    files.add(arguments.output + "-thresholds.csv", [&](std::ostream& out) { table = written(rows, out); });
  };
  const std::vector<std::string> files =
      write(arguments, name, arguments.interval, measurement, result, add_table);
  std::printf("read      %s (%s): %lld instants of %s, %.3g counts per instant\n", arguments.file.c_str(),
              reader.is_text() ? "text" : "bytes", measurement.latest().elapsed,
              things(reader.sensors(), "sensor").c_str(), mean_count(arguments, measurement));
  report(arguments, arguments.interval, measurement, result);
  if (!table.empty())
    std::printf("compared  delays per group on the host, with %zu instants, up to a delay of %s\n%s",
                begin.instants(), time_of(static_cast<double>(begin.reach()), arguments.interval).c_str(),
                table.c_str());
  for (const std::string& file : files) std::printf("wrote     %s\n", file.c_str());
}

/// Latencies of a stream's packets: from when the server has read its last byte until sums are on the host.
class Latencies {
 public:
  /// Each packet has a line in a file that grows.
  explicit Latencies(const std::string& file) : file_(file) {
    errno = 0;
    out_.open(file);
    out_ << "packet,instants,latency_seconds,waited\n";
    check();
  }
  void add(const Packet& packet) {
    const double seconds = Seconds(Clock::now() - packet.arrived).count();
    seconds_.push_back(static_cast<float>(seconds));
    waited_ += packet.has_waited ? 1 : 0;
    out_ << seconds_.size() << ',' << packet.instants << ',' << seconds << ',' << packet.has_waited << '\n';
  }
  void flush() {
    errno = 0;
    out_.flush();
    check();
  }
  std::size_t packets() const { return seconds_.size(); }
  void report() {
    std::sort(seconds_.begin(), seconds_.end());
    const auto at = [this](double share) {
      return time_of(double{seconds_[place_of(share, seconds_.size())]}, 1);
    };
    std::printf("latency   median %s, 99 %% within %s, largest %s; %zu of %zu packets waited for others\n",
                at(0.5).c_str(), at(0.99).c_str(), at(1).c_str(), waited_, seconds_.size());
  }

 private:
  void check() {
    if (!out_) throw std::runtime_error(file_ + " cannot be written: " + message_of_errno());
  }

  std::string file_;
  std::ofstream out_;
  std::vector<float> seconds_;
  std::size_t waited_ = 0;
};

/// A thread that is ended with its scope: it receives packets into a queue.
class Receiving {
 public:
  Receiving(const Socket& socket, std::size_t sensors, PacketQueue& queue)
      : socket_(socket),
        queue_(queue),
        thread_([&socket, sensors, &queue] { receive_packets(socket, sensors, queue); }) {}
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;
  ~Receiving() {
    queue_.cancel();
    socket_.end();
    thread_.join();
  }

 private:
  const Socket& socket_;
  PacketQueue& queue_;
  std::thread thread_;
};

/// Throws std::runtime_error where a server's files cannot be written; leaves none.
void must_be_writable(const std::string& output) {
  study::OutputFiles trial;
  for (const char* ending : {"-correlation.csv", ".svg", "-packets.csv"}) {
    const std::string name = output + ending;
    trial.add(name, [](std::ostream&) {});
    errno = 0;
    if (std::filesystem::exists(name) && !std::ofstream(name, std::ios::app))
      throw std::runtime_error(name + " cannot be written: " + message_of_errno());
  }
}

/// Waits for the stream. What listens ends with it, so that whoever else connects is refused.
Stream next_stream(const Arguments& arguments) {
  const Listener listener(arguments.bind, *arguments.listen);
  std::printf("listening %s\n", host_and_port(arguments.bind, std::to_string(listener.port())).c_str());
  std::fflush(stdout);
  return accepted_stream(listener, std::chrono::seconds(5), [](const std::string& why) {
    std::printf("refused   %s\n", why.c_str());
    std::fflush(stdout);
  });
}

void serve(const Arguments& arguments) {
  must_be_writable(arguments.output);
  const Stream stream = next_stream(arguments);
  const Socket& socket = stream.socket;
  const StreamHeader& header = stream.header;
  must_have(arguments.sensor, header.sensors);
  std::printf("stream    %s%s\n", things(header.sensors, "sensor").c_str(),
              header.interval == 0 ? "" : (", an instant lasts " + time_of(1, header.interval)).c_str());
  std::fflush(stdout);

  Correlator correlator(header.sensors, arguments.groups);
  const Measurement& measurement = correlator.measurement();
  PacketQueue queue(arguments.queue);
  const Receiving receiving(socket, header.sensors, queue);
  const std::string name = std::filesystem::path(arguments.output).filename().string();
  std::optional<Latencies> latencies;
  Clock::time_point written = Clock::now();
  while (const std::optional<Packet> packet = queue.pop()) {
    if (!latencies) latencies.emplace(arguments.output + "-packets.csv");
    correlator.add(packet->counts);
    latencies->add(*packet);
    if (Seconds(Clock::now() - written).count() >= arguments.every) {
      const Result result = result_of(arguments, measurement);
      if (why_no_curve(result.curve, measurement).empty()) {
        write(arguments, name, header.interval, measurement, result);
        latencies->flush();
        std::printf("counted   %lld instants, curve written\n", measurement.latest().elapsed);
        std::fflush(stdout);
      }
      written = Clock::now();
    }
    if (arguments.pause_ms != 0) std::this_thread::sleep_for(std::chrono::milliseconds(arguments.pause_ms));
  }
  const auto elapsed = static_cast<std::uint64_t>(measurement.latest().elapsed);
  const std::string error = queue.error();
  std::string why;
  if (latencies) {
    latencies->flush();
    const Result result = result_of(arguments, measurement);
    why = why_no_curve(result.curve, measurement);
    std::printf("counted   %llu instants in %s, %.3g counts per instant\n",
                static_cast<unsigned long long>(elapsed), things(latencies->packets(), "packet").c_str(),
                mean_count(arguments, measurement));
    if (why.empty()) {
      const std::vector<std::string> files = write(arguments, name, header.interval, measurement, result);
      report(arguments, header.interval, measurement, result);
      latencies->report();
      for (const std::string& file : files) std::printf("wrote     %s\n", file.c_str());
    }
    std::printf("wrote     %s-packets.csv\n", arguments.output.c_str());
    std::fflush(stdout);
  }
  if (!error.empty())
    throw StreamError(error + "; " + things(elapsed, "instant") + " before it " +
                      (elapsed == 1 ? "is" : "are") + " counted");
  Sender(socket).send(answer_of(elapsed));
  if (!latencies) throw StreamError("the stream holds no counts");
  if (!why.empty()) throw StreamError(why);
}

void send_file(const Arguments& arguments) {
  CountsReader reader(arguments.file, arguments.sensors);
  const std::size_t packet = arguments.packet.value_or(256);
  must_fit(packet, reader.sensors());
  const double rate = arguments.rate.value_or(arguments.interval == 0 ? 0 : 1 / arguments.interval);
  constexpr double kMaxPacketSeconds = 1e9;
  if (rate != 0 && static_cast<double>(packet) / rate > kMaxPacketSeconds)
    throw study::WrongUse("--packet: " + things(packet, "instant") + " last longer than 1e9 seconds");
  const Socket socket = connected(arguments.host, arguments.port);
  Sender sender(socket);
  std::uint64_t elapsed = 0, packets = 0;
  const Clock::time_point begin = Clock::now();
  sender.send(bytes_of(StreamHeader{reader.sensors(), arguments.interval}));
  while (true) {
    const std::vector<unsigned char> counts = reader.read(packet);
    const std::size_t instants = counts.size() / reader.sensors();
    if (instants != 0 && rate != 0)
      std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(
                                                Seconds(static_cast<double>(elapsed + instants) / rate)));
    sender.send(bytes_of(PacketHeader{instants, elapsed}));
    if (instants == 0) break;
    sender.send(reinterpret_cast<const char*>(counts.data()), counts.size());
    elapsed += instants, ++packets;
  }
  const std::string answer = socket.receive(kAnswerBytes);
  const double seconds = Seconds(Clock::now() - begin).count();
  std::printf("sent      %llu instants of %s in %s, in %s\n", static_cast<unsigned long long>(elapsed),
              things(reader.sensors(), "sensor").c_str(), things(packets, "packet").c_str(),
              time_of(seconds, 1).c_str());
  std::printf("held back %s in all, %s at most at once\n", time_of(sender.held_seconds(), 1).c_str(),
              time_of(sender.longest_seconds(), 1).c_str());
  std::fflush(stdout);
  if (answer != answer_of(elapsed))
    throw StreamError("the server ended without saying that it has counted all");
  std::printf("counted   all, as the server says\n");
}

void run(const Arguments& arguments) {
  if (arguments.listen) return serve(arguments);
  if (!arguments.host.empty()) return send_file(arguments);
  correlate_file(arguments);
}

}  // namespace
}  // namespace lockstep::multi_tau_study

int main(int count, char** words) {
  return lockstep::study::status_of_main("multi-tau", count, words, lockstep::multi_tau_study::arguments_of,
                                         lockstep::multi_tau_study::run);
}
