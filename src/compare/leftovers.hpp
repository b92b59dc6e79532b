// What a child leaves behind when it ends: processes that left its group (setsid, daemons) and that no kill
// of the group reaches. Linux gives them to the nearest ancestor that asks for orphans; they are told apart
// by a mark in the environment that they were started with.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>

namespace tare::compare {

/// The variable that carries the mark.
inline constexpr const char* kMarkVariable = "TARE_WORKER_MARK";

/// While alive, this process is given the orphans among its descendants. When it goes, it ends all of them
/// that are left: every child that this process has then and did not have at the beginning, so no other
/// child may be running. Blocks for at most two seconds.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Ends those that bear this mark, and what they have started; what others are at work with is left.
  static void end_marked(const std::string& mark);

 private:
  std::set<pid_t> before_;
  int was_adopting_ = 0;
};

/// Of a process that is no ancestor: kills the descendants of these processes, and every process of this user
/// whose mark begins with `mark`. Does not wait.
void kill_family(const std::set<pid_t>& leaders, const std::string& mark);

}  // namespace tare::compare
