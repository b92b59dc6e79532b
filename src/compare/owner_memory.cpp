// Device buffers, their contents, and the shared host memory for workers that have memory of their own.
#include "compare/owner_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tare/error.hpp"

namespace tare::compare {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint8_t kPoison = 0xFF;

std::string amount(double bytes) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return fmt::format("{:.0f} bytes ({:.1f} GiB)", bytes, bytes / kGiB);
}

// MemAvailable of the host in bytes; infinite where it cannot be read.
double available_host_memory() {
  std::ifstream in("/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  while (in >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    in.ignore(256, '\n');
  }
  return HUGE_VAL;
}

void require(const char* what, double needed, double available) {
  if (needed <= available) return;
  throw Error(ErrorKind::out_of_memory,
              fmt::format("the case needs {} of {} memory, {} are available", amount(needed), what,
                          amount(available)),
              "make it smaller, for example with --n");
}

}  // namespace

double buffer_bytes(const Job& job) {
  double sum = 0;
  for (const JobArgument& argument : job.arguments)
    if (argument.is_buffer)
      sum += static_cast<double>(argument.count) * static_cast<double>(argument.element.size);
  return sum;
}

void require_room(const PrimaryContext& context, const Job& job, bool device_is_host) {
  const double device = buffer_bytes(job);
  require("device", device, static_cast<double>(context.memory().free_bytes));
  double host = device;  // initial contents
  for (const JobArgument& argument : job.arguments)
    if (argument.is_output() && argument.check.kind != Check::Kind::none)
      host += 2 * static_cast<double>(argument.bytes());  // expected and read back
  require("host", device_is_host ? host + device : host, available_host_memory());
}

OwnerMemory::OwnerMemory(const PrimaryContext& context, const Job& job) : context_(context), job_(job) {
  const auto scope = context_.enter();
  for (const JobArgument& argument : job.arguments) {
    offsets_.push_back(shared_bytes_);
    contents_.push_back(argument.is_buffer ? fill_buffer(argument) : HostBuffer());
    buffers_.push_back(argument.is_buffer ? Buffer(context_, argument.bytes()) : Buffer());
    if (argument.is_buffer) shared_bytes_ += (argument.bytes() + kPage - 1) / kPage * kPage;
    has_in_out_ |= argument.is_in_out();
    if (argument.is_output() && argument.check.kind != Check::Kind::none)
      read_back_.resize(std::max<std::size_t>(read_back_.size(), argument.bytes()));
  }
  reload_inputs();
}

OwnerMemory::~OwnerMemory() {
  if (shared_memory_) munmap(shared_memory_, shared_bytes_);
}

void OwnerMemory::compute_reference(const ReferenceSettings& settings) {
  const auto scope = context_.enter();
  reference_ = compare::compute_reference(job_, contents_, settings);
  reference_.outputs.resize(job_.arguments.size());
  givers_.resize(job_.arguments.size());
  for (std::size_t i = 0; i < contents_.size(); ++i)
    if (job_.arguments[i].is_output() && !job_.arguments[i].is_in_out()) contents_[i] = HostBuffer();
}

std::vector<std::string> OwnerMemory::ipc_handles() const {
  const auto scope = context_.enter();
  std::vector<std::string> handles;
  for (const Buffer& buffer : buffers_) {
    if (buffer.bytes() == 0) {
      handles.emplace_back();
      continue;
    }
    const IpcHandle handle = buffer.ipc_handle();
    handles.push_back(to_hex(handle.data(), handle.size()));
  }
  return handles;
}

int OwnerMemory::shared_descriptor() {
  if (shared_descriptor_ || shared_bytes_ == 0) return shared_descriptor_.get();
  Descriptor descriptor(memfd_create("tare", MFD_CLOEXEC));
  if (!descriptor || ftruncate(descriptor.get(), static_cast<off_t>(shared_bytes_)) != 0)
    throw Error(ErrorKind::out_of_memory,
                fmt::format("cannot share {} with workers: {}", amount(static_cast<double>(shared_bytes_)),
                            strerror(errno)));
  void* const memory = mmap(nullptr, shared_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorKind::out_of_memory, std::string("cannot map shared memory: ") + strerror(errno));
  shared_memory_ = static_cast<std::byte*>(memory);
  shared_descriptor_ = std::move(descriptor);
  for (std::size_t i = 0; i < contents_.size(); ++i)
    std::copy(contents_[i].begin(), contents_[i].end(), shared(i).begin());
  return shared_descriptor_.get();
}

std::span<std::byte> OwnerMemory::shared(std::size_t argument) {
  return {shared_memory_ + offsets_[argument], buffers_[argument].bytes()};
}

void OwnerMemory::reload_inputs() {
  const auto scope = context_.enter();
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (job_.arguments[i].is_const && buffers_[i].bytes() > 0) buffers_[i].copy_from(contents_[i]);
}

void OwnerMemory::prepare_outputs(MemoryMode mode) {
  const auto scope = context_.enter();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const JobArgument& argument = job_.arguments[i];
    if (!argument.is_output() || argument.bytes() == 0) continue;
    if (mode == MemoryMode::own) {
      if (argument.is_in_out())
        std::copy(contents_[i].begin(), contents_[i].end(), shared(i).begin());
      else
        std::memset(shared(i).data(), kPoison, argument.bytes());
    } else if (argument.is_in_out()) {
      buffers_[i].copy_from(contents_[i]);
    } else {
      buffers_[i].fill(kPoison);
    }
  }
}

std::vector<Difference> OwnerMemory::check(MemoryMode mode, const std::string& row) {
  const auto scope = context_.enter();
  std::vector<Difference> differences;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const JobArgument& argument = job_.arguments[i];
    if (!argument.is_output() || argument.check.kind == Check::Kind::none || argument.bytes() == 0) continue;
    std::span<std::byte> got =
        mode == MemoryMode::own ? shared(i) : std::span<std::byte>(read_back_).first(argument.bytes());
    if (mode == MemoryMode::ipc) buffers_[i].copy_to(got);
    std::optional<HostBuffer>& want = reference_.outputs[i];
    if (want) {
      differences.push_back(compare_output(argument, *want, got));
    } else if (auto nothing = without_a_number(argument, got)) {
      differences.push_back(std::move(*nothing));
    } else {
      want.emplace(got.begin(), got.end());
      reference_.how += (reference_.how.empty() ? "" : "; ") + argument.name + " as row " + row + " gave it";
      givers_[i] = row;
      differences.push_back({.max_ulp = 0, .argument = argument.name});
    }
    if (want) differences.back().giver = givers_[i];
    if (!differences.back().equal && givers_[i] == row) differences.back().hint = kDiffersBetweenLaunches;
  }
  return differences;
}

std::vector<WeakCheck> OwnerMemory::weak_checks() const {
  std::vector<WeakCheck> weak;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const JobArgument& argument = job_.arguments[i];
    if (!argument.is_output() || argument.check.kind == Check::Kind::none || !reference_.outputs[i]) continue;
    const HostBuffer& want = *reference_.outputs[i];
    const bool unchanged = argument.is_in_out() && !want.empty() && want == contents_[i];
    const std::optional<std::string> value = single_value(argument, want);
    if (unchanged || value) weak.push_back({argument.name, unchanged, value.value_or("")});
  }
  return weak;
}

}  // namespace tare::compare
