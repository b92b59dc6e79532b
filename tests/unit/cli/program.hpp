// Runs the real program and keeps what it printed.
#pragma once

#include <string>

namespace tare::cli::testing {

struct Ran {
  int code = -1;
  std::string out, err;
};

/// `tare ARGUMENTS` through the shell, with `environment` ("NAME=value ...") in front, its input empty.
Ran run_tare(const std::string& arguments, const std::string& environment = "");

}  // namespace tare::cli::testing
