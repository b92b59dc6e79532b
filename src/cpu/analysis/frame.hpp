// A frame on the stack of device functions: what lies at which offset.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::analysis {

/// At the bottom of every frame: where its function returns to.
inline constexpr std::uint64_t kFrameHeader = 16;

inline std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

inline std::uint64_t size_in_frame(const ptx::Variable& variable) {
  return std::max<std::uint64_t>({variable.size, ptx::size_of(variable.type), 1});
}

inline std::uint64_t alignment_in_frame(const ptx::Variable& variable) {
  return std::max<std::uint64_t>({variable.alignment, ptx::size_of(variable.type), 1});
}

struct Frame {
  std::uint64_t bytes = kFrameHeader;

  std::uint64_t place(const ptx::Variable& variable) {
    const std::uint64_t offset = align_up(bytes, alignment_in_frame(variable));
    bytes = offset + size_in_frame(variable);
    return offset;
  }
};

/// The part of a frame that a caller fills and reads. It comes first, so that a caller knows where everything
/// is from the types alone.
struct FrameParameters {
  std::vector<std::uint64_t> given, returned;  // offsets in the callee's frame
  Frame frame;

  FrameParameters(const std::vector<ptx::Variable>& parameters, const std::vector<ptx::Variable>& returns) {
    for (const ptx::Variable& parameter : parameters) given.push_back(frame.place(parameter));
    for (const ptx::Variable& each : returns) returned.push_back(frame.place(each));
  }
};

}  // namespace tare::cpu::analysis
