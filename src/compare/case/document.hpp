// A case as its file gives it: checked in form, with every expression still to be evaluated.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/case/case.hpp"
#include "compare/case/layout.hpp"

namespace tare::compare {

/// An integer or an expression, and where it stands.
struct LocatedExpression {
  std::string text;
  int line = 0;
};

struct ArgumentDocument {
  JobArgument argument;  // all but count and value
  bool is_struct = false;
  std::vector<Field> fields;
  std::optional<LocatedExpression> count;
  std::optional<Literal> value;
  int line = 0, type_line = 0;
};

struct Case::Document {
  std::string file;  // as messages call it
  Job job;           // names and sources; numbers are put in by Case::job()
  std::map<std::string, LocatedExpression> values;
  std::vector<LocatedExpression> block, covers, grid;
  int block_line = 0, grid_line = 0;
  std::optional<LocatedExpression> dynamic_shared_bytes;
  std::vector<ArgumentDocument> arguments;
  std::optional<LocatedExpression> moved;
  std::vector<Claim> claims;
};

/// Where a case's .cu comes from: the disk, or the program itself.
struct CaseText {
  std::string toml;
  std::string file;  // the TOML file as messages call it
  std::filesystem::path directory;
  /// The built-in case's .cu; on disk it is read from `directory`.
  std::optional<std::string> kernel;
};

/// Parses and checks. Throws CaseError.
std::shared_ptr<const Case::Document> read_document(const CaseText& text);

/// Reads a whole file as read_plain_text() does. Throws CaseError "cannot read FILE: WHY".
std::string read_text_file(const std::filesystem::path& file);

}  // namespace tare::compare
