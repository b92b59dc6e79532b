// The words of pip, uv, Python's venv and compilers, as of 2023 to 2026.
#include "compare/python/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <vector>

#include "compare/case/case.hpp"
#include "compare/child.hpp"

namespace tare::compare {
namespace {

constexpr std::size_t kErrorLines = 10, kLastLines = 15, kLineWidth = 300;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool names_an_error(std::string_view line) {
  return has_any(line, {"error:", "Error:", "ERROR:", "undefined reference", "No such file", "cannot find -l",
                        "\u2500\u25b6"});
}

std::string last_of(const std::vector<std::string>& lines, std::size_t count) {
  std::string text;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    text += (text.empty() ? "" : "\n") + lines[i];
  return text;
}

std::string folder_of(const Attempt& attempt) {
  return attempt.wheelhouse.empty() ? "wheels" : shell_quoted(std::filesystem::absolute(attempt.wheelhouse));
}

std::string options_of(const Attempt& attempt) {
  std::string text;
  if (!attempt.python.empty()) text += " --python " + attempt.python;
  if (attempt.cuda != 0) text += fmt::format(" --cuda {}", attempt.cuda);
  return text;
}

std::string download_command(const Attempt& attempt) {
  std::string text = "tare rows download";
  for (const std::string& row : attempt.rows) text += " " + row;
  return text + " --dir " + folder_of(attempt) + options_of(attempt);
}

}  // namespace

bool says_no_index(const std::string& output) {
  return has_any(
      output, {"Failed to establish a new connection", "Temporary failure in name resolution",
               "Name or service not known", "Network is unreachable", "Connection refused",
               "Max retries exceeded", "Could not fetch URL", "ProxyError", "ConnectTimeout", "ReadTimeout",
               "dns error", "error sending request", "Failed to fetch", "NewConnectionError"});
}

std::string essential_lines(const std::string& output) {
  std::vector<std::string> all, errors;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    all.push_back(one_line(line, kLineWidth));
    if (names_an_error(line)) errors.push_back(all.back());
  }
  return errors.empty() ? last_of(all, kLastLines) : last_of(errors, kErrorLines);
}

std::string installation_hint(const std::string& output, const Attempt& attempt) {
  const auto said = [&](std::initializer_list<std::string_view> words) { return has_any(output, words); };
  if (said({"No space left on device", "Disk quota exceeded", "os error 28"}))
    return "the disk is full: make room, or set TARE_DATA_DIR to a directory on another one";
  if (said({"ensurepip is not available", "No module named ensurepip", "No module named venv"}))
    return "this Python cannot make environments with pip: apt-get install python3-venv (or python3-pip), or "
           "install uv";
  if (said({"Requires-Python", "requires a different Python", "require a different python version"}))
    return "these versions are not for this Python: name another one with --python PATH";
  if (says_no_index(output)) {
    std::string rows;
    for (const std::string& row : attempt.rows) rows += " " + row;
    return "no package index can be reached. On a machine with a network: " + download_command(attempt) +
           "; then here, with that folder: tare rows install" + rows +
           (attempt.cuda != 0 ? fmt::format(" --cuda {}", attempt.cuda) : "") + " --wheelhouse " +
           folder_of(attempt) + " --offline";
  }
  if (said({"No matching distribution found", "no matching distribution", "Could not find a version",
            "No solution found", "was not found in the"}))
    return attempt.offline
               ? "a package is missing from the wheelhouse: fill it, on a machine with a network, with " +
                     download_command(attempt)
               : "the index has no such package for this Python and machine; tare rows install --python "
                 "PATH takes another Python";
  if (said({"Python.h: No such file", "pyconfig.h: No such file"}))
    return "Python's headers are missing: apt-get install python3-dev";
  if (said({"command 'g++' failed: No such file", "command 'gcc' failed: No such file",
            "command 'x86_64-linux-gnu-gcc' failed: No such file", "unable to execute 'gcc'",
            "unable to execute 'g++'", "No such file or directory: 'g++'"}))
    return "a C++ compiler is missing: apt-get install g++";
  if (said({"cuda.h: No such file", "cannot find -lcuda", "cannot find -lcurand"}))
    return "the CUDA toolkit's headers or libraries were not found: CUDA_HOME=DIR names a toolkit";
  if (said({"CERTIFICATE_VERIFY_FAILED", "SSLError", "certificate verify failed"}))
    return "the index's certificate is not trusted: pip config set global.cert FILE, or SSL_CERT_FILE";
  return {};
}

}  // namespace tare::compare
