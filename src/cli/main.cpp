// The program `tare`. Everything is in cli/run.cpp, so that tests can link it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "cli/commands.hpp"

namespace {

/// Whoever started us may have closed standard input, output or error. The next files that we open would
/// take their numbers, and what is printed would end in them. Standard output is filled with something that
/// cannot be written, so that a table or record that nobody gets is still an error.
void fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);  // takes the lowest free number
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  return tare::cli::run(argc, argv);
}
