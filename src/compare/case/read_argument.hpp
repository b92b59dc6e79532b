// One of a case's [[arguments]]: its type, and how a buffer is filled and checked or what a scalar's or a
// struct's value is.
#pragma once

#include <filesystem>

#include "compare/case/table.hpp"

namespace tare::compare {

/// `raw` is an entry of [[arguments]] of this document; files that it names are relative to `directory`.
/// Throws CaseError ("FILE:LINE: ...").
ArgumentDocument read_argument(const toml::table& raw, const Case::Document& document,
                               const std::filesystem::path& directory);

}  // namespace tare::compare
