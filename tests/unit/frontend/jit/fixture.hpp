// What the tests of traced kernels share: a device, buffers, and running a kernel over 32 elements.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "../support.hpp"
#include "tare/driver.hpp"
#include "tare/jit.hpp"

namespace tare::fixtures {

inline bool has_nvvm() {
  return find_nvvm().tool.has_value();
}

class JitTest : public ::testing::Test {
 protected:
  JitTest() : scope_(context_.enter()), stream_(context_) {}

  template <class T>
  Buffer buffer(const std::vector<T>& elements) const {
    Buffer made(context_, elements.size() * sizeof(T));
    made.copy_from(std::as_bytes(std::span(elements)));
    return made;
  }
  template <class T>
  std::vector<T> read(const Buffer& from) const {
    stream_.synchronize();
    std::vector<T> elements(from.bytes() / sizeof(T));
    from.copy_to(std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  /// What `kernel(out, arguments...)` leaves in 32 elements, a thread for each.
  template <class T, class Kernel, class... Args>
  std::vector<T> run(const Kernel& kernel, const Args&... arguments) const {
    const Buffer out = buffer(std::vector<T>(32));
    kernel({1, 32, stream_}, device_span<T>(out), arguments...);
    return read<T>(out);
  }
  /// The same, of a lambda.
  template <class T, class Function, class... Args>
  std::vector<T> run_traced(Function function, const Args&... arguments) const {
    return run<T>(jit(std::move(function)), arguments...);
  }

  PrimaryContext context_;
  PrimaryContext::Scope scope_;
  Stream stream_;
};

/// The error that the call throws; a test failure where it throws none.
template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorKind::argument, "");
}

/// For what a kernel may say, held against the same C++.
class JitLanguage : public JitTest {
 protected:
  /// What the host gives for the 32 elements of run().
  template <class T, class Make>
  static std::vector<T> expected(Make&& make) {
    std::vector<T> all(32);
    for (int i = 0; i < 32; ++i) all[static_cast<std::size_t>(i)] = make(i);
    return all;
  }
};

/// For what a kernel may not say.
class JitMisuseTest : public JitTest {
 protected:
  /// What tracing the lambda over (int[], int) throws.
  template <class Function>
  Error of(Function function, const detail::Where& where = detail::Where::current()) const {
    const Buffer out = buffer(std::vector<int>(32));
    const auto kernel = jit(std::move(function), {}, where);
    return error_of([&] { kernel({1, 32, stream_}, device_span<int>(out), 5); });
  }
};

}  // namespace tare::fixtures
