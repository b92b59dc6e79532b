// What every function of libtare throws when it cannot do what was asked.
#pragma once

#include <stdexcept>
#include <string>

namespace tare {

enum class ErrorKind {
  driver,         // a CUDA driver call answered with an error: code() and code_name() say which
  compile,        // a compiler refused the source: CompileError, with its log
  not_found,      // a library, program, file or kernel is not where it was looked for
  argument,       // the caller's mistake: kernel arguments, launch shape, options
  out_of_memory,  // host or device memory; the message says needed and available
  io,             // a file or a child process
  forked,         // the process was forked after the driver was initialised
  unsupported,    // valid, but this device, driver or compiler does not do it
};

/// `what()` is one sentence: what failed and on what. `hint()` says what to do next (may be empty).
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {}, int code = 0,
        std::string code_name = {})
      : std::runtime_error(message),
        kind_(kind),
        hint_(std::move(hint)),
        code_(code),
        code_name_(std::move(code_name)) {}

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& hint() const noexcept { return hint_; }
  /// The driver's or the compiler's own code, 0 where there is none.
  int code() const noexcept { return code_; }
  /// "CUDA_ERROR_INVALID_VALUE", "NVRTC_ERROR_COMPILATION", empty where there is none.
  const std::string& code_name() const noexcept { return code_name_; }

 private:
  ErrorKind kind_;
  std::string hint_;
  int code_;
  std::string code_name_;
};

/// A compiler refused the source. `log()` is everything the compiler printed.
class CompileError : public Error {
 public:
  CompileError(const std::string& message, std::string log, std::string hint = {}, int code = 0,
               std::string code_name = {})
      : Error(ErrorKind::compile, message, std::move(hint), code, std::move(code_name)),
        log_(std::move(log)) {}
  const std::string& log() const noexcept { return log_; }

 private:
  std::string log_;
};

}  // namespace tare
