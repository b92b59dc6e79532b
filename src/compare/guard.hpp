// A small process that outlives the owner by a moment: if the owner is killed, it ends every worker that
// is left and removes the run's directory.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "compare/leftovers.hpp"

namespace tare::compare {

/// The owner's end. The guard works when this object goes, or when the process dies in any way.
class Guard {
 public:
  /// Starts the guard, with a directory to remove at the end.
  Guard(const std::filesystem::path& executable, const std::filesystem::path& directory);
  ~Guard();  // waits until the directory is gone
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// From now on the process group `group` is the guard's to end ...
  void watch(pid_t group);
  /// ... and from now on no longer. To be called before the group's leader is reaped.
  void forget(pid_t group);

  /// A mark for the environment of the next child, unlike any other: its orphans are known by it.
  std::string next_mark();

 private:
  void tell(char what, pid_t group);
  Orphans orphans_;  // first, so that the guard is none of them and what it leaves is ended last
  std::string directory_;
  int marks_ = 0;
  int descriptor_ = -1;
  pid_t pid_ = 0;
};

/// The guard process: reads from descriptor 3 until its end, then clears up. `directory` is removed.
int guard_main(const std::filesystem::path& directory);

}  // namespace tare::compare
