// What libtare reads in PTX text: its kernels, their parameters, its version and who made it. Used where the
// driver does not tell (before 12.4) and in error messages; it accepts any text and never throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tare/kernel.hpp"

namespace tare::detail {

/// Names of the `.entry` functions, in order.
std::vector<std::string> ptx_kernels(std::string_view ptx);

/// Offset and size of every parameter of the `.entry` called `kernel`, laid out as the PTX ISA's parameter
/// space is (each at the next multiple of its alignment). Nullopt where there is no such kernel or its list
/// is not understood.
std::optional<std::vector<Parameter>> ptx_parameters(std::string_view ptx, std::string_view kernel);

/// "9.0" of `.version 9.0`, empty where there is none.
std::string ptx_version(std::string_view ptx);

/// "release 13.0, V13.0.88" of the comment that NVIDIA's compilers write, empty where there is none.
std::string ptx_producer(std::string_view ptx);

/// Whether an image for cuModuleLoadData is text rather than an ELF or fat binary.
bool is_ptx(std::string_view image);

}  // namespace tare::detail
