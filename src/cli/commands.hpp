// The commands. Each does its work, prints, and returns the exit code; errors are exceptions, which
// run() turns into messages.
#pragma once

#include "cli/command_line.hpp"

namespace tare::cli {

int compare_command(const CommandLine& line);
int sweep_command(const CommandLine& line);
int rows_command(const CommandLine& line);
int rows_install_command(const CommandLine& line);
int rows_download_command(const CommandLine& line);
int init_command(const CommandLine& line);
/// Becomes the program; returns, with 126 or 127, only where that fails.
int with_cpu_command(const CommandLine& line);
int cache_stats_command(const CommandLine& line);
int cache_clear_command(const CommandLine& line);
int cache_explain_command(const CommandLine& line);
int doctor_command(const CommandLine& line);

/// The whole program: parses, runs one command, and reports errors as "tare: message" and "  hint: ...".
int run(int argc, char** argv);

}  // namespace tare::cli
