// What the tests of the gpu layer share: a context on the chosen driver, PTX kernels as text, and the error
// that a statement throws.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tare/buffer.hpp"
#include "tare/error.hpp"
#include "tare/kernel.hpp"

namespace tare::testing_support {

/// The tare::Error that `statement` throws; a test failure and an empty error where it throws none.
template <class Statement>
Error error_of(Statement&& statement) {
  try {
    statement();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorKind::io, "");
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// A context that is current for the length of a test, and a stream.
class OnDevice : public testing::Test {
 protected:
  Module load(std::string_view ptx) const { return Module::load(context_, bytes_of(ptx)); }

  template <class T>
  Buffer device_copy(const std::vector<T>& host) const {
    Buffer buffer(context_, host.size() * sizeof(T));
    buffer.copy_from(std::as_bytes(std::span(host)));
    return buffer;
  }

  template <class T>
  std::vector<T> host_copy(const Buffer& buffer) const {
    std::vector<T> host(buffer.bytes() / sizeof(T));
    buffer.copy_to(std::as_writable_bytes(std::span(host)));
    return host;
  }

  PrimaryContext context_;
  PrimaryContext::Scope current_{context_.handle()};
  Stream stream_{context_};
};

inline constexpr std::string_view kHeader = R"(
.version 8.0
.target sm_80
.address_size 64
)";

/// k(double* o, float f, char c, long long q, bool b): o[0..3] = f, c, q, b.
inline const std::string kScalars = std::string(kHeader) + R"(
.visible .entry k(.param .u64 k_o, .param .f32 k_f, .param .u8 k_c, .param .u64 k_q, .param .u8 k_b)
{
  .reg .b64 %rd<3>;
  .reg .f32 %f<2>;
  .reg .f64 %fd<5>;
  .reg .b16 %rs<3>;
  ld.param.u64 %rd1, [k_o];
  ld.param.f32 %f1, [k_f];
  cvt.f64.f32 %fd1, %f1;
  st.global.f64 [%rd1], %fd1;
  ld.param.s8 %rs1, [k_c];
  cvt.rn.f64.s16 %fd2, %rs1;
  st.global.f64 [%rd1+8], %fd2;
  ld.param.u64 %rd2, [k_q];
  cvt.rn.f64.s64 %fd3, %rd2;
  st.global.f64 [%rd1+16], %fd3;
  ld.param.u8 %rs2, [k_b];
  cvt.rn.f64.u16 %fd4, %rs2;
  st.global.f64 [%rd1+24], %fd4;
  ret;
}
)";

/// nothing(): takes no parameters and does nothing.
inline const std::string kNothing = std::string(kHeader) + ".visible .entry nothing() { ret; }\n";

}  // namespace tare::testing_support
