// Running the program with its output in two files of a private folder.
#include "unit/cli/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tare::cli::testing {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

}  // namespace

Ran run_tare(const std::string& arguments, const std::string& environment) {
  std::string folder = (std::filesystem::temp_directory_path() / "tare-cli-test-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  const std::string out = folder + "/out", err = folder + "/err";
  const std::string command =
      environment + " " TARE_BINARY_DIR "/bin/tare " + arguments + " >" + out + " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
  std::filesystem::remove_all(folder);
  return ran;
}

}  // namespace tare::cli::testing
