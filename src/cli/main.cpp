// The program `tare`. Everything is in cli/run.cpp, so that tests can link it.
#include "cli/commands.hpp"

int main(int argc, char** argv) {
  return tare::cli::run(argc, argv);
}
