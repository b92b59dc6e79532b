// Folders by names that every compiler takes: nvcc gives what it was told to a shell and splits it at commas,
// and the worker protocol is UTF-8, while a folder's name may be anything.
#pragma once

#include <filesystem>

namespace tare::compare {

/// `folder`, or a symbolic link to it, made in `links` (which is made if need be), where its name has quotes,
/// commas, backslashes or the like in it, or is no UTF-8. The same link for the same folder. Throws
/// tare::Error(io).
std::filesystem::path plain_folder(const std::filesystem::path& folder, const std::filesystem::path& links);

}  // namespace tare::compare
