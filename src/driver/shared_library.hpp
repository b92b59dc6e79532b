// Opening the libraries of other makers, whose files may be damaged.
#pragma once

#include <string>

namespace tare::detail {

/// dlopen with RTLD_NOW and RTLD_LOCAL, for a path or a name that the loader searches for. Null, and in `why`
/// the reason. A file that is cut off (a copy or a download that broke off) is refused before the loader sees
/// it: that maps what the file's headers announce, and touching what is not there would end the process with
/// SIGBUS.
void* open_shared_library(const std::string& file, std::string& why);

}  // namespace tare::detail
