// What can be wrong with a fill before anything is filled. The filling itself is fill_buffer() in
// reference.hpp.
#pragma once

#include "compare/case/job.hpp"

namespace tare::compare {

/// Throws Complaint where the element type cannot hold what the fill would put in it.
void check_fill(const Fill& fill, const ElementType& element);

}  // namespace tare::compare
