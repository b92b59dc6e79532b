// Lines in the manner of TAP, for a person who runs tare_gpu_check on a machine with a GPU.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

#include "tare/error.hpp"

namespace tare::gpu_check {

class Report {
 public:
  /// One `ok` or `not ok` line; `found` is shown either way.
  void expect(const std::string& name, bool holds, const std::string& found = {}) {
    (holds ? passed_ : failed_) += 1;
    fmt::print("{} {} - {}{}{}\n", holds ? "ok" : "not ok", ++number_, name, found.empty() ? "" : ": ",
               found);
  }

  template <class T, class U>
  void expect_equal(const std::string& name, const T& got, const U& want) {
    const bool equal = got == want;
    expect(name, equal, equal ? fmt::format("{}", got) : fmt::format("got {}, want {}", got, want));
  }

  /// The error that `statement` throws has to satisfy `right`; its text is shown.
  void expect_error(const std::string& name, const std::function<void()>& statement,
                    const std::function<bool(const Error&)>& right) {
    try {
      statement();
    } catch (const Error& error) {
      const bool holds = right(error);
      expect(name, holds,
             fmt::format("{}{}{} [{} {}]", error.what(), error.hint().empty() ? "" : " | ", error.hint(),
                         error.code(), error.code_name()));
      return;
    }
    expect(name, false, "nothing was thrown");
  }

  /// A group of checks; an error that escapes it is one failure, what the device does not do is passed over.
  void group(const std::string& name, const std::function<void(Report&)>& checks) {
    fmt::print("# {}\n", name);
    try {
      checks(*this);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::unsupported) {
        fmt::print("# skipped the rest of it: {}\n", error.what());
        return;
      }
      expect(name + " runs to its end", false, error.what());
    }
  }

  /// The closing lines and the exit code.
  int finish() const {
    fmt::print("1..{}\n{} passed, {} failed\n", number_, passed_, failed_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  int number_ = 0, passed_ = 0, failed_ = 0;
};

}  // namespace tare::gpu_check
