#include "tare/device.hpp"

#include <fmt/format.h>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare {

using cu::DeviceAttribute;
using detail::check;

namespace {

int get(const Device& device, DeviceAttribute attribute) {
  return device.attribute(static_cast<int>(attribute));
}

}  // namespace

Device::Device(int ordinal) : ordinal_(ordinal), handle_(0) {
  const int count = device_count();
  if (ordinal < 0 || ordinal >= count)
    throw Error(ErrorKind::argument,
                fmt::format("there is no device {}: the driver shows {} ({})", ordinal, count,
                            count == 1 ? "device 0" : fmt::format("devices 0 to {}", count - 1)),
                "CUDA_VISIBLE_DEVICES hides devices, and numbers those that are left from 0");
  check(detail::driver_table.device_get(&handle_, ordinal), "cuDeviceGet");
}

std::string Device::name() const {
  char text[256] = {};
  check(detail::driver_table.device_get_name(text, static_cast<int>(sizeof text), handle_),
        "cuDeviceGetName");
  return text;
}

std::string Device::uuid() const {
  cu::Uuid id{};
  check(detail::driver_table.device_get_uuid(&id, handle_), "cuDeviceGetUuid");
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", id.bytes[i]);
  }
  return text;
}

int Device::compute_capability() const {
  return 10 * get(*this, DeviceAttribute::compute_capability_major) +
         get(*this, DeviceAttribute::compute_capability_minor);
}

std::size_t Device::total_memory_bytes() const {
  std::size_t bytes = 0;
  check(detail::driver_table.device_total_mem(&bytes, handle_), "cuDeviceTotalMem");
  return bytes;
}

int Device::attribute(int number) const {
  int value = 0;
  check(detail::driver_table.device_get_attribute(&value, static_cast<DeviceAttribute>(number), handle_),
        "cuDeviceGetAttribute", "a device");
  return value;
}

std::size_t Device::l2_bytes() const {
  return static_cast<std::size_t>(get(*this, DeviceAttribute::l2_cache_bytes));
}

int Device::multiprocessors() const {
  return get(*this, DeviceAttribute::multiprocessor_count);
}

double Device::peak_bytes_per_second() const {
  int clock_khz = 0;
  int width_bits = 0;
  const auto& call = detail::driver_table;
  if (call.device_get_attribute(&clock_khz, DeviceAttribute::memory_clock_rate_khz, handle_) !=
          cu::Result::success ||
      call.device_get_attribute(&width_bits, DeviceAttribute::memory_bus_width_bits, handle_) !=
          cu::Result::success)
    return 0;
  constexpr double kTransfersPerClock = 2;  // every memory that GPUs use is double data rate
  return kTransfersPerClock * 1000.0 * clock_khz * width_bits / 8;
}

struct PrimaryContext::State {
  explicit State(const Device& of) : device(of) {
    check(detail::driver_table.primary_context_retain(&context, device.handle()), "cuDevicePrimaryCtxRetain",
          "the device's primary context");
  }
  // A driver that is already torn down has released it.
  ~State() { detail::driver_table.primary_context_release(device.handle()); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Device device;
  cu::Context context = nullptr;
};

PrimaryContext::PrimaryContext(const Device& device) : state_(std::make_shared<State>(device)) {}

const Device& PrimaryContext::device() const noexcept {
  return state_->device;
}

CUctx_st* PrimaryContext::handle() const noexcept {
  return state_->context;
}

PrimaryContext::Scope::Scope(CUctx_st* context) : pushed_(false) {
  const auto& call = detail::driver_table;
  cu::Context current = nullptr;
  check(call.context_get_current(&current), "cuCtxGetCurrent");
  if (current == context) return;
  check(call.context_push(context), "cuCtxPushCurrent");
  pushed_ = true;
}

PrimaryContext::Scope::~Scope() {
  cu::Context popped = nullptr;
  if (pushed_) detail::driver_table.context_pop(&popped);
}

PrimaryContext::Memory PrimaryContext::memory() const {
  const auto scope = enter();
  Memory memory{};
  check(detail::driver_table.mem_get_info(&memory.free_bytes, &memory.total_bytes), "cuMemGetInfo");
  return memory;
}

void PrimaryContext::synchronize() const {
  const auto scope = enter();
  check(detail::driver_table.context_synchronize(), "cuCtxSynchronize");
}

}  // namespace tare
