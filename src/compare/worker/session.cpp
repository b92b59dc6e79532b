// Opening a task's memory in a worker.
#include "compare/worker/session.hpp"

#include <sys/mman.h>

#include <cstring>

#include "tare/error.hpp"

namespace tare::compare {
namespace {

Dim3 dim3_of(const std::array<unsigned, 3>& axes) {
  return {axes[0], axes[1], axes[2]};
}

IpcHandle handle_of(const std::string& hex) {
  const std::vector<std::byte> bytes = from_hex(hex);
  IpcHandle handle{};
  if (bytes.size() != handle.size()) throw ProtocolError("an IPC handle that is not 64 bytes");
  std::memcpy(handle.data(), bytes.data(), handle.size());
  return handle;
}

}  // namespace

Session::Session(Task task)
    : task_(std::move(task)), context_(Device(task_.device)), current_(context_.handle()), stream_(context_) {
  shape_.grid = dim3_of(task_.job.grid);
  shape_.block = dim3_of(task_.job.block);
  shape_.dynamic_shared_bytes = task_.job.dynamic_shared_bytes;
  open_buffers();
}

Session::~Session() {
  if (shared_memory_) munmap(shared_memory_, task_.memory_bytes);
}

void Session::open_buffers() {
  const bool own = task_.memory == MemoryMode::own;
  if (own && task_.memory_bytes > 0) {
    void* const memory =
        mmap(nullptr, task_.memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kMemoryDescriptor, 0);
    if (memory == MAP_FAILED) throw Error(ErrorKind::io, "the owner's shared host memory cannot be mapped");
    shared_memory_ = static_cast<std::byte*>(memory);
  }
  std::vector<JobArgument>& arguments = task_.job.arguments;
  addresses_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    JobArgument& argument = arguments[i];
    if (!argument.is_buffer) {
      buffers_.emplace_back();
      arguments_.push_back(argument.value.data());
      sizes_.push_back(argument.value.size());
      continue;
    }
    if (own || argument.bytes() == 0) {
      buffers_.emplace_back(context_, argument.bytes());
      if (argument.bytes() > 0) buffers_[i].copy_from(shared(i));
    } else {
      try {
        buffers_.push_back(Buffer::open(context_, handle_of(task_.ipc_handles[i]), argument.bytes()));
      } catch (const Error& e) {
        throw MemoryRefused(e.what());
      }
    }
    addresses_[i] = buffers_[i].address();
    arguments_.push_back(&addresses_[i]);
    sizes_.push_back(sizeof addresses_[i]);
  }
}

std::span<std::byte> Session::shared(std::size_t argument) const {
  return {shared_memory_ + task_.memory_offsets[argument], task_.job.arguments[argument].bytes()};
}

void Session::refill() const {
  for (std::size_t i = 0; shared_memory_ && i < buffers_.size(); ++i)
    if (task_.job.arguments[i].is_output() && buffers_[i].bytes() > 0) buffers_[i].copy_from(shared(i));
}

void Session::collect() const {
  for (std::size_t i = 0; shared_memory_ && i < buffers_.size(); ++i)
    if (task_.job.arguments[i].is_output() && buffers_[i].bytes() > 0) buffers_[i].copy_to(shared(i));
}

}  // namespace tare::compare
