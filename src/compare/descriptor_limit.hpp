// The limit of open files, asked before it is met in the middle of something.
#pragma once

#include <cstddef>

namespace tare::compare {

/// Enough for a process that starts others one after the other and reads what they print.
inline constexpr std::size_t kDescriptorsForChildren = 16;

/// Throws tare::Error(io), naming the limit, where this process may not have `needed` files open.
void require_descriptors(std::size_t needed);

}  // namespace tare::compare
