// Reads NumPy's .npy files (format versions 1 to 3) as the contents of a buffer.
#pragma once

#include <filesystem>
#include <string>

#include "compare/case/reference.hpp"

namespace tare::compare {

/// The file's data: `count` elements of `element` in C order, little-endian. The dtype must say the same kind
/// and size as a lane of the element (bfloat16, which NumPy lacks, as uint16; structs as any dtype of their
/// size); shapes are taken flat. Throws CaseError naming the file and the argument.
HostBuffer read_npy(const std::filesystem::path& file, const ElementType& element, std::uint64_t count,
                    const std::string& argument);

}  // namespace tare::compare
