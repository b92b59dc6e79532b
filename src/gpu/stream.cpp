#include "tare/stream.hpp"

#include <utility>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "gpu/quiet_scope.hpp"

namespace tare {

using detail::check;
using detail::driver_table;

Event::Event(const PrimaryContext& context, bool timing) : context_(context) {
  const auto scope = context_.enter();
  check(driver_table.event_create(&handle_, timing ? cu::kEventDefault : cu::kEventDisableTiming),
        "cuEventCreate");
}

// Destructors ignore what the driver answers: one that is torn down has destroyed the object already.
Event::~Event() {
  if (handle_ == nullptr) return;
  const detail::QuietScope scope(context_.handle());
  driver_table.event_destroy(handle_);
}

Event::Event(Event&& other) noexcept
    : context_(other.context_), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(handle_, other.handle_);
  return *this;
}

void Event::record(StreamRef stream) const {
  const auto scope = context_.enter();
  check(driver_table.event_record(handle_, stream.handle()), "cuEventRecord");
}

void Event::synchronize() const {
  const auto scope = context_.enter();
  check(driver_table.event_synchronize(handle_), "cuEventSynchronize");
}

bool Event::done() const {
  const auto scope = context_.enter();
  const auto result = driver_table.event_query(handle_);
  if (result == cu::Result::not_ready) return false;
  check(result, "cuEventQuery");
  return true;
}

double Event::milliseconds_since(const Event& earlier) const {
  const auto scope = context_.enter();
  float milliseconds = 0;
  const auto result = driver_table.event_elapsed_time(&milliseconds, earlier.handle_, handle_);
  if (result == cu::Result::not_ready)
    detail::fail(result, "cuEventElapsedTime", "two events", "wait for the later event first: synchronize()");
  check(result, "cuEventElapsedTime");
  return static_cast<double>(milliseconds);
}

Stream::Stream(const PrimaryContext& context) : context_(context) {
  const auto scope = context_.enter();
  check(driver_table.stream_create(&handle_, cu::kStreamNonBlocking), "cuStreamCreate");
}

Stream::~Stream() {
  if (handle_ == nullptr) return;
  const detail::QuietScope scope(context_.handle());
  driver_table.stream_destroy(handle_);
}

Stream::Stream(Stream&& other) noexcept
    : context_(other.context_), handle_(std::exchange(other.handle_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(handle_, other.handle_);
  return *this;
}

void Stream::synchronize() const {
  const auto scope = context_.enter();
  check(driver_table.stream_synchronize(handle_), "cuStreamSynchronize");
}

void Stream::wait(const Event& event) const {
  const auto scope = context_.enter();
  check(driver_table.stream_wait_event(handle_, event.handle(), 0), "cuStreamWaitEvent");
}

}  // namespace tare
