// getrlimit, in words.
#include "compare/descriptor_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "tare/error.hpp"

namespace tare::compare {

void require_descriptors(std::size_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
    return;
  throw Error(ErrorKind::io,
              fmt::format("at most {} files may be open at once here (ulimit -n), {} may be needed",
                          limit.rlim_cur, needed),
              limit.rlim_max >= needed ? fmt::format("ulimit -n {}", needed)
                                       : "have the limit raised; --rows compares fewer rows at a time");
}

}  // namespace tare::compare
