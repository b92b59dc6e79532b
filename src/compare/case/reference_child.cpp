// memfd, reached by the child through /proc; and the child's limits.
#include "compare/case/reference_child.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "compare/interrupt.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

std::vector<ReferenceMemory::Place> ReferenceMemory::places_of(const Job& job) {
  std::vector<Place> places;
  std::size_t at = kFirst;
  for (const JobArgument& argument : job.arguments) {
    const std::size_t bytes = argument.is_buffer ? argument.bytes() : argument.value.size();
    places.push_back({at, bytes});
    at += (bytes + kAlignment) / kAlignment * kAlignment;  // never nothing, so that all addresses differ
  }
  return places;
}

ReferenceMemory::ReferenceMemory(const Job& job, const std::vector<HostBuffer>& inputs)
    : places_(places_of(job)) {
  bytes_ = places_.empty() ? kFirst : places_.back().offset + places_.back().bytes + kAlignment;
  fd_ = memfd_create("tare-reference", MFD_CLOEXEC);
  if (fd_ >= 0 && posix_fallocate(fd_, 0, static_cast<off_t>(bytes_)) == 0) {
    void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (mapped != MAP_FAILED) data_ = static_cast<std::byte*>(mapped);
  }
  if (data_ == nullptr) {
    if (fd_ >= 0) close(fd_);
    throw Error(ErrorKind::out_of_memory,
                "no " + std::to_string(bytes_) + " bytes of memory for a copy of the buffers");
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::vector<std::byte>& from = job.arguments[i].is_buffer ? inputs[i] : job.arguments[i].value;
    std::copy_n(from.begin(), std::min(from.size(), places_[i].bytes), data_ + places_[i].offset);
  }
}

ReferenceMemory::~ReferenceMemory() {
  munmap(data_, bytes_);
  close(fd_);
}

std::string ReferenceMemory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_);
}

std::vector<std::optional<HostBuffer>> ReferenceMemory::outputs(const Job& job) const {
  std::vector<std::optional<HostBuffer>> all(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::byte* const at = data_ + places_[i].offset;
    if (job.arguments[i].is_output()) all[i].emplace(at, at + places_[i].bytes);
  }
  return all;
}

tare::detail::ChildResult run_reference_child(std::vector<std::string> argv,
                                              const ReferenceSettings& settings,
                                              std::chrono::duration<double> limit,
                                              const std::filesystem::path& folder,
                                              std::map<std::string, std::string> changes) {
  tare::detail::ChildRequest request;
  request.argv = std::move(argv);
  request.environment = std::move(changes);
  request.environment["TMPDIR"] = folder.string();
  request.timeout = std::chrono::ceil<std::chrono::milliseconds>(limit);
  if (settings.interrupts != nullptr) request.stop_descriptor = settings.interrupts->descriptor();
  tare::detail::ChildResult result = run_child(request);
  if (settings.interrupts != nullptr) settings.interrupts->check();
  return result;
}

std::string reference_place(const Job& job) {
  return job.source_file_name + ":" + std::to_string(job.reference_first_line) + ": " + job.reference_name +
         "() ";
}

std::string too_long(const tare::detail::ChildResult& result) {
  return result.how_it_ended() + "; --timeout SECONDS gives it longer";
}

}  // namespace tare::compare
