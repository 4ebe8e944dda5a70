// A library in NVML's place, with one GPU, "GPU-imitated", which does not report its power. Built twice: with
// the name that drivers before 535 had for the reasons, and with today's.
#include <cstring>

extern "C" {

constexpr int kInvalid = 2, kNotSupported = 3, kNotFound = 6;

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int gpu;
  if (std::strcmp(uuid, "GPU-imitated") != 0) return kNotFound;
  *device = &gpu;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned*) { return kNotSupported; }
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  if (kind != 1 && kind != 2) return kInvalid;
  *mhz = kind == 1 ? 1980 : 3201;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = 41;
  return sensor == 0 ? 0 : kInvalid;
}
int LOCKSTEP_REASONS(void*, unsigned long long* reasons) {
  *reasons = 0x21;  // idle, software thermal slowdown
  return 0;
}

}  // extern "C"
