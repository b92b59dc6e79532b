// One comparison under way: its rows, its workers and its passes.
#pragma once

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compare/guard.hpp"
#include "compare/interrupt.hpp"
#include "compare/options.hpp"
#include "compare/owner_memory.hpp"
#include "compare/python/interpreter.hpp"
#include "compare/report/pace.hpp"
#include "compare/row.hpp"
#include "compare/worker_client.hpp"
#include "tare/clocks.hpp"

namespace tare::compare {

/// A row of this run, with what is settled about it before or while it runs.
struct RunningRow {
  RowDescription description;
  Interpreter interpreter;     // of a Python row
  std::string twin;            // of a check row: the row that it repeats
  std::string skipped;         // why it cannot run, one line; empty if it can
  std::string failed, detail;  // it failed in an earlier sample: it is not started again
  std::string prebuilt;        // what was compiled for it beforehand
  std::vector<std::string> prebuilt_options;
  std::map<std::string, std::string> prebuilt_details;
};

/// The rows that were asked for, in table order; those that cannot run say why. Starts nothing. Throws
/// CaseError where the options name a row or a file that there is not.
std::vector<RunningRow> plan_rows(const CompareOptions& options, int driver_version, Toolbox& toolbox);

/// Starts every interpreter that was named, in a moment: a row whose interpreter is no Python is skipped
/// where a variable named it. Throws CaseError where an option did, and Interrupted. `scratch`: a folder of
/// the run's.
void check_interpreters(std::vector<RunningRow>& rows, const std::filesystem::path& scratch, Guard& guard,
                        const Interrupts& interrupts);

/// Lets `--device` choose the driver. Throws tare::Error.
void choose_device(const CompareOptions& options);

/// Where the Python workers lie in the run's directory.
std::filesystem::path workers_of(const std::filesystem::path& run_directory);

/// Whether something held the device's clocks back in the round just taken, and not too many of `rounds` were
/// taken again already: a third, since a device that is always held back never gives another figure.
bool worth_retaking(const PassResult& pass, int rounds);

/// Its title with the twin's name put in.
std::string title_of(const RunningRow& row);

class Comparison {
 public:
  /// `record` has job, settings and machine filled in; passes are added to it.
  Comparison(const CompareOptions& options, Record& record, std::vector<RunningRow> rows, Task task,
             OwnerMemory& memory, const std::filesystem::path& directory, Guard& guard,
             const Interrupts& interrupts, Progress& progress);

  /// Rehearsal, cold and warm. Throws Interrupted; rows that fail are results.
  void run();

 private:
  struct Live {  // a worker that is kept for the rounds
    std::unique_ptr<WorkerClient> worker;
    MemoryMode mode = MemoryMode::ipc;
    bool collects = false;
    std::uint64_t compiles = 0;
  };
  struct Pass {
    PassResult& result;
    std::vector<Live> live;      // per row; no worker where there is none
    std::vector<bool> finished;  // per row: skipped, failed, so nothing more is asked of it
  };
  struct Plan {
    std::string name;
    int samples = 1;
    bool steady = false, fresh_caches = true;
  };

  // samples.cpp
  void run_pass(const Plan& plan);
  void run_sample(Pass& pass, std::size_t row, const Plan& plan, int sample);
  void open(const RunningRow& row, Live& live, RowResult& result, Sample& sample, int shared_descriptor);
  void start_and_launch(Pass& pass, std::size_t row, const Plan& plan, bool keep,
                        const std::filesystem::path& home);
  std::filesystem::path home_of(std::size_t row, const Plan& plan, int sample) const;
  Child::Settings settings_of(const RunningRow& row, RowResult& result, const std::filesystem::path& home,
                              MemoryMode mode);
  void absorb(const Reply& reply, RowResult& result, Sample* sample) const;
  void fail(Pass& pass, std::size_t row, const WorkerFailure& failure, bool launched);
  void judge_bits(RowResult& result, const std::vector<Difference>& found, bool late);
  std::string why_not_comparable(const RowResult& result, const Difference& difference) const;
  void step(const std::string& what);
  void start_steps(const std::string& what, int steps);

  // rounds.cpp
  void run_rounds(Pass& pass, const std::string& name);
  void turn(Pass& pass, std::size_t row, bool last);
  void late_check(Pass& pass, std::size_t row);
  void launch_once(Pass& pass, std::size_t row);
  void explain_late(Pass& pass, std::size_t row, std::vector<Difference>& found);
  void finish_row(Pass& pass, std::size_t row);
  void measure_launches(Live& live, RowResult& result) const;
  void note_what_events_miss(Live& live, RowResult& result, const Covering& waited) const;
  void measure_cold_l2(Live& live, RowResult& result) const;

  const CompareOptions& options_;
  Record& record_;
  std::vector<RunningRow> rows_;
  Task task_;
  OwnerMemory& memory_;
  std::filesystem::path directory_;
  Guard& guard_;
  const Interrupts& interrupts_;
  Progress& progress_;
  ClockReader clocks_;
  std::mt19937_64 random_;
  bool inputs_suspect_ = false;
  int done_ = 0, total_ = 0;
};

}  // namespace tare::compare
