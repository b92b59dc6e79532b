// A typed array in device memory: what a kernel that is written in C++ takes where one in CUDA C++ takes a
// pointer and a count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tare/buffer.hpp"
#include "tare/error.hpp"

namespace tare {

/// `count` elements of T at a device address. A view: whoever allocated the memory keeps owning it. T is
/// const where a kernel may only read.
template <class T>
struct DeviceSpan {
  std::uint64_t address = 0;
  std::uint64_t count = 0;

  operator DeviceSpan<const T>() const noexcept requires(!std::is_const_v<T>) { return {address, count}; }
};

/// All of a buffer as elements of T. Throws Error(argument) where its bytes are no whole number of them.
template <class T>
DeviceSpan<T> device_span(const Buffer& buffer) {
  if (buffer.bytes() % sizeof(T) != 0)
    throw Error(ErrorKind::argument,
                "a buffer of " + std::to_string(buffer.bytes()) +
                    " bytes is no whole number of elements of " + std::to_string(sizeof(T)) + " bytes",
                "name the type that the buffer has, or its first elements: DeviceSpan<T>{buffer.address(), " +
                    std::to_string(buffer.bytes() / sizeof(T)) + "}");
  return {buffer.address(), buffer.bytes() / sizeof(T)};
}

}  // namespace tare
