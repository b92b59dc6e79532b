// The case's arguments held against the kernel's own parameters, as far as its text shows them.
#pragma once

#include "compare/case/document.hpp"

namespace tare::compare {

/// Throws CaseError, at the argument's `type`, where the case gives another type than the kernel's text: a
/// value for a pointer, `double*` for `float*`, `unsigned` for `int`. Says nothing where it cannot be sure:
/// types that the text or a header defines, template parameters, macros, structs, another number of
/// arguments (the compiled kernel tells), several kernels of that name. A vector and its lanes
/// (`float*` for `float4*`) are one type, and so are `long` and `long long`; `const` is the case's to choose.
void check_signature(const Case::Document& document);

}  // namespace tare::compare
