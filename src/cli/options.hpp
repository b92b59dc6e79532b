// What the files that add the commands' options share. CLI11 is for them and command_line.cpp alone.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace tare::cli {

/// Texts that are turned into numbers after CLI11 is done, so that the messages are ours.
struct RawTexts {
  std::string n, threads, device, fp = "default", timeout;
  std::vector<std::string> rows, values, prebuilt, python;
  bool quick = false, thorough = false;
  std::string case_file, json;
  std::string init_cu, init_output, cache_directory, cache_source;
  std::vector<std::string> include_dirs;
  std::string wheelhouse, download_directory;
  std::string sweep_n = "1K..64M";
  int points = 0;
};

/// Each gives one command (or one with its own commands) its options; both references outlive the parsing.
void add_compare(CLI::App& app, CommandLine& line, RawTexts& raw);
void add_sweep(CLI::App& app, CommandLine& line, RawTexts& raw);
void add_rows(CLI::App& app, CommandLine& line, RawTexts& raw);
void add_cache(CLI::App& app, CommandLine& line, RawTexts& raw);

/// Options that several commands have.
void add_device(CLI::App& app, RawTexts& raw);
void add_python(CLI::App& app, CommandLine& line, RawTexts& raw);

/// Turn the texts into numbers and names. Throw UsageError.
void take_compare(CommandLine& line, const RawTexts& raw);
void take_install(CommandLine& line, const RawTexts& raw);

/// Checks that do not repeat themselves in the help text.
CLI::Validator at_least(double least, const std::string& what);
CLI::Validator positive();
CLI::Validator one_of(const std::vector<std::string>& words);

}  // namespace tare::cli
